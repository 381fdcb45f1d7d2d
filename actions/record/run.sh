#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The record action's measurement. It runs the project's code, and is given no token; the publish action has one, and
# runs none.
# shellcheck source=actions/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"

# As the runner starts it; begins again, in the folder.
begin() {
	no_pull_request recorded
	enter "${FG_WORKING_DIRECTORY:-.}"
	warn_of_tokens
	! credentials_on_disk ||
		fail 2 "the checkout has left its credentials on the disk, where the project's code could take them: set persist-credentials: false (the publish action pushes, in a job of its own)"
	hide_environment
}

main() {
	[ -n "${FG_ENVIRONMENT:-}" ] || begin
	report_in flamegate-record
	add_lines '' "$FG_ARGS"
	add_lines --benchmark= "$FG_BENCHMARKS"
	add_option output "$folder"
	flamegate_with '' record "${options[@]}"
	sweep
	write_outcome recorded
}
main "$@"; exit "$status"
