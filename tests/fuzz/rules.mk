# SPDX-License-Identifier: Apache-2.0
# Fuzzing with clang's libFuzzer. `make fuzz` runs every tests/fuzz/fuzz_*.c for FUZZ_SECONDS each, and
# prints a line "ok fuzz_<name>" or the end of its log. The corpus starts from tests/fuzz/seeds/<name>/ and
# grows in the build folder; an input that fails is kept there too and named in the log: make it a seed.

FUZZ_SECONDS ?= 30
FUZZ_CC ?= clang
FUZZ_ROOMS := report check compare verdict baseline bench vcs net profile base
FUZZ_DIR := $(BUILD)/fuzz
FUZZ_SAN := address,undefined
FUZZ_CFLAGS = -std=gnu17 -D_GNU_SOURCE -I. -I$(BUILD)/gen $(PKG_CFLAGS) -O1 -g -fno-omit-frame-pointer \
	-fno-sanitize-recover=all
FUZZ_OBJECTS := $(foreach r,$(FUZZ_ROOMS),$(patsubst %.c,$(FUZZ_DIR)/%.o,$(call sources,$(r)))) \
	$(FUZZ_DIR)/gen/profile.pb-c.o $(FUZZ_DIR)/gen/viewer.o $(SERVER_PROTOS:%=$(FUZZ_DIR)/gen/%.pb-c.o)
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PROGRAMS := $(addprefix $(FUZZ_DIR)/,$(FUZZ_NAMES))

$(FUZZ_DIR)/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,$(FUZZ_SAN) -c -o $@ $<

$(FUZZ_DIR)/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,$(FUZZ_SAN) -MMD -MP -c -o $@ $<

# An archive, so that each program takes only what it uses.
$(FUZZ_DIR)/rooms.a: $(FUZZ_OBJECTS)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(FUZZ_PROGRAMS): $(FUZZ_DIR)/%: $(FUZZ_DIR)/tests/fuzz/%.o $(FUZZ_DIR)/rooms.a
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $^ $(foreach r,$(FUZZ_ROOMS),$(LIBS_$(r))) -lm

.PHONY: fuzz fuzz-build fuzz-run $(addprefix run-,$(FUZZ_NAMES))
fuzz: packages-fuzz
	@$(MAKE) --no-print-directory -j2 fuzz-run
fuzz-build: $(FUZZ_PROGRAMS)
fuzz-run: $(addprefix run-,$(FUZZ_NAMES))

# What is linked is too large to be committed.
FUZZ_CODE := $(FUZZ_DIR)/seeds/code
FUZZ_CODE_LINK := -nostdlib -Wl,--build-id=none,-z,noseparate-code,-z,norelro,--unresolved-symbols=ignore-all
$(FUZZ_CODE)/%: tests/unit/profile/fixture/code_other.c tests/unit/profile/fixture/exported.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 $(FUZZ_FLAGS_$*) -DROUNDS=3 $(FUZZ_CODE_LINK) -e other_first -o $@ $^
FUZZ_FLAGS_shared := -fPIC -shared
FUZZ_FLAGS_moving := -fPIE -pie
FUZZ_FLAGS_fixed := -fno-pie -no-pie
FUZZ_FLAGS_packed := -fPIE -pie -Wl,-z,pack-relative-relocs
run-fuzz_code: $(addprefix $(FUZZ_CODE)/,shared moving fixed packed)

# The golden reports.
FUZZ_REPORT := $(FUZZ_DIR)/seeds/report
$(FUZZ_REPORT)/%.json: testdata/report/json/%.json
	@mkdir -p $(@D)
	@cp $< $@
run-fuzz_report: $(patsubst testdata/report/json/%,$(FUZZ_REPORT)/%,$(wildcard testdata/report/json/*.json))

fuzz_seeds = $(if $(filter code report,$(1)),$(FUZZ_DIR)/seeds/$(1),tests/fuzz/seeds/$(1))
$(addprefix run-,$(FUZZ_NAMES)): run-%: $(FUZZ_DIR)/%
	@sh tests/fuzz/run.sh $< $(call fuzz_seeds,$(patsubst fuzz_%,%,$*)) $(FUZZ_SECONDS)
