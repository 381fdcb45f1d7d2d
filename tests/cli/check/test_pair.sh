#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pairs in slices: said in the report, kept in the recordings; whole runs where they cannot be, with the reason;
# and nothing stays behind, whoever is killed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../loop_lib.sh"
without_valgrind

# sliced [LINE...]: the configuration, in turns of 10 ms, or $turns
sliced() {
	SLICES=${turns:-10ms} config "policy:" "  pairs: {min: 16, max: 32}" "  margin: {sliced: 20%, points: 5%}" "$@"
}
# heavy [FUNCTION FACTOR]: enough work for seven turns of 10 ms; the least is five
heavy() { milliseconds=70 workload "$@"; }
change() { sed -i "s|puts(\"done[^\"]*\")|puts(\"done $1\")|" main.c; commit "change $1"; }
recording=flamegate-report/recordings/bench/head/recording.json

# ---- turns
# Of the length that they have where the configuration does not speak of them.
repo turns; milliseconds=140 workload; turns=20ms sliced; commit first; git checkout -qb topic; change one
run "$flamegate" check --base main
expect "two versions in turns: nothing is slower" 0 "stage 1, 16 pairs"
check "the report says so" grep -q "at the same time, in turns of 20 ms" flamegate-report/report.md
check "and that the layout was not varied" grep -q "code layout was not varied" flamegate-report/report.md
check "and its JSON" grep -q '"slices": *"20 ms"' flamegate-report/report.json
check "and the recording" grep -q '"slice_ns": *20000000' $recording
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o replayed
check "a replay gives the same report" cmp "$work/live.json" replayed/report.json
milliseconds=140 workload 9 4; sed -i /slices/d .flamegate.yml; commit slower
run "$flamegate" check --base main
expect "a slower function fails and is named" 1 "step9"
check "in turns of 20 ms also where the configuration does not speak of them" \
	grep -q "at the same time, in turns of 20 ms" flamegate-report/report.md

# ---- layouts: of two benchmarks, so that the second one finds the builds as the first one did
repo layouts; heavy
sliced "relink:" "  - 'echo {seed}-\$FLAMEGATE_SEED >>$work/seeds'" "  - make -s relink" "  - readelf -n bench >>$work/ids"
sed -i 's|^benchmarks:|&\n  - name: again\n    command: ./bench\n    work: fixed\n    repeat: 1\n    budget: 1s\n    slices: 10ms|' .flamegate.yml
cat >>Makefile <<'M'
relink: main.c
	printf '.skip 64 * %d\n.section .note.GNU-stack,""\n' $(FLAMEGATE_SEED) >pad.s
	$(CC) -O1 -g -Wl,--build-id -o bench pad.s main.c
M
commit first; git checkout -qb topic; change one
run "$flamegate" check --base main
expect "with relink, too, nothing is slower" 0 "stage 1, 16 pairs"
{ echo 0; for _ in bench again; do seq 0 7; seq 0 7; echo 0; done; } | sed 's/.*/&-&\n&-&/' >"$work/wanted"
check "each pair has its own seed, the same in both versions, and the last link is as the first" cmp "$work/wanted" "$work/seeds"
check "each seed made another program of each version" test "$(grep "Build ID" "$work/ids" | sort -u | wc -l)" = 16
check "the report says so" grep -q "linked in 8 layouts" flamegate-report/report.md
sed -i 's/--build-id/--build-id=none/' Makefile; commit "no build id"
run "$flamegate" check --base main
expect "what is linked needs a build id" 3 "link it with -Wl,--build-id"
expect "and base was linked back to what was built" 3 " is built already"

# ---- no turns
repo short; heavy; sliced; sed -i 's/10ms/500ms/' .flamegate.yml; commit first; git checkout -qb topic; change one
run "$flamegate" check --base main
check "a short benchmark: whole runs, because it is short" \
	grep -q "whole runs, because one run takes only" flamegate-report/report.md
check "whole runs are recorded as such" grep -q '"slice_ns": *0,' $recording

repo jealous; heavy; sliced
sed -i "s|command: ./bench|command: flock -n $work/lock ./bench|" .flamegate.yml; commit first; git checkout -qb topic; change one
run "$flamegate" check --base main
expect "versions that cannot live at the same time are measured all the same" 0 "whole runs, because in turns of 10 ms"
check "and the report says why" grep -q "whole runs, because in turns of 10 ms: .* exited with status 1" flamegate-report/report.md

# ---- turns that end in the midst of it: the pairs of stage 1 went well, those of stage 2 cannot live at the same time
repo later; heavy; sliced "  detect: 0.01%"
sed -i "s|command: ./bench|command: echo >>$work/runs; if test \$(wc -l <$work/runs) -gt 44; then exec flock -n $work/lock ./bench; fi; exec ./bench|" .flamegate.yml
commit first; git checkout -qb topic; heavy 9 6; commit slower
run "$flamegate" check --base main
expect "when turns fail in stage 2 all begins anew with whole runs" 1 "whole runs, because in turns of 10 ms"
check "and what was planned for the turns is not said" \
	test "$(grep -o 'detect (0.01 %) is out of reach' flamegate-report/report.json | wc -l)" = 1

# ---- nothing stays behind
# left: processes of the benchmark, and keepers, that belong to this test
left() {
	local folder
	for process in /proc/[0-9]*; do
		# Only root sees where a flamegate is, but anybody how it was started.
		folder=$(readlink "$process/cwd" 2>/dev/null) || folder=$(tr '\0' '\n' 2>/dev/null <"$process/cmdline")
		case $folder in "$work"/*) ;; *) continue ;; esac
		case $(cat "$process/comm" 2>/dev/null) in bench | flamegate*) echo "${process#/proc/}" ;; esac
	done
}
gone() { for _ in $(seq 1 200); do [ -z "$(left)" ] && return 0; sleep 0.05; done; left; return 1; }
ln -s "$flamegate" "$work/flamegate"
# start: a check in the background until its benchmark runs in pairs; its pid in $pid. They never end by themselves.
start() {
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$work/flamegate" check --base main >"$work/out" 2>&1 </dev/null &
	pid=$!
	for _ in $(seq 1 400); do [ "$(left | wc -l)" -ge 5 ] && break; sleep 0.05; done
}
keepers() { for process in $(left); do grep -q "^flamegate-keep" "/proc/$process/comm" 2>/dev/null && echo "$process"; done; }

cd "$work/turns" || exit 1; git checkout -q topic; change two
# Only who takes turns has a page of control.
mkdir "$work/endless" && cp "$(command -v sleep)" "$work/endless/bench"
sed -i "s#command: ./bench#command: test -z \"\$FLAMEGATE_CONTROL\" || exec $work/endless/bench 10000; exec ./bench#" .flamegate.yml; commit endless
start; kill -INT $pid; wait $pid; status=$?
expect "interrupted: exit 3" 3 "interrupted"
check "and nothing stays behind" gone
start; kill -KILL $pid; wait $pid 2>/dev/null
check "killed: nothing stays behind" gone
start; keeper=$(keepers | head -n 1)
check "there is a keeper" test -n "$keeper"
[ -z "$keeper" ] || kill -KILL "$keeper" 2>/dev/null; wait $pid; status=$?
if [ $status -le 1 ] || [ $status -eq 3 ]; then ok "a killed keeper does not break the check"; else not_ok "a killed keeper does not break the check (exit $status)"; fi
check "and leaves nothing behind" gone
finish
