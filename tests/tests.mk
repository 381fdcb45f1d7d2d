# SPDX-License-Identifier: Apache-2.0
# The test targets; each folder of tests brings its own rules.

-include tests/unit/*/rules.mk tests/sampler/rules.mk tests/real/rules.mk tests/replay/rules.mk tests/fuzz/rules.mk tests/bench/rules.mk tests/baseline/rules.mk tests/servers/rules.mk tests/cli/rules.mk tests/browser/rules.mk tests/actions/rules.mk tests/distros/rules.mk tests/fixed_work/rules.mk tests/clock/rules.mk

# A sanitizer's build cannot be preloaded into other programs: there only the unit tests run.
SCRIPTS := $(sort $(wildcard tests/sampler/test_*.sh tests/real/test_*.sh tests/aarch64/test_*.sh tests/cli/test_*.sh tests/cli/check/test_*.sh tests/replay/test_*.sh \
	tests/baseline/test_*.sh tests/servers/test_pyroscope.sh tests/browser/test_*.sh tests/e2e/test_*.sh tests/distros/test_*.sh tests/fixed_work/test_*.sh tests/bench/stories/test_*.sh tests/bench/suites/test_*.sh tests/dist/test_*.sh tests/clock/test_*.sh))
SCRIPTS += $(sort $(wildcard tests/verdict/test_*.sh tests/docs/test_*.sh))

# What measures live, runs real programs for long, a browser or an emulator; the longest first, so that two of them at a
# time end together. `make test` is the rest.
LONG := $(addsuffix .sh,cli/check/test_pair cli/check/test_counted cli/check/test_calls cli/check/test_harness clock/test_replayed real/test_real cli/check/test_loop fixed_work/test_work aarch64/test_aarch64 \
	sampler/test_stress browser/test_controls real/test_go browser/test_looks baseline/test_notes_race sampler/test_harmless sampler/test_truths cli/check/test_work \
	cli/test_doctor dist/test_dist dist/test_aarch64 cli/check/test_stopped cli/check/test_kinds browser/test_goldens cli/check/test_first_days baseline/test_notes_prune \
	browser/test_profiles cli/test_production browser/test_memory replay/test_situations cli/test_self_test \
	browser/test_export cli/check/test_secrets replay/test_replay cli/check/test_new e2e/test_live cli/check/test_again cli/check/test_killed \
	browser/test_links sampler/test_instructions cli/check/test_valgrind browser/test_viewer)
LONG_SCRIPTS := $(addprefix tests/,$(LONG))
# Of the rest these take longest, and begin first.
LONGEST := $(addprefix tests/,sampler/test_sampler.sh replay/test_claims.sh)
export FLAMEGATE_BUILD := $(abspath $(BUILD))
JOBS ?= 3
# What measures live leaves its twin a processor.
LONG_JOBS ?= 2

PACKAGE_TASKS := packages-build packages-test packages-fuzz packages-dist packages-format packages-man packages-schemas packages-browser packages-gallery packages-real packages-bench packages-arm packages-demo-lua packages-bench-real packages-bench-report packages-bench-stories packages-compilers packages-distros packages-work packages-suites
.PHONY: $(PACKAGE_TASKS)
$(PACKAGE_TASKS): packages-%:
	@sh actions/packages.sh $*

.PHONY: test test-long test-unit test-run test-long-run test-unit-run check-fast-run
# Packages first, then a second make: pkg-config and the compiler are looked up only once they exist.
test: packages-test
	@$(MAKE) -s --no-print-directory -j2 $(if $(SAN),test-unit-run,test-run)
test-long: packages-test
	$(if $(SAN),$(error a sanitizer's build cannot be preloaded: make test SAN=$(SAN)))
	@$(MAKE) -s --no-print-directory -j2 test-long-run
test-unit: packages-test
	@$(MAKE) -s --no-print-directory -j2 test-unit-run

# All that the tests run, and none of them.
.PHONY: compiled
compiled: all unit $(TEST_PROGRAMS)
test-run: compiled
	@perl tests/run.pl --jobs $(JOBS) $(LONGEST) $(UNIT_TESTS) $(filter-out $(LONGEST) $(LONG_SCRIPTS),$(SCRIPTS))
test-long-run: all $(TEST_PROGRAMS)
	@perl tests/run.pl --jobs $(LONG_JOBS) $(LONG_SCRIPTS)
test-unit-run: unit
	@perl tests/run.pl --jobs $(JOBS) $(UNIT_TESTS)

# What a change is tried with first, in less than a minute: all unit tests but those that need the clock, simulate many
# gates, or start many processes.
SLOW_UNIT_TESTS = $(call unit_tests,bench,pair run probe call_breakpoints calibration sampling_cost switching_cost identical instructions) \
	$(call unit_tests,sampler,timer_perf timer_weights lock) $(call unit_tests,verdict,rates screen_rates paired pilot rules_improve simulation) \
	$(call unit_tests,vcs,repo_snapshot repo_deepen repo_worktree notes_ref notes_ref_hostile repo git_silence) \
	$(call unit_tests,baseline,notes pyroscope_rules) $(call unit_tests,net,http_faults http_refusals) \
	$(call unit_tests,base,process process_interrupt) $(call unit_tests,profile,symbolize_child)
.PHONY: check-fast
check-fast: packages-test
	@$(MAKE) -s --no-print-directory -j2 check-fast-run
check-fast-run: unit
	@perl tests/run.pl --jobs $(JOBS) $(filter-out $(SLOW_UNIT_TESTS),$(UNIT_TESTS))

# Where threads of ours meet: the reader's watch of opened files, its HTTP, captures, and the sampler's tables.
# Tests with signal handlers or memory caps of their own do not stand ThreadSanitizer.
THREAD_TESTS = $(call unit_tests,bench,identical) $(call unit_tests,baseline,http_pprof) \
	$(call unit_tests,profile,capture_read capture_marks) $(call unit_tests,sampler,heap_table unwind_memo)
.PHONY: test-threads test-threads-run threads
threads: $(THREAD_TESTS)
test-threads: packages-test
	@$(MAKE) -s --no-print-directory -j2 SAN=thread test-threads-run
test-threads-run: threads
	@perl tests/run.pl --jobs $(JOBS) $(THREAD_TESTS)

.PHONY: check-layers format check-format
check-layers:
	@perl tests/check-layers.pl --headers
# But what patches apply to.
FORMAT_FILES = $(shell git ls-files '*.c' '*.h' | grep -vE '^(testdata/demo|tests/bench/stories/programs)/')
format:
	clang-format -i $(FORMAT_FILES)
check-format: packages-format
	@clang-format --dry-run --Werror $(FORMAT_FILES) && echo "format: fine"

.PHONY: demo
demo: packages-build
	@$(MAKE) --no-print-directory -j2 all
	@bash tests/demo.sh $(abspath $(BUILD))/flamegate $(abspath $(BUILD))/demo

# Lua 5.3.6 against 5.4.7, beside callgrind's counts; takes some minutes, and goes on where it stopped.
.PHONY: demo-lua
demo-lua: packages-demo-lua
	@$(MAKE) --no-print-directory -j2 all
	@bash tests/demo/lua.sh $(abspath $(BUILD))/flamegate $(abspath $(BUILD))/demo-lua
