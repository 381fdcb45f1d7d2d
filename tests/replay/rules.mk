# SPDX-License-Identifier: Apache-2.0
# mutate breaks recordings on purpose, plant makes situations of them; see their heads.
REPLAY_TOOLS := $(BUILD)/tests/replay/mutate $(BUILD)/tests/replay/plant
TEST_PROGRAMS += $(REPLAY_TOOLS)
$(REPLAY_TOOLS): %: %.o $(BUILD)/tests/replay/rewrite.o $(call link_room,check)
	$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,check)
