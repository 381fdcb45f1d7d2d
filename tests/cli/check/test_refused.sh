#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the sampler may not work: under a debugger or tracer, which is told of each of its signals, and where the
# kernel refuses both clocks. The program runs as without it, and the run says why there is no profile.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

cat >prog.c <<'C'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
#include <stdlib.h>
#include <string.h>
static int is_traced(void)
{
	char line[256];
	int tracer = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "TracerPid:", 10) == 0)
			tracer = atoi(line + 10);
	if (file)
		fclose(file);
	return tracer != 0;
}
/* A second of CPU time, far more than gdb or strace take for themselves; if asked to, after somebody has attached to it:
 * prog [wait] */
int main(int argc, char **argv)
{
	(void)argv;
	puts("begun");
	for (int i = 0; argc > 1 && i < 6000 && !is_traced(); i++)
		usleep(10000);
	fflush(stdout);
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < 100000; i++)
			sink = sink * 31 + (unsigned long)i;
	puts("ended");
	return 0;
}
C
cat >deny.c <<'C'
/* Refuses perf_event_open, and with a first argument "both" timer_create: deny both|perf COMMAND... */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const unsigned second = argc > 1 && strcmp(argv[1], "both") == 0 ? SYS_timer_create : SYS_perf_event_open;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 2, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 99;
	execv(argv[2], argv + 2);
	return 99;
}
C
cc -O1 -g -o prog prog.c && cc -O1 -o deny deny.c || exit 1

# ---- clocks
run ./deny perf "$flamegate" run -o perf -- ./prog
if [ "$status" -eq 99 ]; then
	skip "clocks that are refused: no seccomp filter to be had"
else
	expect "without perf events timers stand in" 0 "POSIX CPU timer"
	run ./deny both "$flamegate" run -o both -- ./prog
	expect "without either clock both refusals are named, and what to do" 3 "ended" \
		"perf_event_open: Permission denied" "timer_create: Operation not permitted" \
		"kernel.perf_event_paranoid=1" "allows timer_create"
	run ./deny both "$flamegate" run --mechanism posix -o posix -- ./prog
	expect "so is that only one was asked for" 3 "timers are refused here, and perf events were not asked for"
fi

# ---- tracers
if ! command -v gdb >/dev/null 2>&1; then
	skip "a program in gdb runs to its end: gdb is not installed"
	skip "gdb attached later: gdb is not installed"
else
	run "$flamegate" run -o debugged -- gdb -nx -batch -ex run -ex quit --args ./prog
	expect "a program in gdb runs to its end, and is not sampled" 3 "ended" "exited normally" "debugger or tracer"
	cp out gdb.out
	run grep "received signal" gdb.out
	expect "gdb has not seen a signal" 1
	# What the manual says for a debugger that comes later. The program waits for it before it burns its time.
	env LD_PRELOAD="$build/libflamegate.so" FLAMEGATE_CAPTURE_DIR="$work" ./prog wait >attached 2>&1 &
	run gdb -nx -batch -ex 'handle SIG59 SIGIO nostop noprint pass' -ex continue -p $!
	expect "gdb attached later goes on at samples when it is told to" 0 "exited normally"
	run cat attached
	expect "and the program runs to its end" 0 "ended"
fi
if ! command -v strace >/dev/null 2>&1; then
	skip "a program under strace: strace is not installed"
else
	run "$flamegate" run -o traced -- strace -o trace ./prog
	expect "a program under strace runs to its end, and is not sampled" 3 "ended" "debugger or tracer"
	check "strace has not seen a signal" sh -c 'grep -q exited trace && ! grep -q "^--- SIG" trace'
fi
finish
