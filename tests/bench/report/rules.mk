# SPDX-License-Identifier: Apache-2.0
# Large reports, rendered and opened in a headless browser, beside others: tests/bench/report/run.sh.
.PHONY: bench-report bench-report-run
BENCH_REPORT := $(BUILD)/tests/bench/report/bench_report
bench-report: packages-bench-report
	@$(MAKE) --no-print-directory -j2 bench-report-run
bench-report-run: $(BENCH_REPORT)
	@bash tests/bench/report/run.sh $(abspath $<) $(abspath $(BUILD))/bench-report

$(BENCH_REPORT): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/report/*.c)) $(call link_room,report)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,report) -lm
