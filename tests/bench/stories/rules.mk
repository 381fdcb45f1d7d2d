# SPDX-License-Identifier: Apache-2.0
# Is what a report says true of the program? README.md says how that is found out.
#
#   make bench-stories [ROWS="call-added zlib"] [ORACLE_ONLY=yes] [UNDER="taskset -c 1"]    an hour; resumes at every row
.PHONY: bench-stories
bench-stories: packages-bench-stories
	@$(MAKE) --no-print-directory -j2 all FLAMEGATE_COMMIT=bench
	@FLAMEGATE=$(abspath $(BUILD))/flamegate PREFIX="$(if $(UNDER),$(UNDER),nice)" \
		bash tests/bench/stories/run.sh $(if $(ORACLE_ONLY),--oracle-only) $(ROWS)
