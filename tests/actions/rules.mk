# SPDX-License-Identifier: Apache-2.0
# The actions: their scripts alone, and whole workflows under act, which Go builds the first time (build.sh).
ACTION_SCRIPTS := $(sort $(wildcard tests/actions/test_*.sh))
.PHONY: test-actions test-actions-run
test-actions: packages-test
	@$(MAKE) --no-print-directory -j2 test-actions-run
# One after the other: they measure, and would disturb each other.
test-actions-run: all
	@perl tests/run.pl --jobs 1 $(ACTION_SCRIPTS)
