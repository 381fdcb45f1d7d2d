# SPDX-License-Identifier: Apache-2.0
# Shared objects that test_symbolize reads back: whole, without debug information, and with it in a
# file of its own (found by its name and build id, or by its name and checksum).
FIXTURE_SOURCES := tests/unit/profile/fixture
FIXTURES := $(BUILD)/tests/unit/profile/fixture
FIXTURE_FLAGS := -O2 -g -fPIC -ffile-prefix-map=$(CURDIR)=/fixture-root -Wno-builtin-declaration-mismatch
FIXTURE_FILES := $(addprefix $(FIXTURES)/,plain.so shapes.so bare.so stripped.so symtab.so linked.so \
	checksum.so mislinked.so)
HOSTILE_NAME := </script><img src=x onerror=alert(1)>|@team

$(FIXTURES)/plain.o: $(FIXTURE_SOURCES)/plain.c
	@mkdir -p $(@D)
	$(CC) $(FIXTURE_FLAGS) -c -o $@ $(CURDIR)/$<
$(FIXTURES)/shapes.o: $(FIXTURE_SOURCES)/shapes.cc
	@mkdir -p $(@D)
	$(CXX) $(FIXTURE_FLAGS) -c -o $@ $(CURDIR)/$<
# The linker would read a version behind the name's "@": the name is changed in its output.
$(FIXTURES)/plain.so $(FIXTURES)/anonymous.so: $(FIXTURES)/plain.o
	$(CC) -shared -Wl,--build-id=$(if $(filter %/plain.so,$@),sha1,none) -o $@.tmp $<
	objcopy --redefine-sym 'fixture_hostile=$(HOSTILE_NAME)' $@.tmp $@
$(FIXTURES)/shapes.so: $(FIXTURES)/shapes.o
	$(CC) -shared -o $@ $<
$(FIXTURES)/stripped.so: $(FIXTURES)/plain.so
	strip -s -o $@ $<
# No symbol of a function at all, as if everything in it were static.
$(FIXTURES)/bare.so: $(FIXTURES)/plain.o
	echo '{ local: *; };' >$@.map
	$(CC) -shared -Wl,--version-script=$@.map -Wl,--strip-all -o $@ $<
$(FIXTURES)/symtab.so: $(FIXTURES)/plain.so
	strip -g -o $@ $<
$(FIXTURES)/linked.so: $(FIXTURES)/plain.so
	@mkdir -p $(FIXTURES)/.debug
	objcopy --only-keep-debug $< $(FIXTURES)/.debug/linked.so.debug
	objcopy --strip-all --add-gnu-debuglink=$(FIXTURES)/.debug/linked.so.debug $< $@
$(FIXTURES)/checksum.so: $(FIXTURES)/anonymous.so
	objcopy --only-keep-debug $< $(FIXTURES)/checksum.so.debug
	objcopy --strip-all --add-gnu-debuglink=$(FIXTURES)/checksum.so.debug $< $@
# Its debug file was changed after the link to it was made.
$(FIXTURES)/mislinked.so: $(FIXTURES)/anonymous.so
	objcopy --only-keep-debug $< $(FIXTURES)/mislinked.so.debug
	objcopy --strip-all --add-gnu-debuglink=$(FIXTURES)/mislinked.so.debug $< $@
	echo changed >>$(FIXTURES)/mislinked.so.debug

$(BUILD)/tests/unit/profile/test_symbolize $(BUILD)/tests/unit/profile/test_symbolize_child: | $(FIXTURE_FILES)
