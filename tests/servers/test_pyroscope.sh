#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is pushed to a Pyroscope comes back as the facts say: on our own server (pyroscope.py), or on a real one
# where FLAMEGATE_TEST_PYROSCOPE_URL names it. Its limits and faults are in tests/unit/baseline/pyroscope/test_pyroscope*.c.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
tools=$build/tests/servers
here=$(cd "$(dirname "$0")" && pwd)

origin=${FLAMEGATE_TEST_PYROSCOPE_URL:-}
if [ -z "$origin" ]; then
	coproc SERVER { exec python3 -B "$here/pyroscope.py"; } # ends with its stdin, so with this shell
	read -r origin <&"${SERVER[0]}"
fi
url=pyroscope${origin#http}
service=round-trip-$$-$(date +%s%N)
store="$url?service=$service"

# said NAME LINE...: whole lines of the last run's output
said() {
	local name=$1 line
	shift
	for line in "$@"; do
		grep -qaxF -- "$line" "$work/out" || { not_ok "$name (no line '$line')"; return; }
	done
	ok "$name"
}
query() { run "$tools/pull_profile" "$url?query={service_name=%22$service%22${1:-}}${2:-}"; }

# ---- round trip
run "$tools/roundtrip" "$store" parse cpu
cp "$work/out" "$work/cpu"
expect 'a recording is pushed, found and pulled' 0 'find yes' 'entries 1' 'elsewhere nothing'
expect 'the store says what it loses' 0 'loss Pyroscope' 'outermost'
said 'totals, description and value types come back as they were' 'description kept' 'rounds kept' 'types kept'
said 'stacks come back with functions, files, lines and modules, and the values of each round' 'values kept' \
	'system_names kept' 'files kept' 'lines kept' 'start_lines kept' 'modules kept' 'build_ids kept'
said 'what Pyroscope loses is addresses, comments and labels' 'addresses changed' 'comments 1 -> 0' 'labels 2 -> 0'
said 'a name that is not UTF-8 was made so' "$(printf 'name "latin\351" -> "latin\357\277\275"')"
check 'no other name changes' test "$(grep -ac '^name \|^new name ' "$work/cpu")" = 1

run "$tools/roundtrip" "$store" parse instructions
said 'counted values past 2^53 come back exactly' 'values kept' 'rounds kept' 'types kept' 'description kept'
run "$tools/roundtrip" "$store" bulk cpu 4000
said 'a round in several parts comes back as one' 'values kept' 'rounds kept' 'lines kept'

# ---- sources
sum=$(sed -n 's/^sum //p' "$work/cpu")
query ',benchmark=%22parse%22'
said 'a query sums up the rounds' "type default cpu/nanoseconds $sum"
expect 'and says of what, from when, and what was lost' 0 'note ' "$origin" 'labels of samples'
query ',benchmark=%22parse%22' '&from=now-50h'
said 'two days are asked for in pieces' "type default cpu/nanoseconds $sum"
query ',benchmark=%22parse%22' '&type=memory:alloc_space:bytes:space:bytes'
expect 'a type that is not there is an error that names those that are' 3 'process_cpu:cpu:nanoseconds:cpu:nanoseconds' "$origin"
query ',benchmark=%22parse%22' '&from=now-3h&until=now-2h'
expect 'a range without profiles is named' 3 "$origin" ' from 20' 'service_name'
run "$tools/pull_profile" "$url"
expect 'a URL without a query shows one' 2 '?query='
finish
