# SPDX-License-Identifier: Apache-2.0
# The library that these preload into what they run; the tests find it by their own place.
$(call unit_tests,bench,run probe call_breakpoints): | $(LIBRARIES)
