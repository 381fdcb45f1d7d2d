# SPDX-License-Identifier: Apache-2.0
# Servers on loopback. Real ones are built with Go, which takes minutes the first time (build.sh);
# without Go their tests say so and are skipped.
SERVER_PROGRAMS := $(addprefix $(BUILD)/tests/servers/,pull_profile roundtrip parca_guard)
# Pyroscope's runs in `make test`: the server is ours, in python3.
SERVER_SCRIPTS := $(filter-out %/test_pyroscope.sh,$(sort $(wildcard tests/servers/test_*.sh)))
TEST_PROGRAMS += $(SERVER_PROGRAMS)
$(SERVER_PROGRAMS): $(BUILD)/tests/servers/%: $(BUILD)/tests/servers/%.o $(call link_room,baseline)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(call libs_room,baseline) -lpthread -lm
$(BUILD)/tests/servers/roundtrip: $(BUILD)/tests/servers/roundtrip_compare.o

.PHONY: test-servers test-servers-run
test-servers: packages-test
	@$(MAKE) --no-print-directory -j2 test-servers-run
# Before the tests, whose time is limited. Where it cannot be built they say so.
.PHONY: server-programs
server-programs:
	@command -v go >/dev/null || exit 0; sh tests/servers/build.sh parca && sh tests/servers/build.sh pprofdemo || echo "not to be had"
test-servers-run: all $(SERVER_PROGRAMS) server-programs
	@perl tests/run.pl --jobs $(JOBS) $(SERVER_SCRIPTS)
