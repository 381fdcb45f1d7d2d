# SPDX-License-Identifier: Apache-2.0
# The interposers are no part of the other unit tests: they would take the names for themselves.
UNIT_SAMPLER_WAITS := interpose_wait interpose_wait_sleep interpose_wait_ipc interpose_wait_socket \
	interpose_wait_transfer
$(call unit_tests,sampler,interpose_wait interpose_transfer): \
	$(UNIT_SAMPLER_WAITS:%=$(BUILD)/gate/sampler/interpose/%.o)
