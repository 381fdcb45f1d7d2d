# SPDX-License-Identifier: Apache-2.0
# The actions: their scripts alone, and whole workflows under act, which Go builds the first time (build.sh); and
# what other tools make of our reports, by their own schemas (schemas.sh).
ACTION_SCRIPTS := $(sort $(wildcard tests/actions/test_*.sh))
.PHONY: test-actions test-actions-run
test-actions: packages-test packages-schemas
	@$(MAKE) --no-print-directory -j2 test-actions-run
# One after the other: they measure, and would disturb each other.
test-actions-run: all $(BUILD)/tests/browser/make_reports
	@perl tests/run.pl --jobs 1 $(ACTION_SCRIPTS)

# From the first step to the first pair of runs: with a release, and built from source.
.PHONY: bench-first-minute bench-first-minute-run
bench-first-minute: packages-test packages-dist
	@$(MAKE) --no-print-directory -j2 bench-first-minute-run
bench-first-minute-run: all
	@TIMES=$(abspath $(BUILD))/first-minute bash tests/actions/first_minute.sh && cat $(BUILD)/first-minute
