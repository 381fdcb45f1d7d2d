# SPDX-License-Identifier: Apache-2.0
# What test_man.sh holds against the commands and the configuration.
TEST_PROGRAMS += $(MAN_PAGES) $(BUILD)/tests/cli/config_keys
$(BUILD)/tests/cli/config_keys: $(BUILD)/tests/cli/config_keys.o $(call link_room,bench)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,bench)
