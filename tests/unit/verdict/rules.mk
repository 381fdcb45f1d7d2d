# SPDX-License-Identifier: Apache-2.0
# The simulation is shared by the verdict's tests of whole gates and by its benches.
VERDICT_SIM := $(BUILD)/tests/unit/verdict/sim.o $(BUILD)/tests/unit/verdict/sim_rng.o
VERDICT_DRAW := $(BUILD)/tests/bench/verdict/situations.o $(BUILD)/tests/bench/verdict/draw.o

$(addprefix $(BUILD)/tests/unit/verdict/test_,contexts plan rates screen_rates simulation): $(VERDICT_SIM)
$(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/verdict/test_rules*.c)): $(VERDICT_SIM)
$(BUILD)/tests/unit/verdict/test_simulation: $(VERDICT_DRAW)
$(BUILD)/tests/unit/verdict/test_screen_rates: $(BUILD)/tests/unit/verdict/sim_stored.o

$(BUILD)/tests/bench/bench_screen: $(BUILD)/tests/unit/verdict/sim_stored.o
$(BUILD)/tests/bench/bench_screen: %: %.o $(VERDICT_SIM) $(call link_room,verdict)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,verdict) -lm
