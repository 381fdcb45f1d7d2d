# SPDX-License-Identifier: Apache-2.0
# The library that test_block preloads into what it runs; the test finds it by its own place.
$(BUILD)/tests/unit/bench/test_block: | $(BUILD)/libflamegate.so
