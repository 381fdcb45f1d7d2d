# SPDX-License-Identifier: Apache-2.0
# Real servers on loopback. They are built with Go, which takes minutes the first time (build.sh).
SERVER_PROGRAMS := $(addprefix $(BUILD)/tests/servers/,pull_profile roundtrip parca_guard)
SERVER_SCRIPTS := $(sort $(wildcard tests/servers/test_*.sh))
$(SERVER_PROGRAMS): $(BUILD)/tests/servers/%: $(BUILD)/tests/servers/%.o $(call link_room,baseline)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,baseline) -lpthread -lm
$(BUILD)/tests/servers/roundtrip: $(BUILD)/tests/servers/roundtrip_compare.o

.PHONY: test-servers test-servers-run
test-servers: packages-test
	@$(MAKE) --no-print-directory -j2 test-servers-run
# run.pl takes it for a failure when nothing ran; without Go that is as it must be.
test-servers-run: $(SERVER_PROGRAMS)
	@if command -v go >/dev/null; then perl tests/run.pl --jobs $(JOBS) $(SERVER_SCRIPTS); else \
		echo "Go is not installed: nothing was tested against real servers"; \
		echo "0 passed, 0 failed, $(words $(SERVER_SCRIPTS)) skipped"; fi
