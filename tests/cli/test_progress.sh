#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a check says while it measures: a bar on a terminal, plain lines in a log.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/loop_lib.sh"
milliseconds=20
escape=$(printf '\033')

# on_terminal COMMAND...: run by a terminal of 60 columns, what it shows in $work/shown
on_terminal() {
	python3 - "$@" >"$work/shown" <<'PY'
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 60, 0, 0))
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
PY
	status=$?
}

repo day; workload; short_policy; commit first
git checkout -qb topic; sed -i 's|"done"|"done 2"|' main.c; commit second

on_terminal env TERM=xterm NO_COLOR=1 LC_ALL=C.UTF-8 "$flamegate" check --base main
[ "$status" -le 1 ] && ok "a check on a terminal" || not_ok "a check on a terminal (exit $status)"
check "shows a bar that is written over" grep -qE "$escape\[Kbench: stage 1 (█|░)+ [0-9]+/16, [0-9]+ s left" "$work/shown"
check "up to the last pair" grep -q ' 16/16' "$work/shown"
# What stands behind the last erasure is no bar.
check "takes it away before the report" sh -c "sed -n 's/.*$escape\\[K//p' '$work/shown' | tail -n 1 | grep -v /16 | grep -q '[a-z]'"
check "and has no line for every quarter" test "$(grep -c 'pairs done' "$work/shown")" = 0

on_terminal env TERM=xterm NO_COLOR=1 LC_ALL=C.UTF-8 "$flamegate" record --rounds 9
[ "$status" -eq 0 ] && ok "a record on a terminal" || not_ok "a record on a terminal (exit $status)"
check "shows the same bar" grep -qE "$escape\[Kbench: recording (█|░)+ [0-9]+/9, [0-9]+ s left" "$work/shown"
check "up to the last run" grep -q ' 9/9' "$work/shown"
check "takes it away, too" sh -c "sed -n 's/.*$escape\\[K//p' '$work/shown' | tail -n 1 | grep -v /9 | grep -q '[a-z]'"
check "and has no line for every quarter of a record" test "$(grep -c ' runs of each benchmark' "$work/shown")" = 0
run env TERM=xterm LC_ALL=C.UTF-8 "$flamegate" record --rounds 9
cp "$work/out" "$work/log"
check "a record without a terminal has these lines" grep -q '^flamegate: recorded 8 of 9 runs of each benchmark$' "$work/log"
check "and nothing but text of its own" test "$(grep -c "$escape\\|█\\| left" "$work/log")" = 0

run env TERM=xterm LC_ALL=C.UTF-8 "$flamegate" check --base main
cp "$work/out" "$work/log"
[ "$status" -le 1 ] && ok "a check without a terminal" || not_ok "a check without a terminal (exit $status)"
check "has a line for the stage" grep -q '^flamegate: bench: stage 1, 16 pairs of runs, about' "$work/log"
check "and one for each quarter" grep -q '^flamegate: bench: stage 1, 12 of 16 pairs done$' "$work/log"
check "and nothing but text" test "$(grep -c "$escape\|█\| left" "$work/log")" = 0
finish
