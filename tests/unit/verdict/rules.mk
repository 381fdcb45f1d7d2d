# SPDX-License-Identifier: Apache-2.0
# The simulation is shared by the verdict's tests of whole gates and by its benches.
VERDICT_SIM := $(BUILD)/tests/unit/verdict/sim.o $(BUILD)/tests/unit/verdict/sim_rng.o
VERDICT_DRAW := $(BUILD)/tests/bench/verdict/situations.o $(BUILD)/tests/bench/verdict/draw.o

$(call unit_tests,verdict,contexts pilot rates screen_rates simulation): $(VERDICT_SIM)
$(foreach t,$(UNIT_verdict),$(if $(findstring /test_rules,$(t)),$(t))): $(VERDICT_SIM)
$(call unit_tests,verdict,simulation): $(VERDICT_DRAW)
$(call unit_tests,verdict,screen_rates): $(BUILD)/tests/unit/verdict/sim_reference.o

$(BUILD)/tests/bench/bench_screen: $(BUILD)/tests/unit/verdict/sim_reference.o
$(BUILD)/tests/bench/bench_screen: %: %.o $(VERDICT_SIM) $(call link_room,verdict)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,verdict) -lm
