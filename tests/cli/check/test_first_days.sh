#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first days of a new user: everything that is missing, broken or unusual has its own message and
# the exit code of the design (0 pass, 1 regression, 2 usage or configuration, 3 could not measure).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"

# base_and_head COMMAND...: commits the base, runs the commands, commits head on a branch
start() { repo "$1"; program 60; config; commit base; git checkout -qb topic; }
change() { sed -i 's|puts("done")|puts("changed")|' main.c; commit change; }

mkdir "$work/plain" && cd "$work/plain" || exit 1
run "$flamegate" check
expect "outside a repository: usage" 2 "repository"

repo none; program 60; commit base
run "$flamegate" check --base main
expect "no configuration anywhere: says what to write" 2 ".flamegate.yml"

start badconfig
printf 'version: 1\nbuild: make -s\nbenchmark:\n  - name: x\n' >.flamegate.yml; commit broken
run "$flamegate" check --base main
expect "a wrong key: position and suggestion" 2 ".flamegate.yml:3:1:" "benchmarks"

start nowork
sed -i 's/work: fixed/work: some/' .flamegate.yml; commit broken
run "$flamegate" check --base main
expect "a word for its work that is none is refused" 2 ".flamegate.yml:" "'work' must be auto, fixed, replayed"

start unknownbase
run "$flamegate" check --base nosuchbranch
expect "an unknown base is a usage error" 2 "nosuchbranch"

start unknownbenchmark
run "$flamegate" check --base main --benchmark nosuch
expect "an unknown benchmark is a usage error" 2 "nosuch"

repo noconfigatbase; program 60; commit base; git checkout -qb topic; config; commit "add configuration"
run "$flamegate" check --base main
expect "no configuration at the base: new, and nothing to compare" 0 "New: ran in" "Nothing to compare yet"

start newbenchmark
printf '  - name: second\n    command: ./bench\n    work: fixed\n    repeat: 1\n    budget: 1s\n' >>.flamegate.yml; commit "second benchmark"
run "$flamegate" check --base main --benchmark second
expect "a benchmark new at head: run, and not compared" 0 "second: New: ran in"

start identical
sed -i 's|#include <stdio.h>|#include <stdio.h> /* input and output */|' main.c; commit comment
run "$flamegate" check --base main
expect "no stored baseline, a comment changed: built, found identical, passes unmeasured" 0 "same files"

repo basefails; program 60; config; echo 'this is not C' >>main.c; commit broken
git checkout -qb topic; sed -i '$d' main.c; commit mended
run "$flamegate" check --base main
expect "a base that does not build: a warning" 0 "base" "make -s"
cat >>.flamegate.yml <<'Y'
policy:
  on_base_failure: fail
Y
commit strict
run "$flamegate" check --base main
expect "the same under on_base_failure: fail" 3 "base" "make -s"

start headfails
echo 'this is not C' >>main.c; commit broken
run "$flamegate" check --base main
expect "head that does not build: could not measure" 3 "head" "make -s"

start shallow
change
git clone -q --depth 1 --branch topic "file://$work/shallow" "$work/clone" && cd "$work/clone" || exit 1
git clone -q --depth 1 --branch topic "file://$work/shallow" "$work/clone2"
run "$flamegate" check --base main
expect "a shallow clone fetches what is missing of its history" 0 "shallow clone" "fetched the missing history" "stage 1"
cd "$work/clone2" && git remote set-url origin "$work/nowhere" || exit 1
run "$flamegate" check --base main
expect "and says fetch-depth when it cannot" 3 "fetch-depth"

start exits
sed -i 's/return 0;/return 7;/' main.c; commit failing
run "$flamegate" check --base main
expect "a benchmark that exits non-zero: could not measure, its status shown" 3 "status 7"

start killed
sed -i 's/puts("done");/{ extern int raise(int); raise(9); }/' main.c; commit killing
run "$flamegate" check --base main
expect "a benchmark that is killed: could not measure, the signal shown" 3 "SIGKILL"

start static
sed -i 's/-O1 -g/-O1 -g -static/' Makefile; commit static
run "$flamegate" check --base main
expect "a static program is refused before it runs, with what to do" 3 "static"

repo staticboth; program 60; config; sed -i 's/-O1 -g/-O1 -g -static/' Makefile; commit base; git checkout -qb topic; change
run "$flamegate" check --base main
expect "a program that was static before is refused as well: the gate must not pass unmeasured" 3 "static"

repo exitsboth; program 60; config; sed -i 's/return 0;/return 7;/' main.c; commit base; git checkout -qb topic; change
run "$flamegate" check --base main
expect "a benchmark that fails in both versions: could not measure" 3 "status 7"

repo exitsbase; program 60; config; sed -i 's/return 0;/return 7;/' main.c; commit base
git checkout -qb topic; sed -i 's/return 7;/return 0;/' main.c; commit mended
run "$flamegate" check --base main
expect "a benchmark that fails in the base alone: a warning" 0 "base does not run" "status 7"

start hides
sed -i 's|command: ./bench|command: env -i ./bench|' .flamegate.yml; commit hides
git checkout -q main; git checkout -q topic -- .flamegate.yml; commit hides; git checkout -q topic; change
run "$flamegate" check --base main
expect "a command that hides its program from the sampler is found out before it is measured" 3 "LD_PRELOAD"

# A process's start, before the sampler is there, is a third of such a run.
repo brief; program 3; config; commit base; git checkout -qb topic; change
run "$flamegate" check --base main
# Where others have the processors a start takes several times as long.
for again in 1 2; do
	[ "$status" -eq 3 ] && awk -v cpus="$(nproc)" '{ exit !($1 > cpus) }' /proc/loadavg || break
	echo "# tried again: others have the processors ($again)"
	run "$flamegate" check --base main
done
expect "runs of 3 ms can be measured" 0 "bench"

start hidesonce
sed -i "s#command: ./bench#command: sh -c 'if mkdir once 2>/dev/null || mkdir twice 2>/dev/null || mkdir thrice 2>/dev/null; then env -i ./bench; fi; ./bench'#" .flamegate.yml; commit hides
git checkout -q main; git checkout -q topic -- .flamegate.yml; commit hides; git checkout -q topic; change
run "$flamegate" check --base main
expect "short runs that lack samples are run again, and it is said: a stolen CPU counts as CPU time" 0 "bench: one more run of " "samples account for only"

start stale
run "$flamegate" check --base main
expect "a first check passes" 0
echo 'nonsense: 1' >>.flamegate.yml
run "$flamegate" check --base main
expect "a second one fails" 2
if [ -e flamegate-report/report.json ]; then not_ok "no stale report is left"; else ok "no stale report is left"; fi

start precious
mkdir "$work/elsewhere" "$work/elsewhere/recordings"; echo x >"$work/elsewhere/recordings/file"
run "$flamegate" check --base main -o "$work/elsewhere"
expect "a folder that is not ours is not emptied" 2 "recordings"
ln -s "$work/elsewhere" flamegate-report
run "$flamegate" check --base main
expect "a symbolic link in place of the output folder is not followed" 2 "flamegate-report"
[ -e "$work/elsewhere/recordings/file" ] && ok "nothing was deleted there" || not_ok "nothing was deleted there"

cd "$work/identical" || exit 1
run "$flamegate" run --rate 1 -o "$work/run" -- true
expect "a program too short to be sampled: says so" 3 "sample"
run "$flamegate" run --mechanism posix -o "$work/run" -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
expect "the POSIX timer is named" 0 "POSIX CPU timer"
run "$flamegate" run --mechanism perff -o "$work/run" -- true
expect "an unknown mechanism is a usage error" 2 "perff"

start idle
cat >main.c <<'C'
#include <unistd.h>
int main(void) { usleep(50000); return 0; }
C
commit idle
git checkout -q main; git checkout -q topic -- main.c; commit idle; git checkout -q topic
sed -i 's/50000/60000/' main.c; commit idler
run "$flamegate" check --base main
expect "a program that uses no CPU time: an empty profile is no pass" 3

start timeout
sed -i 's/puts("done");/for (;;) ;/' main.c
sed -i 's/    work: fixed/    work: fixed\n    timeout: 1s/' .flamegate.yml; commit hangs
git checkout -q main; git checkout -q topic -- .flamegate.yml; commit limit; git checkout -q topic
run "$flamegate" check --base main
expect "a benchmark that hangs is ended by its time limit" 3 "time limit after"

start dirty
echo '/* not committed */' >>main.c
git update-index -q --refresh; cp .git/index "$work/index"
run "$flamegate" check --base main
expect "at a desk head is the working tree, and the report says so" 0 "head is the working tree" "same files" "uncommitted changes"
check "the user's index is as it was" cmp .git/index "$work/index"
[ -z "$(git for-each-ref | grep -v refs/heads/)" ] && ok "no ref is left behind" || not_ok "no ref is left behind"
sed -i 's|puts("done")|puts("changed")|' main.c; echo 'void added(void);' >added.h; sed -i '1i #include "added.h"' main.c
run "$flamegate" check --base main
expect "uncommitted and untracked files are measured" 0 "1 modified and 1 untracked" "stage 1"
run "$flamegate" check --base main --head HEAD
expect "--head HEAD asks for the commit" 0 "same files"
git commit -q --allow-empty -m commit
CI=true GITHUB_BASE_REF=main run "$flamegate" check --no-baseline
expect "in CI the commit counts" 0 "same files"
git status --porcelain >"$work/out"
if grep -q flamegate-report "$work/out"; then not_ok "our own folder is no change of the user's"; else ok "our own folder is no change of the user's"; fi

start gone
run "$flamegate" check --replay "$work/nowhere"
expect "a replay of nothing says so" 2 "check.json"

run "$flamegate" chekc
expect "an unknown command is a usage error" 2 "chekc"
run "$flamegate" check --bsae x
expect "an unknown option is a usage error" 2 "--bsae"

# Ctrl-C in the middle of a run
start interrupted
sed -i 's/i < 100; i++/i < 100000; i++/' main.c; commit long
# A background job has SIGINT ignored; a terminal's program has not.
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$flamegate" check --base main >"$work/out" 2>&1 </dev/null &
pid=$!
command -v pgrep >/dev/null || not_ok "pgrep is there (procps)"
for _ in $(seq 100); do grep -q 'building head' "$work/out" && [ -n "$(pgrep -P $pid)" ] && break; sleep 0.1; done
sleep 2
kill -INT $pid; wait $pid; status=$?
expect "Ctrl-C: could not measure" 3 "nterrupt"
if pgrep -P $pid >/dev/null || pgrep -f "$work" >/dev/null; then not_ok "Ctrl-C leaves no process"; else ok "Ctrl-C leaves no process"; fi
[ "$(git worktree list | wc -l)" = 1 ] && ok "Ctrl-C leaves no worktree" || not_ok "Ctrl-C leaves no worktree"
if find flamegate-report -type f ! -name .gitignore 2>/dev/null | grep -q .; then not_ok "Ctrl-C leaves no half-written file"; else ok "Ctrl-C leaves no half-written file"; fi

finish
