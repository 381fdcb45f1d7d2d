#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The actions in workflows, under act: the default branch records, pull requests are compared with it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../cli/loop_lib.sh"
# shellcheck source=tests/actions/act_lib.sh
. "$(dirname "$0")/act_lib.sh"
need_act
product
# The events; LIST: fields for the workflow's inputs
pull() { printf '%s' '{"pull_request": {"number": 7, "base": {"ref": "main"}, "head": {"ref": "topic"}},
 "repository": {"private": true}, "for_test": {'"$1"'}}'; }
push() { printf '%s' '{"ref": "refs/heads/main", "repository": {"private": true}, "for_test": {'"$1"'}}'; }
gate=tests/actions/workflows/gate.yml record=tests/actions/workflows/record.yml
here='"directory": "'$work'/day"'

repo day; workload; config; commit first; remote day
main=$(git rev-parse HEAD)

# ---- the default branch records; flamegate is built from the action's own checkout
workflow "$record" push "$(push "$here")"
expect "the default branch records" 0 "of ${main:0:12} pushed"
check "the note is on the remote" git --git-dir="$work/day.git" notes --ref flamegate show "$main"
check "its outputs say so" has_output status recorded
check "and its status" has_output exit-status 0
check "report and recordings are uploaded" uploaded recordings/bench/head/recording.json
check "flamegate is kept in the cache" grep -q '^save flamegate-source-[0-9a-f-]*$' "$work/caches.log"
check "and so is what was built" grep -q '^save flamegate-builds-' "$work/caches.log"
check "the summary shows what was recorded" summary_says "recorded 1 benchmark"
check "the token is not in the log" silent_about s3cret
saved=$(find "$work/caches" -type f | wc -l)

# ---- a pull request with a planted regression
git checkout -qb slow; workload 9 6; commit "slower"
rm -rf "$work/builds"
workflow "$gate" pull_request "$(pull "$here")"
expect "a pull request with a regression fails" 1 "step9" "stored baseline of ${main:0:10}"
check "the annotation names the line" \
	says "::error file=main.c,line=[0-9]*,title=flamegate::.*step9"
check "the summary tells it, too" summary_says step9
check "outputs: a regression" has_output status regression
check "outputs: 1" has_output exit-status 1
check "the report is uploaded" uploaded report.html
check "with the recordings" uploaded recordings/bench/base/recording.json
check "flamegate came from the cache" grep -q '^restore flamegate-source-[0-9a-f-]*: flamegate-source-' "$work/caches.log"
check "the base that the default branch built came from the cache" \
	grep -q '^restore flamegate-builds-.*: flamegate-builds-' "$work/caches.log"
check "and was not built again" silent_about "building base"
check "a pull request's run writes no cache" [ "$(find "$work/caches" -type f | wc -l)" = "$saved" ]

# ---- a pull request that changes no cost
git checkout -q main; git checkout -qb comment; echo '/* nothing */' >>main.c; commit "a comment"
workflow tests/actions/workflows/root.yml pull_request "$(pull "")"
expect "a pull request that changes no cost passes, by the action in the root" 0 "bench"
check "outputs: pass" has_output status pass
check "its summary says so" summary_says PASS
check "and nothing is annotated" silent_about "::error"

# ---- the merge queue: the entry before is the base
git checkout -q slow; git checkout -qb entry; sed -i 's|"done"|"done 2"|' main.c; commit "another entry"
workflow "$gate" merge_group "{\"merge_group\": {\"base_ref\": \"refs/heads/main\", \"base_sha\": \"$(git rev-parse slow)\"}}"
expect "in the merge queue the base is the entry before" 0 "base $(git rev-parse --short=10 slow) (origin/main)"
check "outputs: pass in the queue" has_output status pass

# ---- the examples, as they are
git checkout -q comment
workflow actions/examples/gate.yml pull_request "$(pull "")"
expect "the gate's example runs" 0 "sudo sysctl -q -w kernel.perf_event_paranoid=1" "status=pass"
check "and uploads the report" [ -s "$(find "$uploads" -name report.html)" ]
git checkout -q main; echo '/* more */' >>main.c; commit "second"; git push -q origin main
workflow actions/examples/record.yml push "$(push "")"
expect "the record's example runs" 0 "of $(git rev-parse --short=12 HEAD) pushed" "status=recorded"
check "by a job of its own" says '^\[flamegate record/publish *\].*of .* pushed'
check "its note is on the remote" git --git-dir="$work/day.git" notes --ref flamegate show "$(git rev-parse HEAD)"
git checkout -q slow

# ---- what is no regression does not look like one
workflow "$gate" pull_request "$(pull '"args": "--no-such-option"')"
expect "a usage error fails, too" 1 "unknown option --no-such-option" "::error title=flamegate::flamegate ended with status 2"
check "outputs: usage" has_output status usage
check "outputs: 2" has_output exit-status 2
check "outputs: no report" has_output report ""
check "the summary says that there is no report" summary_says "No report: it ended with status 2 (usage)"
workflow "$record" pull_request "$(pull "")"
expect "a pull request's run may not record a baseline" 1 "not by a pull_request"
check "and nothing was measured for it" silent_about "building"

finish
