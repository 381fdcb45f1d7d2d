#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The gate action's check. Ends with flamegate's exit status, which no later step can change.
# shellcheck source=actions/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"

# As the runner starts it; begins again, in the folder.
begin() {
	enter "${FG_WORKING_DIRECTORY:-.}"
	warn_of_tokens
	! credentials_on_disk ||
		annotate warning "the checkout has left its credentials on the disk, where the change's code can read them: set persist-credentials: false"
	hide_environment
}

main() {
	[ -n "${FG_ENVIRONMENT:-}" ] || begin
	report_in "${FG_OUTPUT:-flamegate-report}"
	# Options of the user's own first: what has an input is said by the input.
	add_lines '' "$FG_ARGS"
	add_option base "$FG_BASE"
	add_option store "$FG_STORE"
	add_lines --benchmark= "$FG_BENCHMARKS"
	add_option report-url "${FG_REPORT_URL:-}"
	add_option output "$folder"
	flamegate_with FG_TOKEN check "${options[@]}"
	sweep
	write_outcome pass
}
main "$@"; exit "$status"
