# SPDX-License-Identifier: Apache-2.0
# push_records uses a store from scripts; see its head.
TEST_PROGRAMS += $(BUILD)/tests/baseline/push_records
$(BUILD)/tests/baseline/push_records: $(BUILD)/tests/baseline/push_records.o $(call link_room,baseline)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,baseline)
