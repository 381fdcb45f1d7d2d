# SPDX-License-Identifier: Apache-2.0
# Unmodified benchmark suites from package registries. README.md says what is tried.
#
#   make bench-suites [SUITES="snappy itoa"] [SHORT=yes] [CASES="plain planted"] [UNDER="taskset -c 1"]    hours; resumes
#   make bench-suites CASES=beside [EXPERIMENTS=20] [SUITES=snappy]    what others would have said; an hour, resumes
.PHONY: bench-suites
bench-suites: packages-suites
	@$(MAKE) --no-print-directory -j2 all FLAMEGATE_COMMIT=bench
	@FLAMEGATE=$(abspath $(BUILD))/flamegate PREFIX="$(if $(UNDER),$(UNDER),nice)" SHORT=$(if $(SHORT),$(SHORT),no) \
		$(if $(CASES),CASES="$(CASES)") bash tests/bench/suites/run.sh $(SUITES)
