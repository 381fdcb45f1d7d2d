#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program under valgrind's memcheck, on small inputs: no invalid access, nothing used that was never written,
# nothing lost. What libraries keep until the end of the process is no leak.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
data=$here/../../../testdata

if ! command -v valgrind >/dev/null 2>&1; then
	echo "1..0 # SKIP valgrind is not installed"
	exit 0
fi
if nm "$flamegate" | grep -q ' __asan_init$'; then
	echo "1..0 # SKIP a sanitizer's build does not run under valgrind"
	exit 0
fi

# clean NAME STATUS ARGUMENT...: that exit status, and not a word of memcheck's
clean() {
	local name=$1 wanted=$2
	shift 2
	run valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
		--show-leak-kinds=definite,indirect,possible --log-file="$work/valgrind.%p" "$flamegate" "$@"
	grep -h '^==' "$work"/valgrind.* >"$work/words" # not "unhandled syscall", of one newer than valgrind
	if [ "$status" -eq "$wanted" ] && [ ! -s "$work/words" ]; then
		ok "$name"
	else
		cat "$work/words" >>"$work/out"
		not_ok "$name (exit $status, wanted $wanted)"
	fi
	rm -f "$work"/valgrind.*
}

cd "$work" || exit 1
mkdir source && cd source && program 150 && make -s && cd .. || exit 1
clean "run: a program is profiled" 0 run -o run -- source/bench
clean "run: a program that does not exist" 3 run -o run -- source/no-such-program
clean "compare: a profile of ours with itself" 0 compare -o compared run/cpu.pb.gz run/cpu.pb.gz
clean "compare: profiles of Go's" 0 compare -o compared "$data/pprof/go_heap.pb.gz" "$data/pprof/go_heap_delta.pb.gz"
head -c 300 run/cpu.pb.gz >cut.pb.gz
clean "compare: a profile that is cut short" 3 compare -o compared run/cpu.pb.gz cut.pb.gz
for format in terminal markdown html json workflow culprit; do
	clean "report: $format" 0 report -f "$data/report/json/fail.json" -t "$format" -o "report.$format"
done
clean "report: a file that is none" 3 report -f source/main.c
clean "check: recordings decided again" 1 check --replay "$data/replay/slow2" -o replayed
finish
