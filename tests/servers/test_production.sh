#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Production's profile from a real server, in a whole check: the base's own recording is pushed to a Parca (and to a
# Pyroscope: ours, or the one that FLAMEGATE_TEST_PYROSCOPE_URL names), so what the culprit weighs there is known.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../cli/loop_lib.sh"
# shellcheck source=tests/servers/lib.sh
. "$(dirname "$0")/lib.sh"
need_go Parca
without_valgrind
here=$(cd "$(dirname "$0")" && pwd)
pull=$build/tests/servers/pull_profile

# source_is URL: what the configuration of the change names; no commit, so that it is what lies on the desk
source_is() { sed -i "s|^production:.*|production: '$1'|" .flamegate.yml; }
# culprit: "FUNCTION SHARE" of the worst one in the last report; SHARE is "none" where it was not weighed
culprit() {
	python3 -c 'import json
bench = json.load(open("flamegate-report/report.json"))["benchmarks"][0]
worst = bench["culprits"][0]
weight = worst.get("production")
print(bench["strings"][bench["functions"]["name"][worst["function"]]], "none" if weight is None else "%.4f" % weight["share"])'
}
# share NAME: by what pull_profile printed last
share() { awk -v name="$1" '$1 == "type" && $2 == "default" { sum = $4 } $1 == "function" && $4 == name { self += $2 }
	END { printf "%.4f\n", self / sum }' "$work/pulled"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1 ($2, not $3)"; fi; }
says() { python3 -c 'import json, sys
sys.exit(not any(sys.argv[1] in note for note in json.load(open("flamegate-report/report.json"))["notes"]))' "$1"; }

# weighed NAME STORE QUERY: the recording goes to STORE, and production is what QUERY answers
weighed() {
	run "$flamegate" baseline push --store "$2" "$work/recorded"
	expect "$1: the base's recording is pushed" 0 "pushed"
	"$pull" "$3" >"$work/pulled" 2>"$work/out" || not_ok "$1: the query answers"
	source_is "$3"
	run "$flamegate" check --base main
	expect "$1: the check fails as without it, and says what was asked" 1 "production profile: ${3%%\?*}"
	is "$1: the culprit weighs what the server says" "$(culprit)" "step9 $(share step9)"
	check "$1: which is something" test "$(share step9)" != 0.0000
	check "$1: the report says it in words" grep -q '^In production, `step9`: .* % of CPU time, so about +' flamegate-report/report.md
	check "$1: and how many of the functions are there" says "of the functions measured here"
}
# unweighed NAME TEXT...: the last source gave nothing
unweighed() {
	local name=$1
	shift
	run "$flamegate" check --base main
	expect "$name: the verdict is the same, and the reason is said" 1 "production profile: " "$@"
	is "$name: nothing is weighed" "$(culprit)" "step9 none"
	check "$name: a note says so" says "could not be used: the output of the command that measured says why"
}

repo weights; workload; short_policy; echo "production: none.pb.gz" >>.flamegate.yml; commit base
run "$flamegate" record -o "$work/recorded"
expect "the base is recorded" 0
git checkout -qb topic; workload 9 6; commit slower

start_parca
type=process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta
weighed Parca "parca://$parca" "parca://$parca?query=$type{benchmark=%22bench%22}"
source_is "parca://$parca?query=$type{benchmark=%22another%22}"
unweighed 'a query that nothing answers' 'Look at the labels, at the range'
source_is "parca://$parca?query=$type{"
unweighed 'a query that is broken' "http://$parca"
stop_servers
source_is "parca://$parca?query=$type{benchmark=%22bench%22}"
unweighed 'a Parca that is gone' "http://$parca"

pyroscope=${FLAMEGATE_TEST_PYROSCOPE_URL:-}
if [ -z "$pyroscope" ]; then
	coproc PYROSCOPE { exec python3 -B "$here/pyroscope.py"; } # ends with its stdin
	read -r pyroscope <&"${PYROSCOPE[0]}"
fi
service=production-$$-$(date +%s%N)
url=pyroscope${pyroscope#http}
weighed Pyroscope "$url?service=$service" "$url?query={service_name=%22$service%22}"
source_is "$url?query={service_name=%22$service-of-nobody%22}"
unweighed 'a service that nobody has' "$pyroscope"
source_is "pyroscope://127.0.0.1:1?query={service_name=%22$service%22}"
unweighed 'a Pyroscope that is gone' 'http://127.0.0.1:1'
finish
