# SPDX-License-Identifier: Apache-2.0
# Live gates on real programs, judged offline: tests/bench/real/run.sh says how, and what chooses a part.
#
#   make bench-verdict-real [FOLDER= PROGRAMS= KINDS= NUMBER= SLICES= PREFIX=]    hours; resumes at every gate
BENCH_REAL_TOOLS := $(addprefix $(BUILD)/tests/bench/real/,judge resample burner)
TEST_PROGRAMS += $(BENCH_REAL_TOOLS)
.PHONY: bench-verdict-real bench-verdict-real-run
bench-verdict-real: packages-bench-real
	@$(MAKE) --no-print-directory -j2 bench-verdict-real-run FLAMEGATE_COMMIT=bench
bench-verdict-real-run: all $(BENCH_REAL_TOOLS)
	@FOLDER=$(if $(FOLDER),$(FOLDER),$(abspath $(BUILD))/bench-verdict-real) TOOLS=$(abspath $(BUILD))/tests/bench/real \
		FLAMEGATE=$(abspath $(BUILD))/flamegate bash tests/bench/real/run.sh $(STEP)

$(BUILD)/tests/bench/real/burner: $(BUILD)/tests/bench/real/burner.o
	$(Q)$(CC) $(SANFLAGS) -o $@ $^
$(BUILD)/tests/bench/real/judge $(BUILD)/tests/bench/real/resample: %: %.o $(BUILD)/tests/bench/real/rivals.o \
		$(BUILD)/tests/bench/real/pool.o $(call link_room,check)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,check)
