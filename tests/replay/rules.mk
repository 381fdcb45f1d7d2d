# SPDX-License-Identifier: Apache-2.0
# mutate breaks recordings on purpose; see its head.
TEST_PROGRAMS += $(BUILD)/tests/replay/mutate
$(BUILD)/tests/replay/mutate: $(BUILD)/tests/replay/mutate.o $(call link_room,bench)
	$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,bench)
