#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of programs that the work probe must refuse, and must not. Harnesses only as far as they were fetched
# before: `make test-work` does that.
HARNESSES=${HARNESSES:-kept} exec bash "$(dirname "$0")/run.sh"
