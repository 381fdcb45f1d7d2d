# SPDX-License-Identifier: Apache-2.0
# Which benchmarks the work probe refuses: more than 30 programs, the harnesses fetched from their registries.
#
#   make test-work            all, counted     WORK="clock google" only these
#   make work-harnesses       fetches and builds the harnesses, for test_work.sh, which never does
.PHONY: test-work test-work-run work-harnesses
test-work: packages-work
	@$(MAKE) --no-print-directory test-work-run
test-work-run: all work-harnesses
	@bash tests/fixed_work/run.sh $(WORK)
work-harnesses: packages-work
	@folder=$$(mktemp -d) && (cd "$$folder" && sh $(CURDIR)/tests/fixed_work/harnesses.sh); rm -rf "$$folder"
