# SPDX-License-Identifier: Apache-2.0
# Programs under a recorded clock: test_clock.sh.
CLOCK_TEST_DIR := $(BUILD)/tests/clock
CLOCK_TEST_FILES := $(LIBRARIES) $(CLOCK_TEST_DIR)/clock_run
$(CLOCK_TEST_DIR)/clock_run: $(CLOCK_TEST_DIR)/clock_run.o $(call link_room,bench)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,bench) -lpthread -lm
TEST_PROGRAMS += $(CLOCK_TEST_FILES)
