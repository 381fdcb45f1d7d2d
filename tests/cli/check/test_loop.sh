#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The loop on a bare remote: day one without a baseline, day two recorded, day three a pull request and a
# second push on it, day hundred far from the last record, and a default branch that was rewritten.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../loop_lib.sh"
without_valgrind

# change N: one more line in main(), so that both versions do not execute the same files
change() { sed -i "s|puts(\"done[^\"]*\")|puts(\"done $1\")|" main.c; git add -A; git commit -qm "change $1"; }
on_main() { git checkout -q main && git reset -q --hard origin/main; }

# ---- day one: nothing is stored
repo day; workload; short_policy; commit first; remote day
run "$flamegate" baseline list
expect "day one: the store is empty, and that is fine" 0 "git notes of origin" "no baselines"
git checkout -qb first-topic; change one
as_ci "$flamegate" check
expect "day one: without a baseline the pairs decide" 0 "stage 1"
if grep -qi "warning.*baseline" "$work/out"; then not_ok "day one: no warning about baselines"; else ok "day one: no warning about baselines"; fi

# ---- day two: the default branch records
on_main
run "$flamegate" record
expect "day two: record measures the commit" 0 "recording" "Report: flamegate-record/report.html"
check "the recording opens as pprof and has a fingerprint" \
	grep -q '"compiler"' flamegate-record/recordings/bench/head/recording.json
run "$flamegate" baseline push
expect "and push keeps it" 0 "1 baseline of $(git rev-parse --short=12 HEAD) pushed"
check "on the remote, as a note" git --git-dir="$work/day.git" rev-parse -q --verify refs/notes/flamegate
if git rev-parse -q --verify refs/notes/flamegate >/dev/null; then not_ok "the user's repository gets no ref"; else ok "the user's repository gets no ref"; fi
git fetch -q origin refs/notes/flamegate:refs/notes/flamegate
check "plain git notes shows it" git notes --ref flamegate show HEAD
git update-ref -d refs/notes/flamegate
run "$flamegate" baseline push
expect "pushing the same twice is harmless" 0
run "$flamegate" baseline list --json
expect "list tells what is there" 0 '"benchmark":"bench"' '"profile_type":"cpu"' '"rounds":16'
run "$flamegate" baseline show HEAD
expect "show tells the hottest function" 0 "step12" "16 runs"
run "$flamegate" baseline verify
expect "verify reads it" 0 "1 baseline read, 0 bad"
notes_before=$(git --git-dir="$work/day.git" rev-parse refs/notes/flamegate)
git --git-dir="$work/day.git" notes --ref=flamegate append -m "a word of another tool" "$(git rev-parse HEAD)"
run "$flamegate" baseline verify
expect "what it cannot read it counts and names" 3 "1 baseline read, 0 bad; 1 other record could not be read" \
	"$(git rev-parse --short=12 HEAD) was not read: it is not flamegate's" "1 of 2 records"
git --git-dir="$work/day.git" update-ref refs/notes/flamegate "$notes_before"
rm -rf "$work/day-clone"; git clone -q "$work/day.git" "$work/day-clone" && cd "$work/day-clone" || exit 1
run "$flamegate" baseline pull HEAD -o pulled
expect "a fresh clone pulls it" 0 "pulled/bench-"
pulled=$(sed -n 's/^\(pulled\/.*\)$/\1/p' "$work/out" | head -n 1)
run "$flamegate" compare "$pulled" "$work/day/flamegate-record/recordings/bench/head"
expect "what comes back is what was pushed: the screen finds nothing" 0 "tored baseline"

# ---- day three: a pull request from the next commit, and a second push on it
cd "$work/day" || exit 1
git checkout -qb topic; change two
as_ci "$flamegate" check
expect "day three: the stored baseline of the base is looked at" 0 "stored baseline of $(git rev-parse --short=10 main), the base itself"
check "and it is in the report" grep -q '"references"' flamegate-report/report.json
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o replayed
check "a replay gives the same report" cmp "$work/live.json" replayed/report.json
change three
as_ci "$flamegate" check
expect "a second push on the pull request: the same baseline" 0 "the base itself"

# ---- a regression: stored: warn beside the pairs, and stored: fail where the base does not build
on_main; sed -i 's|return 0;|return 0 +;|' main.c; short_policy '  stored: fail'; commit "broken"; git push -q origin main
git checkout -qb mended; workload 9 6; commit "mended, and slower"
as_ci "$flamegate" check
expect "the base cannot be rebuilt: against the stored baseline the slower function fails" 1 "step9" "1 commit before the base"
run "$flamegate" check --replay flamegate-report/recordings -o replayed
expect "and the replay says the same" 1 "step9"
git checkout -q main; git checkout -qb mended-well; workload; commit "mended"
as_ci "$flamegate" check
expect "nothing slower: the stored baseline does not make it a pass, but a warning" 0 "WARN"

# ---- screen: fast
git push -q origin +mended-well:main; git fetch -q origin; on_main
milliseconds=90; workload # to clear takes more samples
short_policy '  screen: fast'; commit fast; git push -q origin main; git fetch -q origin
run "$flamegate" record; run "$flamegate" baseline push
git checkout -qb fast-topic; change four
as_ci "$flamegate" check
expect "screen: fast passes what the stored baseline clears, without pairs" 0 "head alone"
if grep -q "pairs of runs" "$work/out"; then not_ok "no pairs were run"; else ok "no pairs were run"; fi
git checkout -q main; git checkout -qb fast-slow; workload 10 3; commit "slower"
as_ci "$flamegate" check
expect "what it flags is proven by pairs" 1 "pairs of runs" "step10"

# ---- day hundred: 40 commits without a record
on_main; short_policy; commit "no screen"
for n in $(seq 39); do git commit -q --allow-empty -m "day $n"; done
git push -q origin main; git fetch -q origin
git checkout -qb late; change five
as_ci "$flamegate" check
expect "a base 40 commits after the last record: the distance is told" 0 "40 commits before the base"

# ---- a rewritten default branch: what was recorded for other commits does not count
git checkout -q --orphan rewritten; workload; short_policy; commit "history begins anew"
git push -q origin +rewritten:main; git fetch -q origin
git checkout -qb after-rewrite; change six
run "$flamegate" record; run "$flamegate" baseline push
as_ci "$flamegate" check
expect "after a rewrite no baseline of the old history is used, and none of a descendant" 0 "stage 1"
if grep -q "stored baseline of" "$work/out"; then not_ok "and none is claimed"; else ok "and none is claimed"; fi

# ---- a merge queue: the base is the entry before, the policy is the target branch's
git fetch -q origin; on_main; git checkout -qb entry1; change q1; entry1=$(git rev-parse HEAD)
git checkout -qb entry2; change q2
queue() { printf '%s' "$1" >"$work/event.json"; CI=true GITHUB_EVENT_NAME=merge_group GITHUB_EVENT_PATH=$work/event.json run "$flamegate" check --no-baseline; }
queue "{\"merge_group\": {\"base_ref\": \"refs/heads/main\", \"base_sha\": \"$entry1\"}}"
expect "in a merge queue the base is the entry before" 0 "base ${entry1:0:10} (origin/main)" "policy origin/main:.flamegate.yml"
queue '{"merge_group": {"base_ref": "refs/heads/main", "base_sha": "--upload-pack=touch x"}}'
expect "an event that names no commit is refused" 3 "merge_group.base_sha"
queue '{"merge_group": {"base_ref": "refs/heads/main", "base_sha": "1111111111111111111111111111111111111111"}}'
expect "a base that is not here: says fetch-depth" 3 "fetch-depth"

# ---- who may push
CI=true GITHUB_EVENT_NAME=pull_request run "$flamegate" baseline push
expect "a pull request's run may not push" 2 "default branch"
CI=true GITHUB_EVENT_NAME=pull_request_target run "$flamegate" baseline prune
expect "nor prune" 2 "default branch"
run "$flamegate" baseline push flamegate-report
expect "a check's recordings are no baseline" 2 "flamegate record"
run "$flamegate" baseline
expect "baseline alone lists its verbs" 2 "baseline push" "baseline verify"

# ---- pruned
run "$flamegate" baseline prune --keep 1
expect "prune keeps the newest in full" 0 "kept in full" "as summaries"
run "$flamegate" baseline verify
expect "and what is left can be read" 0 "0 bad"

# ---- stores that cannot be reached cost nothing but a line
git checkout -q after-rewrite; git remote set-url origin "$work/gone.git"
as_ci "$flamegate" check
expect "a store that is gone: said, and the pairs decide" 0 "stage 1" "aseline"

finish
