#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A report that cannot be written takes no verdict with it: what was found is printed, and the exit status is its own.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
replay=$(cd "$(dirname "$0")/../../../testdata/replay" && pwd)
cd "$work" || exit 1

# full COMMAND...: no file may grow beyond 4 KiB, as on a disk that is full
full() { (trap '' XFSZ; ulimit -f 4; exec "$@"); }
# unsaid NAME TEXT: what is not written is not pointed to
unsaid() { if grep -q "$2" "$work/out"; then not_ok "$1"; else ok "$1"; fi; }

# ---- the report alone
run full "$flamegate" check --replay "$replay/slow2" -o report
mv "$work/out" "$work/printed"; full_status=$status
run "$flamegate" check --replay "$replay/slow2" -o other
sed '/^Report: /d' "$work/out" >"$work/wanted"; sed '/^flamegate: /d' "$work/printed" >"$work/shown"
check "a full disk: all is printed that would be" cmp "$work/wanted" "$work/shown"
cp "$work/printed" "$work/out"; status=$full_status
expect "and a regression stays one" 1 "FAIL" "flamegate: the report could not be written"
unsaid "no report is pointed to" "^Report:"
[ ! -e report/report.json ] && ok "and none is left that looks whole" || not_ok "and none is left that looks whole"
run full "$flamegate" check --replay "$replay/aa" -o report
expect "a pass stays a pass, and says what is missing" 0 "PASS" "the report could not be written"
mkdir -p taken/report.svg
run "$flamegate" check --replay "$replay/slow2" -o taken --also svg
expect "a folder in the place of a file" 1 "FAIL" "the report could not be written" "report.svg"
mkdir -p early/report.html
run "$flamegate" check --replay "$replay/slow2" -o early
expect "one that was there before is told before anything is measured" 2 "early/report.html"

# ---- as a step of GitHub's
: >"$work/summary"
run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/summary" "$flamegate" check --replay "$replay/slow2" -o taken --also svg
expect "the annotations are there all the same" 1 "::error " "the report could not be written"
check "and so is the summary" grep -q "slow" "$work/summary"
run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/nowhere/summary" "$flamegate" check --replay "$replay/slow2" -o report2
expect "a summary that cannot be written is said" 1 "cannot append to the step summary" "::error " "Report: report2"
"$flamegate" check --replay "$replay/slow2" -o report3 >/dev/full 2>"$work/out"; status=$?
expect "nor does a full standard output change the verdict" 1 "could not be printed"
[ -s report3/report.json ] && ok "and the report is written" || not_ok "and the report is written"

# ---- compare has a verdict too, a record has none: what it is for is the files
run full "$flamegate" compare "$replay"/slow2/*/base "$replay"/slow2/*/head -o report
expect "compare: a regression stays one" 1 "FAIL" "the report could not be written"

# ---- measured: the benchmark itself is in the way
repo measured
cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void *grab(unsigned long i)
{
	return malloc(64 + i % 7);
}
int main(void)
{
	for (unsigned long i = 0; i < COUNT; i++)
		free(grab(i));
	for (unsigned long i = 0; i < ROUNDS; i++)
		sink = sink * 31 + i;
	puts("done");
	return 0;
}
C
sed -i "s/ROUNDS/$(rounds 30)/" main.c
printf 'bench: main.c\n\t$(CC) -O1 -g -fno-builtin -DCOUNT=$(COUNT) -o bench main.c\n' >Makefile
printf 'COUNT = 2000\n' >count.mk; sed -i '1i include count.mk' Makefile; printf 'bench\n' >.gitignore
config "    profiles: [cpu, heap]" "policy:" "  pairs: {min: 16, max: 32}"
sed -i "s|command: .*|command: 'mkdir -p $work/measured/flamegate-report/report.html; rm -rf $work/measured/flamegate-report/recordings/bench; touch $work/measured/flamegate-report/recordings/bench; exec ./bench'|" .flamegate.yml
commit first; git checkout -qb topic; sed -i 's/2000/3000/' count.mk; commit more
run "$flamegate" check --base main
expect "neither report nor recordings can be written: the regression is found all the same" 1 "FAIL" "grab" \
	"the recordings could not be written" "the report could not be written"
[ ! -e flamegate-report/recordings/check.json ] && ok "no measurements are left that look whole" || not_ok "no measurements are left that look whole"
rm -rf flamegate-report; git checkout -q main; git checkout -qb same; git commit -q --allow-empty -m empty
run "$flamegate" check --base main
expect "and so it is with a pass" 0 "PASS" "the report could not be written"
rm -rf flamegate-report; git checkout -q main
sed -i 's/flamegate-report/flamegate-record/g' .flamegate.yml; rm -rf flamegate-record; commit record
run "$flamegate" record
expect "a record has failed where it cannot write its recordings" 3 "recordings/bench"

# ---- what lies there instead is the measured code's, and no report: a reader would take it for one
mkdir "$work/bin" "$work/home" && cp "$flamegate" "$build"/libflamegate*.so "$work/bin"
as_user() { HOME=$work/home "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	as_user() { HOME=$work/home setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
# forged COMMAND CODE...: by a build that has put a report there, and then does more
forged() {
	local command=("$1")
	shift
	[ "${command[0]}" = record ] || command+=(--base main)
	repo sly
	program 40
	printf '\trm -rf %s; mkdir -p %s; echo {} >%s/report.json; touch %s/forged; %s\n' "$work/there" "$work/there" \
		"$work/there" "$work" "$*" >>Makefile
	config; commit base
	git checkout -qb topic; sed -i 's|"done"|"done 2"|' main.c; commit topic
	chmod 755 "$work"; [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$work"
	rm -rf "$work/there" "$work/cache" "$work/forged"
	run as_user env FLAMEGATE_CACHE="$work/cache" "$work/bin/flamegate" "${command[@]}" -o "$work/there"
}
not_forged() { [ -e "$work/forged" ] && ! grep -qx '{}' "$work/there/report.json"; }
forged check chmod 555 "$work/there"
expect "a folder that the build has closed" 0 "the report could not be written"
check "check: holds no report then" not_forged
forged check false
expect "a build that fails" 3
check "check: leaves no report of its own" not_forged
forged record false
expect "nor does it for record" 3
check "record: leaves none" not_forged
finish
