#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who may let a regression pass: entries of the configuration and trailers of commits, at a desk and in CI. Nothing is
# measured here, the versions differ in comments alone; what an acceptance does is in tests/replay and tests/unit/check.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"

start() { repo "$1"; program 60; config "${@:2}"; commit base; git checkout -qb topic; }
# accepts: what the measurements have of them
accepts() { python3 -c 'import json; print([(a["benchmark"], a["function"], a["reason"], a["problem"]) for a in json.load(open("flamegate-report/recordings/check.json"))["accept"]])'; }
with_trailer() { echo "/* $1 */" >>main.c; git add -A; git commit -qm "change

Flamegate-Accept: $1"; }

start trailer "policy:" "  accept_by: [config, trailer]"
with_trailer "bench/hot the new checks are worth it"
run "$flamegate" check --base main
expect "a trailer is read, and reported where nothing needs it" 0 "bench/hot (Flamegate-Accept of commit $(git rev-parse --short=10 HEAD)) was not needed"
accepts >"$work/said"
check "it stands in the measurements" grep -qF "('bench', 'hot', 'the new checks are worth it', '')" "$work/said"
cp -r flamegate-report "$work/first"
run "$flamegate" check --replay flamegate-report/recordings -o again
check "a replay says the same" cmp "$work/first/report.json" again/report.json
with_trailer "benchmark=bench function=hot file=main.c by keys"
with_trailer "bench metric=max_rss caches are larger"
run "$flamegate" check --base main
expect "a trailer may name a file, or a metric" 0 "bench/hot@main.c (Flamegate-Accept" "bench, max_rss (Flamegate-Accept"
cp flamegate-report/report.json "$work/first.json"
run "$flamegate" check --replay flamegate-report/recordings -o again
check "and a replay knows them" cmp "$work/first.json" again/report.json
with_trailer "benchmark=bench functoin=hot because"
run "$flamegate" check --base main
expect "a misspelt key is no error" 0
check "and accepts nothing" grep -qF "does not count: it has a key that is not" flamegate-report/report.json
with_trailer "bench"
run "$flamegate" check --base main
expect "a trailer without a reason does not count" 0 "does not count: it gives no"
with_trailer "nosuch/f because"
run "$flamegate" check --base main
expect "nor one of a benchmark that does not exist" 0 "the acceptance of nosuch/f" "does not count: no benchmark"
with_trailer '::error::x</script> because'
run "$flamegate" check --base main
expect "hostile text is only text" 0 "error::x</script>"
if grep -q '^::error::x' "$work/out" || grep -q 'x</script> because' flamegate-report/report.html; then not_ok "and stays so in the reports"; else ok "and stays so in the reports"; fi

start default
with_trailer "bench because"
run "$flamegate" check --base main
expect "without accept_by trailers do not count" 0 "policy.accept_by does not allow trailers"
GIT_COMMITTER_EMAIL=config git commit -q --amend --no-edit
run "$flamegate" check --base main
expect "nor by a committer who calls himself as what may accept" 0 "policy.accept_by does not allow trailers"

start entries "policy:" "  accept_by: [trailer]" "accept:" "  - {benchmark: bench, reason: mine, until: 2099-01-01}"
echo "/* more */" >>main.c; commit more
run "$flamegate" check --base main
expect "nor entries of the configuration where trailers alone do" 0 "policy.accept_by does not allow entries of the configuration"

start address "policy:" "  accept_by: [Lead@Example.invalid]"
with_trailer "bench because"
run "$flamegate" check --base main
expect "somebody else's trailer does not count" 0 "policy.accept_by does not name its committer, t@example.invalid"
GIT_COMMITTER_EMAIL=lead@example.invalid git commit -q --amend --no-edit
run "$flamegate" check --base main
expect "a named committer's does" 0 "was not needed"

# ---- in CI: the target branch's file alone
start ci
printf 'accept:\n  - {benchmark: bench, reason: mine, until: 2099-01-01}\n' >>.flamegate.yml
sed -i 's/^accept:/policy:\n  accept_by: [config, trailer]\naccept:/' .flamegate.yml
with_trailer "bench because"
run env CI=true GITHUB_ACTIONS=true "$flamegate" check --base main
expect "a pull request cannot allow itself" 0 "accept changed" "policy.accept_by changed" "policy.accept_by does not allow trailers"
accepts >"$work/out"
if grep -q mine "$work/out"; then not_ok "its own entry does not count"; else ok "its own entry does not count"; fi
git checkout -q main; git merge -q topic; git checkout -qb next; echo "/* more */" >>main.c; commit more
run env CI=true GITHUB_ACTIONS=true "$flamegate" check --base main
expect "after the merge it does" 0 "the acceptance of bench (main:.flamegate.yml:13) was not needed"

repo first; program 60; commit base; git checkout -qb topic
config "policy:" "  accept_by: [config, trailer]" "accept:" "  - {benchmark: bench, reason: mine, until: 2099-01-01}"
with_trailer "bench because"
run env CI=true GITHUB_ACTIONS=true "$flamegate" check --base main
expect "nor where the target branch has no configuration yet" 0 "policy.accept_by does not allow trailers"
accepts >"$work/said"
if grep -q mine "$work/said"; then not_ok "and its entries do not count either"; else ok "and its entries do not count either"; fi

finish
