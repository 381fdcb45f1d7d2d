#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The record action's two halves: the project's code runs in the first, the token is with the second.
#
#   run.sh record    measures; succeeds in any case, outputs the status
#   run.sh push      puts what was recorded into the store, and prunes that
# shellcheck source=actions/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# flamegate refuses the push, too; but not before the project has been measured for minutes.
refuse_pull_request() {
	case ${GITHUB_EVENT_NAME:-} in
	pull_request*) fail 2 "baselines are pushed by the default branch's own runs, not by a $GITHUB_EVENT_NAME: use the gate action there, or push: false" ;;
	esac
}

record() {
	[ "$FG_PUSH" != true ] || refuse_pull_request
	report_in flamegate-record
	add_lines '' "$FG_ARGS"
	add_lines --benchmark= "$FG_BENCHMARKS"
	add_option output "$folder"
	flamegate_with '' record "${options[@]}"
	write_outcome recorded
}

push() {
	local pushed
	refuse_pull_request
	add_option store "$FG_STORE"
	flamegate_with "${FG_TOKEN:-}" baseline push "${options[@]}" flamegate-record
	pushed=$status
	output exit-status "$pushed"
	[ "$pushed" -eq 0 ] || fail "$pushed" "the recordings were not pushed (status $pushed): see the step's log"
	[ "$FG_PRUNE" = true ] || return 0
	# A store that stays larger than it must be loses nothing.
	flamegate_with "${FG_TOKEN:-}" baseline prune --if-needed "${options[@]}"
	[ "$status" -eq 0 ] || annotate warning "the store was not pruned (status $status): see the step's log"
}

enter "${FG_WORKING_DIRECTORY:-.}"
case ${1:-} in
record) record ;;
push) push ;;
*) fail 2 "run.sh: record or push" ;;
esac
