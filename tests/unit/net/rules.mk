# SPDX-License-Identifier: Apache-2.0
# The tests of HTTP share a scripted server.
$(filter $(BUILD)/tests/unit/net/test_http%,$(UNIT_net)) $(BUILD)/tests/unit/net/test_http: \
	$(BUILD)/tests/unit/net/http_scene.o
