#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The oracle of `make bench-stories` itself: test_oracle.py.
exec python3 -B "$(dirname "$0")/test_oracle.py"
