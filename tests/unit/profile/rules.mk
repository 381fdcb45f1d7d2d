# SPDX-License-Identifier: Apache-2.0
# Shared objects that test_symbolize reads back: whole, without debug information, and with it in a
# file of its own (found by its name and build id, or by its name and checksum).
FIXTURE_SOURCES := tests/unit/profile/fixture
FIXTURES := $(BUILD)/tests/unit/profile/fixture
FIXTURE_FLAGS := -O2 -g -fPIC -ffile-prefix-map=$(CURDIR)=/fixture-root -Wno-builtin-declaration-mismatch
FIXTURE_FILES := $(addprefix $(FIXTURES)/,plain.so exported-100.so exported-200.so shapes.so bare.so stripped.so symtab.so linked.so \
	sled.so undeclared.so \
	checksum.so mislinked.so)
HOSTILE_NAME := </script><img src=x onerror=alert(1)>|@team

$(FIXTURES)/plain.o: $(FIXTURE_SOURCES)/plain.c
	@mkdir -p $(@D)
	$(CC) $(FIXTURE_FLAGS) -c -o $@ $(CURDIR)/$<
# Functions are in no file, as Go's that are inlined: the attribute is one that nobody knows.
$(FIXTURES)/undeclared.so: $(FIXTURE_SOURCES)/plain.c
	@mkdir -p $(@D)
	$(CC) $(FIXTURE_FLAGS) -dA -S -o $@.s $(CURDIR)/$<
	sed -i 's/0x3a\(.*(DW_AT_decl_file)\)/0x3e00\1/' $@.s
	$(CC) -shared -o $@ $@.s
$(FIXTURES)/shapes.o: $(FIXTURE_SOURCES)/shapes.cc
	@mkdir -p $(@D)
	$(CXX) $(FIXTURE_FLAGS) -c -o $@ $(CURDIR)/$<
# The linker would read a version behind the name's "@": the name is changed in its output.
$(FIXTURES)/plain.so $(FIXTURES)/anonymous.so: $(FIXTURES)/plain.o
	$(CC) -shared -Wl,--build-id=$(if $(filter %/plain.so,$@),sha1,none) -o $@.tmp $<
	objcopy --redefine-sym 'fixture_hostile=$(HOSTILE_NAME)' $@.tmp $@
$(FIXTURES)/shapes.so: $(FIXTURES)/shapes.o
	$(CC) -shared -o $@ $<
$(FIXTURES)/exported-%.so: $(FIXTURE_SOURCES)/exported.c
	@mkdir -p $(@D)
	$(CC) -O2 -fPIC -shared -DROUNDS=$* -o $@ $<
$(FIXTURES)/sled.so: $(FIXTURE_SOURCES)/sled.S
	@mkdir -p $(@D)
	$(CC) -shared -nostdlib -o $@ $<
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

$(call unit_tests,profile,symbolize symbolize_child function_names): | $(FIXTURE_FILES)
$(call unit_tests,profile,symbolize_child): | $(FIXTURES)/code-many.so

# Programs for test_code_*: one source with one function changed each, linked in both orders,
# position-independent and not, for this machine and, with a cross compiler, for aarch64.
CODE_CHANGES := none reads_table loop_bound reads_text calls_other calls_library switches reads_variable \
	inlines_helper dispatches reads_names reads_float reads_unnamed reads_thread recurses \
	starts_thread reads_before reads_chain reads_field calls_last returns_function assembled \
	has_cold_part calls_both calls_twice calls_clone renamed
CODE_MACHINES := native $(if $(shell command -v aarch64-linux-gnu-gcc),aarch64)
# What is called has other names, and nothing else is changed.
CODE_RENAMES := -Dother_first=first_anew -Dunlikely=rare_anew -Dother_clone=clone_anew
code_cc = $(if $(filter aarch64,$(1)),aarch64-linux-gnu-gcc,$(CC)) -O2 -g
upper = $(shell echo $(1) | tr a-z A-Z)

define code_rules
$(FIXTURES)/code-$(1)-$(2)-other.o: $(FIXTURE_SOURCES)/code_other.c
	@mkdir -p $$(@D)
	$(call code_cc,$(1)) $(3) -c -o $$@ $$<
$(foreach c,$(CODE_CHANGES),$(call code_change,$(1),$(2),$(3),$(c)))
$(FIXTURES)/code-$(1)-$(2)-relinked: $(FIXTURES)/code-$(1)-$(2)-none.o $(FIXTURES)/code-$(1)-$(2)-other.o
	$(call code_cc,$(1)) $(4) -o $$@ $(FIXTURES)/code-$(1)-$(2)-other.o $(FIXTURES)/code-$(1)-$(2)-none.o
CODE_FILES += $(FIXTURES)/code-$(1)-$(2)-relinked
$(FIXTURES)/code-$(1)-$(2)-called_anew: $(FIXTURE_SOURCES)/code_main.c $(FIXTURE_SOURCES)/code_other.c
	@mkdir -p $$(@D)
	$(call code_cc,$(1)) $(3) $(4) $(CODE_RENAMES) -o $$@ $$^
CODE_FILES += $(FIXTURES)/code-$(1)-$(2)-called_anew
endef
define code_change
$(FIXTURES)/code-$(1)-$(2)-$(4).o: $(FIXTURE_SOURCES)/code_main.c
	@mkdir -p $$(@D)
	$(call code_cc,$(1)) $(3) -D$(call upper,$(4)) -c -o $$@ $$<
$(FIXTURES)/code-$(1)-$(2)-$(4): $(FIXTURES)/code-$(1)-$(2)-$(4).o $(FIXTURES)/code-$(1)-$(2)-other.o
	$(call code_cc,$(1)) $(if $(filter fixed,$(2)),-no-pie,-pie) -o $$@ $$^
CODE_FILES += $(FIXTURES)/code-$(1)-$(2)-$(4)

endef
$(foreach m,$(CODE_MACHINES),$(eval $(call code_rules,$(m),moving,-fPIE,-pie)))
$(foreach m,$(CODE_MACHINES),$(eval $(call code_rules,$(m),fixed,-fno-pie,-no-pie)))

# With each function further down in its file.
$(FIXTURES)/code-lines-%.so: $(FIXTURE_SOURCES)/code_lines.c
	@mkdir -p $(@D)
	$(CC) -O2 -g -fPIC -shared $(if $(filter shifted,$*),-DSHIFTED) -o $@ $<
CODE_FILES += $(FIXTURES)/code-lines-first.so $(FIXTURES)/code-lines-shifted.so

# Constants between two neighbours, in both orders, and with one of them changed.
ifeq ($(shell uname -m),x86_64)
CODE_PLACES := none relinked before letters nops tail
$(FIXTURES)/code-neighbour-%.o: $(FIXTURE_SOURCES)/code_neighbour.S
	@mkdir -p $(@D)
	$(CC) -DVALUE=$* -c -o $@ $<
$(FIXTURES)/code-places-%.o: $(FIXTURE_SOURCES)/code_places.S
	@mkdir -p $(@D)
	$(CC) $(if $(filter before letters nops tail,$*),-D$(call upper,$*)) -c -o $@ $<
$(CODE_PLACES:%=$(FIXTURES)/code-places-%): %: %.o $(FIXTURES)/code-neighbour-7.o $(FIXTURES)/code-neighbour-9.o
	$(CC) -static -no-pie -nostdlib -Wl,-e,0 -o $@ $(FIXTURES)/code-neighbour-$(if $(filter %-relinked,$@),9,7).o $< \
		$(FIXTURES)/code-neighbour-$(if $(filter %-relinked,$@),7,9).o
CODE_FILES += $(CODE_PLACES:%=$(FIXTURES)/code-places-%)
endif

$(FIXTURES)/code-many.so: $(FIXTURE_SOURCES)/code_many.c
	@mkdir -p $(@D)
	$(CC) -O2 -fPIC -shared -o $@ $<
CODE_FILES += $(FIXTURES)/code-many.so

# Built in other ways: unchanged, unchanged and in another order, and with everything changed.
CODE_ALL_CHANGES := $(foreach c,$(filter-out none renamed,$(CODE_CHANGES)),-D$(call upper,$(c)))
CODE_KINDS := plain sections guarded shared packed whole clang
code_kind_cc = $(if $(filter clang,$(1)),clang -O2,$(CC) $(code_flags_$(1)))
code_flags_plain := -O0 -fPIE -pie
code_flags_sections := -O2 -fPIE -pie -ffunction-sections -fdata-sections -Wl,--gc-sections
code_flags_guarded := -O2 -fPIE -pie $(if $(filter x86_64,$(shell uname -m)),-fcf-protection=full,-mbranch-protection=standard)
code_flags_shared := -O2 -fPIC -shared -ftls-model=global-dynamic
code_flags_packed := -O2 -fPIE -pie -Wl,-z,pack-relative-relocs
code_flags_whole := -O2 -fPIE -pie -flto
define code_kind
$(FIXTURES)/code-$(1)-none.o: $(FIXTURE_SOURCES)/code_main.c
$(FIXTURES)/code-$(1)-all.o: $(FIXTURE_SOURCES)/code_main.c
$(FIXTURES)/code-$(1)-other.o: $(FIXTURE_SOURCES)/code_other.c
$(FIXTURES)/code-$(1)-none.o $(FIXTURES)/code-$(1)-other.o $(FIXTURES)/code-$(1)-all.o:
	@mkdir -p $$(@D)
	$(call code_kind_cc,$(1)) -g $$(if $$(filter %-all.o,$$@),$(CODE_ALL_CHANGES)) -c -o $$@ $$<
$(FIXTURES)/code-$(1)-relinked: $(FIXTURES)/code-$(1)-other.o $(FIXTURES)/code-$(1)-none.o
$(FIXTURES)/code-$(1)-none: $(FIXTURES)/code-$(1)-none.o $(FIXTURES)/code-$(1)-other.o
$(FIXTURES)/code-$(1)-all: $(FIXTURES)/code-$(1)-other.o $(FIXTURES)/code-$(1)-all.o
$(foreach n,none relinked all,$(FIXTURES)/code-$(1)-$(n)):
	$(call code_kind_cc,$(1)) -o $$@ $$^
CODE_FILES += $(foreach n,none relinked all,$(FIXTURES)/code-$(1)-$(n))
endef
$(foreach k,$(if $(shell command -v clang),$(CODE_KINDS),$(filter-out clang,$(CODE_KINDS))),$(eval $(call code_kind,$(k))))

$(FIXTURES)/code-class-none.o $(FIXTURES)/code-class-all.o: $(FIXTURE_SOURCES)/code_class.cc
	@mkdir -p $(@D)
	$(CXX) -O2 -fPIE $(if $(filter %-all.o,$@),-DCHANGED) -c -o $@ $<
$(FIXTURES)/code-class-none: $(FIXTURES)/code-class-none.o $(FIXTURES)/code-native-moving-other.o
$(FIXTURES)/code-class-relinked: $(FIXTURES)/code-native-moving-other.o $(FIXTURES)/code-class-none.o
$(FIXTURES)/code-class-all: $(FIXTURES)/code-native-moving-other.o $(FIXTURES)/code-class-all.o
CODE_CLASSES := $(foreach n,none relinked all,$(FIXTURES)/code-class-$(n))
$(CODE_CLASSES):
	$(CXX) -pie -o $@ $^
CODE_FILES += $(CODE_CLASSES)

# A real program, its objects in two orders.
ALL_OBJECTS = $(foreach r,$(ROOMS),$(call objects,$(r))) $(GEN_OBJECTS)
$(FIXTURES)/real-there: $(foreach r,$(ROOMS),$(call archive,$(r)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANFLAGS) -o $@ $(ALL_OBJECTS) $(call libs_room,cli)
$(FIXTURES)/real-back: $(foreach r,$(ROOMS),$(call archive,$(r)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANFLAGS) -o $@ $(shell printf '%s\n' $(ALL_OBJECTS) | tac) $(call libs_room,cli)

$(call unit_tests,profile,code_hash code_shape code_content): | $(FIXTURE_FILES) $(CODE_FILES) $(FIXTURES)/real-there $(FIXTURES)/real-back
