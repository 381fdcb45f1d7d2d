#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The publish action: puts what the record action has uploaded into the store, and prunes that. No code of the project
# runs here; what was uploaded is data, which flamegate reads as hostile.
# shellcheck source=actions/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"

main() {
	local pushed
	no_pull_request published
	enter "${FG_WORKING_DIRECTORY:-.}"
	[ -d "$FG_RECORDINGS/recordings" ] || fail 3 "there are no recordings: did the record action upload the artifact '$FG_ARTIFACT'?"
	add_option store "$FG_STORE"
	flamegate_with FG_TOKEN baseline push "${options[@]}" "--commit=$FG_COMMIT" "$FG_RECORDINGS"
	pushed=$status
	output exit-status "$pushed"
	[ "$pushed" -eq 0 ] || fail "$pushed" "the recordings were not pushed (status $pushed): see the step's log"
	[ "$FG_PRUNE" = true ] || return 0
	# A store that stays larger than it must be loses nothing.
	flamegate_with FG_TOKEN baseline prune --if-needed "${options[@]}"
	[ "$status" -eq 0 ] || annotate warning "the store was not pruned (status $status): see the step's log"
	status=0
}
main "$@"; exit "$status"
