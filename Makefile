# SPDX-License-Identifier: Apache-2.0
# flamegate's build. Rooms are archives; each may link only what lies below it (see check-layers).
#
#   make            build/flamegate, build/libflamegate.so and those beside it, -heap and -clock
#   make demo       install what is missing, build, run the main job on a real program
#   make demo-lua   two versions of Lua, function by function, beside callgrind's counts
#   make test       install what is missing, build, run the short tests (SAN=address,undefined: the unit tests)
#   make test-long  live measurements, real programs, a browser, an emulator
#   make fuzz       30 s on each decoder (FUZZ_SECONDS)      make bench    ratios against peers
#   make test-distros   build and try it in bare Debian and Ubuntu systems, with all their compilers
#   make WERROR=1   warnings are errors, as in our own CI
#   make man        the man pages, in build/man
#   make install    DESTDIR= PREFIX=/usr/local; make uninstall takes it away again
#                   (FLAMEGATE_HOST= a flamegate that runs here, where the one that is built does not)
#   make dist       a release's archive, in build/dist (ARCH=aarch64: for that processor)
#   make check-fast  the unit tests that wait for no clock      make compile_commands.json   for clangd
#   make check-layers | format | check-format | update-golden | clean

BUILD ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(filter clang,$(CC)),-clang)
comma := ,
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
# A sanitizer's build is compiled more often than it runs. Calls at a function's end stay jumps: so the leak checker sees that
# the loader calls malloc(), and not ours that stands between.
OPT ?= $(if $(SAN),-O1 -foptimize-sibling-calls,-O2)
PKGS := libgit2 libprotobuf-c libcjson libcurl zlib libdw libelf yaml-0.1
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# Warnings are errors only where .ci/run asks for it: a compiler that is newer than ours may warn of more.
WERROR ?=
FATAL := $(if $(WERROR),-Werror)
# gcc 11 and the first of 12 take designated initializers for incomplete ones (its bug 82283).
GCC_VERSION := $(shell $(CC) -dumpfullversion 2>/dev/null)
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wformat=2 -Wno-format-nonliteral $(if $(filter 11.% 12.%,$(GCC_VERSION)),-Wno-missing-field-initializers) $(FATAL)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# What a sanitizer says needs lines and no more; there are hundreds of programs to link.
BASE_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. -I$(BUILD)/gen $(OPT) $(if $(SAN),-g1,-g) $(WARN) -fstack-protector-strong $(CFLAGS)
# A verdict is the same on every processor: none may round once what another rounds twice.
CFLAGS_PRODUCT = $(BASE_CFLAGS) $(PKG_CFLAGS) -ffp-contract=off -include gate/base/banned.h $(SANFLAGS)
# The preload library lives in other people's programs: own flags, never a sanitizer.
CFLAGS_SAMPLER = $(BASE_CFLAGS) -fPIC -fvisibility=hidden -ftls-model=initial-exec \
	-fno-stack-protector -fomit-frame-pointer -fno-builtin-malloc

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)  $(patsubst $(BUILD)/%,%,$@)')

# ---- rooms: a room's archive, and what it may link, lowest last -------------------------------
ROOMS := base vcs net profile verdict bench compare baseline check report cli
DIR_base := gate/base
DIR_vcs := gate/vcs
DIR_net := gate/net
DIR_profile := gate/profile
DIR_verdict := gate/verdict
DIR_bench := gate/bench
DIR_compare := gate/compare
DIR_baseline := baseline
DIR_check := gate/check
DIR_report := report
DIR_cli := gate/cli
BELOW_base :=
BELOW_vcs := base
BELOW_net := base
BELOW_profile := base
BELOW_verdict := base
BELOW_bench := vcs net profile base
BELOW_compare := profile verdict base
BELOW_baseline := bench vcs net profile base
BELOW_check := baseline bench compare verdict profile vcs net base
BELOW_report := check $(BELOW_check)
BELOW_cli := report $(BELOW_report)
LIBS_base := -lz
LIBS_vcs := -lgit2
LIBS_net := -lcjson -lcurl
LIBS_profile := -lprotobuf-c -ldw -lelf -liberty -lcapstone
LIBS_verdict := -lm
LIBS_bench := -lyaml -lm
LIBS_compare := -lm
LIBS_baseline := -lm
LIBS_check := -lm
LIBS_report := -lm
LIBS_cli :=

archive = $(BUILD)/$(1).a
sources = $(wildcard $(DIR_$(1))/*.c $(DIR_$(1))/*/*.c)
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
link_room = $(call archive,$(1)) $(foreach r,$(BELOW_$(1)),$(call archive,$(r)))
libs_room = $(LIBS_$(1)) $(foreach r,$(BELOW_$(1)),$(LIBS_$(r)))

SERVER_PROTOS := parca pyroscope
GEN := $(BUILD)/gen/profile.pb-c.h $(SERVER_PROTOS:%=$(BUILD)/gen/%.pb-c.h)
GEN_OBJECTS := $(BUILD)/gen/profile.pb-c.o $(SERVER_PROTOS:%=$(BUILD)/gen/%.pb-c.o) $(BUILD)/gen/viewer.o $(BUILD)/gen/completion.o
SAMPLER_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard gate/sampler/*.c gate/sampler/*/*.c))
# Of the heap's library alone: whoever takes the allocator's names stands in the way of each allocation.
HEAP_OBJECTS := $(addprefix $(BUILD)/gate/sampler/interpose/interpose_,malloc.o new.o map.o)
CLOCK_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard gate/clock/*.c))
LIBRARIES := $(BUILD)/libflamegate.so $(BUILD)/libflamegate-heap.so $(BUILD)/libflamegate-clock.so

.PHONY: all
all: $(BUILD)/flamegate $(LIBRARIES)

# For tests that call the compiler themselves.
.PHONY: print-flags print-sampler-flags
print-flags: ; @echo '$(CFLAGS_PRODUCT)'
print-sampler-flags: ; @echo '$(CFLAGS_SAMPLER)'

$(BUILD)/gen/profile.pb-c.c $(BUILD)/gen/profile.pb-c.h &: gate/profile/proto/profile.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(BUILD)/gen --proto_path=gate/profile/proto profile.proto

.SECONDARY: $(SERVER_PROTOS:%=$(BUILD)/gen/%.pb-c.c) $(SERVER_PROTOS:%=$(BUILD)/gen/%.pb-c.h)
$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: baseline/proto/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(BUILD)/gen --proto_path=baseline/proto $(<F)

# Files become one NUL-terminated array each: viewer_<name>_<ext>[], see report/viewer/embed.sh
VIEWER_FILES := $(sort $(wildcard report/viewer/*.js report/viewer/*/*.js report/viewer/*.css report/viewer/*.html))
$(BUILD)/gen/viewer.c: report/viewer/embed.sh $(VIEWER_FILES)
	@mkdir -p $(@D)
	$(Q)sh report/viewer/embed.sh viewer $(VIEWER_FILES) >$@.tmp && mv $@.tmp $@
COMPLETION_FILES := $(wildcard gate/cli/completion/flamegate.*)
$(BUILD)/gen/completion.c: report/viewer/embed.sh $(COMPLETION_FILES)
	@mkdir -p $(@D)
	$(Q)sh report/viewer/embed.sh completion $(COMPLETION_FILES) >$@.tmp && mv $@.tmp $@

# Looked at by every make; one object follows it, where the commit is another.
.PHONY: always
$(BUILD)/gen/commit.h: always
	@mkdir -p $(@D)
	@printf '#define FLAMEGATE_COMMIT "%s"\n' "$$(sh gate/cli/version/commit.sh)" >$@.$$$$; \
		if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
$(BUILD)/gate/cli/version/build_info.o: $(BUILD)/gen/commit.h

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(call say,CC)
	$(Q)$(CC) -std=gnu17 -I$(BUILD)/gen $(OPT) -g $(CFLAGS) $(SANFLAGS) -c -o $@ $<

$(BUILD)/gate/sampler/%.o: gate/sampler/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_SAMPLER) -MMD -MP -c -o $@ $<
$(BUILD)/gate/clock/%.o: gate/clock/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_SAMPLER) -MMD -MP -c -o $@ $<

# The loop vectorizer of clang 21.1 dies of this one.
$(BUILD)/gate/bench/recording/memory_line.o: CFLAGS_PRODUCT += $(if $(GCC_VERSION),,-fno-vectorize)

$(BUILD)/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_PRODUCT) -MMD -MP -c -o $@ $<

define room_rules
$(BUILD)/$(1).a: $(call objects,$(1)) $(if $(filter profile,$(1)),$(BUILD)/gen/profile.pb-c.o) $(if $(filter baseline,$(1)),$(SERVER_PROTOS:%=$(BUILD)/gen/%.pb-c.o)) $(if $(filter report,$(1)),$(BUILD)/gen/viewer.o) $(if $(filter cli,$(1)),$(BUILD)/gen/completion.o)
	@rm -f $$@
	@mkdir -p $$(@D)
	$(Q)ar rcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_rules,$(r))))

# Linked beside and moved: whoever runs the old one meanwhile still can.
$(BUILD)/flamegate: $(call link_room,cli)
	$(call say,LD)
	$(Q)$(CC) $(SANFLAGS) -o $@.new $^ $(LDFLAGS) $(call libs_room,cli) && mv -f $@.new $@

$(BUILD)/libflamegate.so: $(filter-out $(HEAP_OBJECTS),$(SAMPLER_OBJECTS))
$(BUILD)/libflamegate-heap.so: $(SAMPLER_OBJECTS)
$(BUILD)/libflamegate-clock.so: $(CLOCK_OBJECTS)
$(LIBRARIES):
	$(call say,LD)
	$(Q)$(CC) -shared -Wl,-z,defs -Wl,-z,now -Wl,-soname,$(@F) -o $@.new $^ -ldl -lpthread && mv -f $@.new $@

# ---- tests: tests/unit/<room>/test_*.c, and its sub-rooms', is one cmocka group each, linked against its room ------
define unit_rules
UNIT_$(1) := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/$(1)/test_*.c tests/unit/$(1)/*/test_*.c))
$$(UNIT_$(1)): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(call link_room,$(1))
	$(Q)$(CC) $(SANFLAGS) -o $$@ $$(filter %.o,$$^) $$(filter-out %.o,$$^) $(call libs_room,$(1)) -lcmocka -lpthread -lm
endef
$(foreach r,$(ROOMS),$(eval $(call unit_rules,$(r))))
# The sampler's parts are tested outside a preload too: its objects without the constructor's file.
UNIT_sampler := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/sampler/test_*.c tests/unit/sampler/*/test_*.c))
$(UNIT_sampler): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o \
		$(filter-out %/preload.o %/interpose_%.o,$(SAMPLER_OBJECTS)) $(call link_room,profile)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,profile) -lcmocka -lpthread -ldl -lm
UNIT_TESTS := $(foreach r,$(ROOMS) sampler,$(UNIT_$(r)))
# A room's tests by their names, wherever in it they are.
unit_tests = $(foreach t,$(2),$(filter %/test_$(t),$(UNIT_$(1))))
# A sanitizer looks at memory and not at error rates: what simulates many gates would take it a minute, and the verdict's
# other tests call the same code.
ifneq ($(SAN),)
UNIT_TESTS := $(filter-out $(call unit_tests,verdict,rates screen_rates simulation),$(UNIT_TESTS))
endif

$(BUILD)/tests/%.o: tests/%.c | $(GEN)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) $(PKG_CFLAGS) $(SANFLAGS) -Wno-missing-prototypes -MMD -MP -c -o $@ $<

.PHONY: unit
unit: $(UNIT_TESTS)

# ---- man pages and installation ---------------------------------------------------------------
PREFIX ?= /usr/local
# It prints the completions; a program for another processor cannot.
FLAMEGATE_HOST ?= $(BUILD)/flamegate
# One word for the shell, whatever is in a path but what make itself takes.
quote = '$(subst ','\'',$(1))'
# From bin/ the program finds its library in ../lib/flamegate (gate/bench/preload/preload_library.c).
INSTALL_BIN = $(DESTDIR)$(PREFIX)/bin
INSTALL_LIB = $(DESTDIR)$(PREFIX)/lib/flamegate
INSTALL_INCLUDE = $(DESTDIR)$(PREFIX)/include
INSTALL_MAN = $(DESTDIR)$(PREFIX)/share/man
INSTALL_DOC = $(DESTDIR)$(PREFIX)/share/doc/flamegate
INSTALL_SHARE = $(DESTDIR)$(PREFIX)/share/flamegate
# Each shell has its folder and its name.
COMPLETION_bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/flamegate
COMPLETION_zsh = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_flamegate
COMPLETION_fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/flamegate.fish
SHELLS := bash zsh fish
COMPLETIONS := $(SHELLS:%=$(BUILD)/completions/%)
MAN_PAGES := $(patsubst gate/cli/man/%.scd,$(BUILD)/man/%,$(wildcard gate/cli/man/*.scd))
man_section = $(filter %.$(1),$(MAN_PAGES))

# The date on a page is that of the last commit, so that equal sources give equal bytes.
$(BUILD)/man/%: gate/cli/man/%.scd gate/check/version.h
	@mkdir -p $(@D)
	$(call say,MAN)
	$(Q)version=$$(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' gate/check/version.h) && \
		: "$${SOURCE_DATE_EPOCH:=$$(git log -1 --format=%ct 2>/dev/null || date +%s)}" && \
		export SOURCE_DATE_EPOCH && sed "s/@VERSION@/$$version/" $< | scdoc >$@.tmp && mv $@.tmp $@

# Made anew each time: another program may have been asked before.
$(COMPLETIONS): $(BUILD)/completions/%: $(BUILD)/flamegate always
	@mkdir -p $(@D)
	$(Q)$(call quote,$(FLAMEGATE_HOST)) completion $* >$@.tmp && mv $@.tmp $@

.PHONY: man man-pages install install-files uninstall
man: packages-man
	@$(MAKE) --no-print-directory man-pages
man-pages: $(MAN_PAGES)

install: packages-build packages-man
	@$(MAKE) --no-print-directory install-files
install-files: all man-pages $(COMPLETIONS)
	install -d $(foreach d,BIN LIB INCLUDE DOC SHARE,$(call quote,$(INSTALL_$(d)))) $(foreach s,1 5,$(call quote,$(INSTALL_MAN)/man$(s)))
	install -m 755 $(BUILD)/flamegate $(call quote,$(INSTALL_BIN)/)
	install -m 644 $(LIBRARIES) $(call quote,$(INSTALL_LIB)/)
	install -m 644 gate/sampler/flamegate.h $(call quote,$(INSTALL_INCLUDE)/)
	install -m 644 $(call man_section,1) $(call quote,$(INSTALL_MAN)/man1/)
	install -m 644 $(call man_section,5) $(call quote,$(INSTALL_MAN)/man5/)
	install -m 644 report/report.schema.json $(call quote,$(INSTALL_SHARE)/)
	install -m 644 LICENSE $(call quote,$(INSTALL_DOC)/)
	install -m 644 gate/profile/proto/LICENSE $(call quote,$(INSTALL_DOC)/LICENSE.profile.proto)
	$(foreach s,$(SHELLS),install -D -m 644 $(BUILD)/completions/$(s) $(call quote,$(COMPLETION_$(s))) &&) true

# A folder of ours that others have put something into stays.
uninstall:
	rm -f $(call quote,$(INSTALL_BIN)/flamegate) $(foreach l,$(notdir $(LIBRARIES)),$(call quote,$(INSTALL_LIB)/$(l)))
	rm -f $(call quote,$(INSTALL_INCLUDE)/flamegate.h) $(call quote,$(INSTALL_SHARE)/report.schema.json)
	rm -f $(foreach s,1 5,$(foreach p,$(notdir $(call man_section,$(s))),$(call quote,$(INSTALL_MAN)/man$(s)/$(p))))
	rm -f $(call quote,$(INSTALL_DOC)/LICENSE) $(call quote,$(INSTALL_DOC)/LICENSE.profile.proto)
	rm -f $(foreach s,$(SHELLS),$(call quote,$(COMPLETION_$(s))))
	for folder in $(foreach d,LIB DOC SHARE,$(call quote,$(INSTALL_$(d)))); do \
		[ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; done

# The release's archive (actions/dist/README.md): on Debian 12, whose libraries it takes. ARCH=aarch64: for that processor.
# Not the environment's ARCH, which is of a kernel that somebody builds.
DIST_ARCH := $(if $(filter command,$(origin ARCH)),$(ARCH))
.PHONY: dist
dist: packages-build packages-man packages-dist $(if $(DIST_ARCH),packages-arm)
	@bash actions/dist/dist.sh $(BUILD)/dist $(DIST_ARCH)

.PHONY: root-action
root-action:
	sed -e 's|$$GITHUB_ACTION_PATH/../build.sh|$$GITHUB_ACTION_PATH/actions/build.sh|' -e 's|$$GITHUB_ACTION_PATH/run.sh|$$GITHUB_ACTION_PATH/actions/gate/run.sh|' \
		-e '1a # actions/gate/action.yml once more, where the Marketplace looks for one: `make root-action` writes it.' \
		actions/gate/action.yml >action.yml

-include tests/tests.mk

# For clangd and its like.
.PHONY: compile_commands.json
compile_commands.json:
	@perl tests/compile-commands.pl '$(CFLAGS_PRODUCT)' '$(CFLAGS_SAMPLER)' '$(BASE_CFLAGS) $(PKG_CFLAGS)' >$@.tmp && mv $@.tmp $@

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
