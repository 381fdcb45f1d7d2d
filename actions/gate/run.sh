#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gate action's check. Succeeds whatever the verdict is, so that the report is uploaded; the action's
# last step fails with the status that this one outputs.
# shellcheck source=actions/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

enter "${FG_WORKING_DIRECTORY:-.}"
report_in "${FG_OUTPUT:-flamegate-report}"
# Options of the user's own first: what has an input is said by the input.
add_lines '' "$FG_ARGS"
add_option base "$FG_BASE"
add_option store "$FG_STORE"
add_lines --benchmark= "$FG_BENCHMARKS"
add_option report-url "${FG_REPORT_URL:-}"
add_option output "$folder"
flamegate_with "${FG_TOKEN:-}" check "${options[@]}"
write_outcome pass
