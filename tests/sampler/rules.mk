# SPDX-License-Identifier: Apache-2.0
# The sampler's end-to-end test: programs under the preload, their captures read back.
# `make $(SAMPLER_TEST_FILES)` builds what tests/sampler/test_sampler.sh needs; run it as
# `FLAMEGATE_BUILD=build sh tests/sampler/test_sampler.sh`. The library and the targets never have a sanitizer.
SAMPLER_TEST_DIR := $(BUILD)/tests/sampler
SAMPLER_TEST_FILES := $(LIBRARIES) $(SAMPLER_TEST_DIR)/target \
	$(SAMPLER_TEST_DIR)/dump_capture $(SAMPLER_TEST_DIR)/control_tool \
	$(SAMPLER_TEST_DIR)/plugin_one.so $(SAMPLER_TEST_DIR)/plugin_two.so

$(SAMPLER_TEST_DIR)/target: tests/sampler/programs/target.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(FATAL) -o $@ $< -lpthread

# Segments that do not lie one behind the other, of a program that may lie anywhere and of one that may not.
APART := $(SAMPLER_TEST_DIR)/target_apart $(SAMPLER_TEST_DIR)/target_fixed
$(SAMPLER_TEST_DIR)/target_apart: APART_FLAGS := -fPIE -pie
$(SAMPLER_TEST_DIR)/target_fixed: APART_FLAGS := -fno-pie -no-pie
$(APART): tests/sampler/programs/target.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(FATAL) $(APART_FLAGS) -Wl,--build-id \
		-Wl,-z,max-page-size=2097152 -o $@ $< -lpthread
SAMPLER_TEST_FILES += $(APART)

$(SAMPLER_TEST_DIR)/plugin_one.so: PLUGIN_FACTOR := 3
$(SAMPLER_TEST_DIR)/plugin_two.so: PLUGIN_FACTOR := 5
$(SAMPLER_TEST_DIR)/plugin_%.so: tests/sampler/programs/plugin.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -fPIC -shared -Wl,--build-id -DPLUGIN_NAME=plugin_$* \
		-DPLUGIN_FACTOR=$(PLUGIN_FACTOR) -Wall -Wextra $(FATAL) -o $@ $<

$(SAMPLER_TEST_DIR)/control_tool: tests/sampler/control_tool.c gate/sampler/control.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -I. -O2 -g -Wall -Wextra $(FATAL) -o $@ $<

$(SAMPLER_TEST_DIR)/dump_capture: $(SAMPLER_TEST_DIR)/dump_capture.o $(call link_room,profile)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,profile)

# Much at once: test_stress.sh; the long form takes an hour and more.
$(SAMPLER_TEST_DIR)/stress: tests/sampler/programs/stress.c gate/sampler/capture/capture.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -I. -O2 -g -Wall -Wextra -Wshadow -Wconversion $(FATAL) -o $@ $< -lpthread
SAMPLER_TEST_FILES += $(SAMPLER_TEST_DIR)/stress
.PHONY: stress
stress: sampler-test-files
	@STRESS=long sh tests/sampler/test_stress.sh

# Profiles that are known beforehand: test_truths.sh, and make bench-sampler at full size.
$(SAMPLER_TEST_DIR)/truths: tests/sampler/programs/truths.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(FATAL) -o $@ $< -lpthread
$(SAMPLER_TEST_DIR)/shares: $(SAMPLER_TEST_DIR)/shares.o $(call link_room,profile)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,profile) -lm
$(SAMPLER_TEST_DIR)/threads: tests/sampler/programs/threads.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(FATAL) -o $@ $< -lpthread
SAMPLER_TEST_FILES += $(SAMPLER_TEST_DIR)/truths $(SAMPLER_TEST_DIR)/shares $(SAMPLER_TEST_DIR)/threads

# Stacks that are hard to walk: test_unwind_live.sh. The same, optimised further; with branch tracking.
UNWIND_SOURCES := tests/sampler/unwind/unwind_build.sh $(wildcard tests/sampler/unwind/*.[ch] tests/sampler/unwind/*.cc)
UNWIND_TARGETS := $(addprefix $(SAMPLER_TEST_DIR)/,unwind/unwind_target unwind_lto/unwind_target \
	$(if $(filter x86_64,$(shell uname -m)),unwind_cet/unwind_target))
$(SAMPLER_TEST_DIR)/unwind_lto/%: UNWIND_FLAGS := -O3 -flto -fomit-frame-pointer
$(SAMPLER_TEST_DIR)/unwind_cet/%: UNWIND_FLAGS := -fcf-protection -Wl,-z,ibtplt
$(UNWIND_TARGETS): $(UNWIND_SOURCES)
	$(call say,LD)
	$(Q)sh tests/sampler/unwind/unwind_build.sh $(@D) gcc g++ $(UNWIND_FLAGS)
SAMPLER_TEST_FILES += $(UNWIND_TARGETS)

# Heaps that are known beforehand: test_heap.sh.
$(SAMPLER_TEST_DIR)/heap_target: tests/sampler/programs/heap_target.c gate/sampler/raw.h gate/sampler/flamegate.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -I. -O2 -g -Wall -Wextra -Wshadow -Wconversion $(FATAL) -o $@ $< -lpthread
$(SAMPLER_TEST_DIR)/heap_own: tests/sampler/programs/heap_own.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -fno-builtin -Wall -Wextra -Wshadow -Wconversion $(FATAL) -o $@ $<
$(SAMPLER_TEST_DIR)/heap_cxx: tests/sampler/programs/heap_cxx.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O2 -g -Wall -Wextra $(FATAL) -o $@ $<
$(SAMPLER_TEST_DIR)/heap_plugin_static.so: HEAP_PLUGIN := -static-libstdc++ -static-libgcc
$(SAMPLER_TEST_DIR)/heap_plugin.so $(SAMPLER_TEST_DIR)/heap_plugin_static.so: tests/sampler/programs/heap_cxx.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O2 -g -fPIC -shared -DPLUGIN $(HEAP_PLUGIN) -Wall -Wextra $(FATAL) -o $@ $<
SAMPLER_TEST_FILES += $(addprefix $(SAMPLER_TEST_DIR)/,heap_target heap_own heap_cxx heap_plugin.so heap_plugin_static.so)

# What programs say by flamegate.h: test_regions.sh compiles the other region_*.c itself.
$(SAMPLER_TEST_DIR)/region_target: tests/sampler/programs/region_target.c gate/sampler/flamegate.h gate/sampler/raw.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -I. -O2 -g -Wall -Wextra -Wshadow -Wconversion $(FATAL) -o $@ $< -lpthread
SAMPLER_TEST_FILES += $(SAMPLER_TEST_DIR)/region_target

# Waits that are counted, in each type of lock: test_waits.sh. Sleepers: test_off_cpu.sh.
WAIT_PROGRAMS := $(addprefix $(SAMPLER_TEST_DIR)/,waits waits_types waits_crowd sleepers_plain sleepers_fast sleepers_framed)
$(SAMPLER_TEST_DIR)/waits: tests/sampler/programs/waits.c tests/sampler/programs/waits_scenes.c tests/sampler/programs/waits_scenes.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(FATAL) -o $@ $(filter %.c,$^) -lpthread
$(SAMPLER_TEST_DIR)/waits_%: tests/sampler/programs/waits_%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -Wall -Wextra $(FATAL) -o $@ $< -lpthread
$(SAMPLER_TEST_DIR)/sleepers_%: tests/sampler/programs/sleepers.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE $(WAIT_FLAGS) -g -Wall -Wextra $(FATAL) -o $@ $< -lpthread
$(SAMPLER_TEST_DIR)/sleepers_plain: WAIT_FLAGS := -O0
$(SAMPLER_TEST_DIR)/sleepers_fast: WAIT_FLAGS := -O2 -fomit-frame-pointer
$(SAMPLER_TEST_DIR)/sleepers_framed: WAIT_FLAGS := -O2 -fno-omit-frame-pointer
SAMPLER_TEST_FILES += $(WAIT_PROGRAMS)

# Instructions by valgrind: test_instructions.sh.
$(SAMPLER_TEST_DIR)/instructions_target: tests/sampler/programs/instructions_target.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -O1 -g -Wall -Wextra $(FATAL) -o $@ $< -lpthread
$(SAMPLER_TEST_DIR)/count_instructions: $(SAMPLER_TEST_DIR)/count_instructions.o $(call link_room,bench)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,bench)
SAMPLER_TEST_FILES += $(SAMPLER_TEST_DIR)/instructions_target $(SAMPLER_TEST_DIR)/count_instructions

# Programs that would notice a careless profiler: test_harmless.sh.
HARMLESS := $(wildcard tests/sampler/harmless/*.c)
$(SAMPLER_TEST_DIR)/harmless_asan: HARMLESS_FLAGS := -fsanitize=address
$(SAMPLER_TEST_DIR)/harmless $(SAMPLER_TEST_DIR)/harmless_asan: $(HARMLESS) tests/sampler/harmless/harmless.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -I. -O2 -g -Wall -Wextra $(FATAL) $(HARMLESS_FLAGS) -o $@ $(HARMLESS) -lpthread
SAMPLER_TEST_FILES += $(SAMPLER_TEST_DIR)/harmless $(SAMPLER_TEST_DIR)/harmless_asan

# A loader, but no library: as Go's programs are without cgo.
ifeq ($(shell uname -m),x86_64)
$(SAMPLER_TEST_DIR)/own_runtime: tests/sampler/programs/own_runtime.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O2 -g -Wall -Wextra -Werror -nostdlib -fPIE -pie -fno-stack-protector \
		-Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2 -o $@ $<
SAMPLER_TEST_FILES += $(SAMPLER_TEST_DIR)/own_runtime
endif

TEST_PROGRAMS += $(SAMPLER_TEST_FILES)

.PHONY: sampler-test-files
sampler-test-files: $(SAMPLER_TEST_FILES)
