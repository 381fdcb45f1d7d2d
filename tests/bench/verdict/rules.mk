# SPDX-License-Identifier: Apache-2.0
#   make bench-verdict [DIVISOR=10]   simulated gates, decided by the shipped code, beside the specification's table
.PHONY: bench-verdict
BENCH_VERDICT := $(BUILD)/tests/bench/verdict/bench_verdict
bench-verdict: $(BENCH_VERDICT)
	@bash tests/bench/verdict/run.sh $(abspath $<) $(abspath $(BUILD))/bench-verdict $(DIVISOR)

$(BENCH_VERDICT): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/verdict/*.c)) $(VERDICT_SIM) \
		$(call link_room,verdict)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,verdict) -lm
