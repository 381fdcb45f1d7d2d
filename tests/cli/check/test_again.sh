#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A command whose last run ended halfway, and folders that are not the default ones.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"

two() { config "  - name: second" "    command: ./bench" "    work: fixed" "    repeat: 1" "    budget: 1s" "policy:" "  pairs: {min: 16, max: 32}"; }
# A busy machine may leave too little to decide on: not what is tested here.
any_verdict() { [ "$status" = 3 ] && grep -q "^Report: " "$work/out" && status=0; }
# until_said TEXT: the background command has said so
until_said() { for _ in $(seq 300); do grep -qF -- "$1" "$work/log" && return; sleep 0.1; done; }

# ---- killed after its first benchmark was measured
repo killed; program 20; two; commit first; git checkout -qb topic
sed -i 's/puts("done")/puts("more")/' main.c; commit more
"$flamegate" check --base main >"$work/log" 2>&1 </dev/null &
pid=$!
until_said "second: stage 1"
kill -KILL $pid; wait $pid 2>/dev/null
check "a killed check leaves recordings" test -e flamegate-report/recordings/bench/head/recording.json
run "$flamegate" check --base main; any_verdict
expect "and the next one takes their place" 0 "second: stage 1"
git status --porcelain >"$work/out"
if [ -s "$work/out" ]; then not_ok "nothing of it is the user's"; else ok "nothing of it is the user's"; fi

# ---- two at once
: >"$work/log" # the shell behind & may empty it only after it was read
"$flamegate" check --base main >"$work/log" 2>&1 </dev/null &
pid=$!
until_said "stage 1"
run "$flamegate" record -o flamegate-report
expect "two do not write into one folder" 2 "another flamegate" "flamegate-report"
wait $pid; status=$?
cp "$work/log" "$work/out"; any_verdict
expect "the first is not disturbed" 0 "flamegate-report/report.html"

# ---- a folder that is not ours
mkdir -p mine/recordings; echo precious >mine/recordings/notes; printf '*.o\n' >mine/recordings/.gitignore
run "$flamegate" check --base main -o mine
expect "what others keep in a folder is not deleted" 2 "mine/recordings"
check "it is still there" grep -q precious mine/recordings/notes
rm -r mine

# ---- replay and run keep to their folders too
mkdir "$work/elsewhere"; ln -s "$work/elsewhere" replayed; ln -s "$work/elsewhere" flamegate-run
run "$flamegate" check --replay flamegate-report/recordings -o replayed
expect "replay: a link in the place of its folder is not followed" 2 "replayed"
run "$flamegate" run -- ./bench
expect "run: neither is one in the place of its profile" 2 "flamegate-run"
if [ -n "$(ls -A "$work/elsewhere")" ]; then not_ok "nothing was written elsewhere"; else ok "nothing was written elsewhere"; fi
rm replayed flamegate-run
run "$flamegate" check --replay flamegate-report/recordings -o replayed; any_verdict
expect "replay writes into its folder" 0 "replayed/report.html"
make -s bench; run "$flamegate" run -- ./bench
expect "run writes into its folder" 0 "flamegate-run"
# Files of the repository are named as a check names them; those of another place by where they are.
check "its files are named by their paths in the repository" grep -q '`main.c:[0-9]*`' flamegate-run/report.md
check "and by no other" sh -c "! grep -q '$PWD' flamegate-run/report.json"
mkdir deeper && cd deeper && run "$flamegate" run -- ../bench
cd .. || exit 1
expect "run works in a folder of it" 0
check "with the same names" grep -q '`main.c:[0-9]*`' deeper/flamegate-run/report.md
rm -r deeper
cp main.c Makefile "$work/elsewhere" && (cd "$work/elsewhere" && make -s bench && "$flamegate" run -- ./bench) >"$work/out" 2>&1
check "outside of a repository files have their whole paths" grep -q "$work/elsewhere/main.c" "$work/elsewhere/flamegate-run/report.json"
git status --porcelain >"$work/out"
if [ -s "$work/out" ]; then not_ok "neither folder is a change of the user's"; else ok "neither folder is a change of the user's"; fi

finish
