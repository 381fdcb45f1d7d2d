# SPDX-License-Identifier: Apache-2.0
# Programs under a clock that is recorded and replayed. Source it; it sources tests/cli/lib.sh, and works in $work.
# shellcheck shell=bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
clock_run=$build/tests/clock/clock_run
export FLAMEGATE_LIBRARY=$build/libflamegate.so
cd "$work" || exit 1

# record SPEED COMMAND...: in $work/recorded what it printed, "CPU wall calls sequences processes" first
record() { rm -rf "$work/record" && timeout 60 "$clock_run" record "$work/record" "$@" >"$work/recorded"; }
# replay SPEED COMMAND...: the same in $work/out
replay() { run timeout 60 "$clock_run" replay "$work/record" "$@"; }
calls() { head -n 1 "$1" | cut -d ' ' -f 3-; }
# same NAME: what was replayed printed and called what was recorded
same() {
	if [ "$status" -eq 0 ] && [ "$(calls recorded)" = "$(calls out)" ] && cmp -s <(tail -n +2 recorded) <(tail -n +2 out); then
		ok "$1"
	else
		sed 's/^/# recorded: /' recorded
		not_ok "$1 (exit $status)"
	fi
}
# either NAME: the same, or refused with the reason; never a run that does not end
either() { if [ "$status" -eq 3 ]; then expect "$1" 3 "its clock cannot be replayed: "; else same "$1"; fi; }
