#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a check looks at, and how often: check --base TAG (the base is the release itself, not a merge base), and re-runs.
# Nothing is measured here: the versions differ in comments alone.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"

# base_is REVISION: the report's base is that commit
base_is() { [ "$(python3 -c 'import json; print(json.load(open("flamegate-report/report.json"))["base"]["id"])')" = "$(git rev-parse "$1^{commit}")" ]; }
comment() { echo "/* $1 */" >>main.c; commit "$1"; }

repo drift; program 60; config; commit fork
git checkout -qb release; comment released; git tag -a -m release v1
git checkout -q main; comment one; comment two

run "$flamegate" check --base v1
expect "against a tag: passes, and is said to be drift" 0 "drift: head is compared with v1 itself, which it does not descend from"
base_is v1 && ok "the base is the tag's commit" || not_ok "the base is the tag's commit"
check "the Markdown says so" grep -q "drift: head is compared with v1" flamegate-report/report.md
run "$flamegate" report --from flamegate-report/report.json --format html -o again.html
check "and the HTML" grep -q "drift: head is compared with v1" again.html
rm again.html
run "$flamegate" check --base release
expect "against a branch: its merge base, and no drift" 0 "same files"
base_is main~2 && ok "the base is the merge base" || not_ok "the base is the merge base"
if grep -q "drift:" "$work/out"; then not_ok "nobody speaks of drift"; else ok "nobody speaks of drift"; fi
run "$flamegate" check --base main~2
expect "against a commit before: how far it is" 0 "drift: head is compared with main~2 itself, 2 commits before it"
run "$flamegate" check --base main~1
expect "against the commit before: passes" 0 "same files"
if grep -q "drift:" "$work/out"; then not_ok "one commit is no drift"; else ok "one commit is no drift"; fi
echo "/* not committed */" >>main.c
run "$flamegate" check --base main~2
expect "uncommitted changes are no commit" 0 "drift: head is compared with main~2 itself, 2 commits before it"
git checkout -q main.c

# ---- in CI the policy is the target branch's, not the release's
git checkout -q release; sed -i 's/name: bench/name: older/' .flamegate.yml; commit "an older name"; git tag v0
git checkout -q main; git checkout -qb topic
run env CI=true GITHUB_ACTIONS=true "$flamegate" check --base v0 --head topic
expect "the target branch's configuration counts" 0 "main:.flamegate.yml" "bench"

# ---- a run that is started again is a further attempt
run env CI=true GITHUB_ACTIONS=true GITHUB_RUN_ATTEMPT=3 "$flamegate" check --base main
expect "a re-run in CI is said to be a further attempt" 0 "attempt 3 at the same change"
run env CI=true GITHUB_ACTIONS=true GITHUB_RUN_ATTEMPT=1 "$flamegate" check --base main
if grep -q "at the same change" "$work/out"; then not_ok "a first run is none"; else ok "a first run is none"; fi
run env GITHUB_RUN_ATTEMPT=x CI=true GITHUB_ACTIONS=true "$flamegate" check --base main --attempt 2
expect "who runs another CI says it by --attempt" 0 "attempt 2 at the same change"
run "$flamegate" check --replay flamegate-report/recordings --attempt 2
expect "a replay is no further attempt" 2 "--replay"

finish
