# SPDX-License-Identifier: Apache-2.0
# The library that these preload into what they run; the tests find it by their own place.
$(addprefix $(BUILD)/tests/unit/bench/test_,block probe call_breakpoints): | $(LIBRARIES)
