#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A real Parca on loopback: what is pushed comes back as the facts say, and nothing of ours harms it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/servers/lib.sh
. "$(dirname "$0")/lib.sh"
need_go Parca
tools=$build/tests/servers

start_parca
url=parca://$parca

# ---- an empty server
run "$tools/pull_profile" "$url?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta"
expect 'an empty server has no types, and the message says so' 3 'no types at all' 'from=' "$parca"

# ---- round trip
run "$tools/roundtrip" "$url" parse cpu
cp "$work/out" "$work/cpu"
expect 'a recording is pushed, found and pulled' 0 'find yes' 'entries 1' 'elsewhere nothing'
said 'totals, description and value types come back as they were' \
	'description kept' 'rounds kept' 'types kept'
said 'stacks come back with files, lines, modules and values of each round' \
	'values kept' 'system_names kept' 'files kept' 'lines kept' 'start_lines kept' 'modules kept' \
	'build_ids kept' 'ranges kept'
said 'what Parca loses is addresses, comments and labels' \
	'addresses changed' 'comments 1 -> 0' 'labels 2 -> 0'
said 'a mangled name comes back demangled, without its parameters' \
	'names changed' 'name "_ZN2ns4scanEi" -> "ns::scan"'
said 'a name that is not UTF-8 was made so' "$(printf 'name "latin\351" -> "latin\357\277\275"')"
check 'no other name changes' test "$(grep -ac '^name \|^new name ' "$work/cpu")" = 2

run "$tools/roundtrip" "$url" parse instructions
said 'counted values past 2^53 come back exactly' 'values kept' 'rounds kept' 'types kept' \
	'description kept'

# ---- sources
sum=$(sed -n 's/^sum //p' "$work/cpu")
query="$url?query=process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta{benchmark=%22parse%22}"
run "$tools/pull_profile" "$query"
said 'a query merges the rounds to their sum' "type default cpu/nanoseconds $sum"
expect 'and says what was merged and lost' 0 'note ' 'merged from' 'labels of samples'
run "$tools/pull_profile" "${query/:delta/}"
said 'a type without :delta finds the profiles that have a duration' \
	"type default cpu/nanoseconds $sum"
run "$tools/pull_profile" "$url?query={benchmark=%22parse%22}"
said 'CPU time is the default type' "type default cpu/nanoseconds $sum"
run "$tools/pull_profile" "$query&from=now-2d&until=now-1d"
expect 'a range without profiles is named, with the types that there are' 3 \
	'Look at the labels, at the range' 'process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta'
run "$tools/pull_profile" "$url?query=process_cpu:samples:count:cpu:nanoseconds:delta"
expect 'samples:count, which Parca merges wrongly, is refused' 2 'ask for'
run "$tools/pull_profile" "$url?query=process_cpu{"
expect 'a broken query is an error that names the server' 3 "$parca"
run "$tools/pull_profile" "$url"
expect 'a URL without a query shows one' 2 '?query='

# ---- past the 4 MiB of the JSON gateway
run "$tools/roundtrip" "$url" bulk cpu 9000
said 'a round in several parts comes back as one' 'values kept' 'names changed' 'rounds kept' \
	'lines kept'
bulk=$(sed -n 's/^sum //p' "$work/out")
check 'Parca refuses to send that as JSON' \
	bash -c "! perl -MHTTP::Tiny -e 'exit(HTTP::Tiny->new->get(\$ARGV[0])->{status} != 200)' \
	'http://$parca/api/profiles/query?mode=MODE_MERGE&report_type=REPORT_TYPE_PPROF&merge.query=process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta%7Bbenchmark=%22bulk%22%7D&merge.start=2020-01-01T00:00:00Z&merge.end=2100-01-01T00:00:00Z'"
run "$tools/pull_profile" "$url?query={benchmark=%22bulk%22}"
said 'a query too large for JSON comes by gRPC' "type default cpu/nanoseconds $bulk"

# ---- what harms a Parca: each through our client, and then the server is asked for its types
for case in sound no-bytes no-period-type empty-period-type empty-period-unit empty-unit empty-type \
	dash-in-type slash-in-unit blank-in-type colon-in-period-type no-samples no-name dash-in-name \
	not-utf8 shuffled-ids no-frames no-lines no-function-name negative-numbers extreme-value zero-value deep \
	labels same-type-twice; do
	check "$case does the server no harm" "$tools/parca_guard" "$url" "$case"
done
check 'all of that can be queried' \
	"$tools/pull_profile" "$url?query=guard:cpu:nanoseconds:cpu:nanoseconds:delta&from=0"
check 'the server is alive' alive "$parca_pid"
check 'and lists its types' http_get "http://$parca/api/profiles/types"
check 'and what was pushed before is still there' "$tools/pull_profile" "$query"

# ---- a server that is gone
stop_servers
run "$tools/roundtrip" "$url" gone cpu
expect 'a server that is gone is named' 3 "http://$parca"
finish
