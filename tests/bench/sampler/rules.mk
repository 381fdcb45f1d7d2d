# SPDX-License-Identifier: Apache-2.0
# The sampler beside other profilers: tests/bench/sampler/bench.sh says what is measured and how.
#
#   make bench-sampler       25 minutes; resumes where it stopped       LINES="malloc lock" only these
BENCH_SAMPLER_PROGRAMS := $(addprefix $(BUILD)/tests/bench/sampler/,gaps pairs startup)
.PHONY: bench-sampler bench-sampler-run
bench-sampler: packages-bench
	@$(MAKE) --no-print-directory bench-sampler-run
bench-sampler-run: $(BENCH_SAMPLER_PROGRAMS) $(BUILD)/tests/bench/bench_unwind sampler-test-files
	@bash tests/bench/sampler/bench.sh $(abspath $(BUILD)) $(LINES)

# As releases are built, without frame pointers; at fixed addresses, so that a profile's are the program's.
$(BENCH_SAMPLER_PROGRAMS): $(BUILD)/tests/bench/sampler/%: tests/bench/sampler/%.c tests/bench/sampler/deep.h \
		gate/sampler/capture/capture.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -I. -O2 -g -fomit-frame-pointer -no-pie -Wall -Wextra -Wshadow -Wconversion \
		$(FATAL) -o $@ $< -lpthread
