#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which benchmarks does the work probe refuse? All programs of the table, by `flamegate record`, which looks at the
# work of each as `flamegate check` does. Prints TAP, a test for each program; what is missing is skipped by name.
#
#   FLAMEGATE_BUILD=build run.sh [NAME...]       all by default; HARNESSES=kept: nothing is fetched
#
# A program that must not be refused may be called doubtful, or too little to tell: that is printed and counted.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# ---- the programs
repo programs
cp -r "$here/programs/." . && rm -rf criterion google.cc
cp "$here/../../gate/sampler/flamegate.h" .
many=$(rounds 100) few=$(rounds 4)
cc -O1 -g -I. -o fixed fixed.c -lpthread && cc -O1 -g -o timed timed.c || exit 3
if command -v g++ >/dev/null; then g++ -O1 -g -o fixed_cc fixed.cc && g++ -O1 -g -o timed_cc timed.cc; fi
perl -e 'my $s = 1; for (1 .. 100000) { $s = ($s * 1103515245 + 12345) % 2147483648; print "w$s " }' >words
sh "$here/harnesses.sh" "${HARNESSES:-}"

# What is missing of a program's needs; nothing if all is there.
missing() {
	local need
	for need in $1; do
		case $need in
		google) [ -x google ] || echo "google-benchmark (libbenchmark-dev)" ;;
		criterion) [ -x criterion_timed ] || echo "criterion (cargo)" ;;
		pytest-benchmark) [ -d venv ] || echo "pytest-benchmark (pip)" ;;
		*) command -v "$need" >/dev/null || echo "$need" ;;
		esac
	done
}

# ---- the configuration
printf 'version: 1\nbuild: "true"\nbenchmarks:\n' >.flamegate.yml
names=()
declare -A wanted words
while IFS='|' read -r name outcome says needs work command; do
	name=$(trim "$name") absent=$(missing "$(trim "$needs")")
	case $name in '#'*) continue ;; esac
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	if [ -n "$absent" ]; then
		skip "$name: no $absent"
		continue
	fi
	names+=("$name")
	wanted[$name]=$(trim "$outcome") words[$name]=$(trim "$says")
	command=$(trim "$command")
	command=${command//ROUNDS/$many}
	{
		printf '  - name: %s\n    command: |-\n      %s\n    work: %s\n    harness: none\n    repeat: 1\n' \
			"$name" "${command//FEW/$few}" "$(trim "$work")"
		[ "$name" = paused ] && printf '    start: paused\n'
		[ "$name" = date-alone ] && printf '    processes: all\n'
	} >>.flamegate.yml
done <"$here/table"
commit programs

# ---- what became of them
cat >"$work/outcomes.py" <<'P'
import json, sys
for b in json.load(open("flamegate-record/report.json"))["benchmarks"]:
    lines = [b.get("detail", "")] + b.get("warnings", []) + b.get("excluded", [])
    said = next((l for l in lines if "so a regression would hide" in l), None)
    doubt = next((l for l in lines if l.startswith("The work may not be fixed")), None)
    unknown = next((l for l in lines if "could not be checked" in l), None)
    if said:
        print(b["name"], "refused", said, sep="\t")
    elif b.get("status") == "error":
        print(b["name"], "error", b["detail"].replace("\n", " "), sep="\t")
    elif doubt or unknown:
        print(b["name"], "doubtful" if doubt else "unknown", doubt or unknown, sep="\t")
    else:
        print(b["name"], "fixed", "", sep="\t")
P
look() { # FILE [OPTION...]: one line for each
	local file=$1
	shift
	"$flamegate" record --rounds 1 "$@" >"$work/out" 2>&1 </dev/null
	python3 "$work/outcomes.py" >"$file" 2>>"$work/out"
}
outcome_of() { grep -P "^$1\t" "$2" | cut -f 2; }

look "$work/outcomes"
# How much a harness does in a second is the machine's: on a busy one it may need another look.
for try in 2 3; do
	for name in "${names[@]}"; do
		[ "${wanted[$name]}-$(outcome_of "$name" "$work/outcomes")" = timed-doubtful ] || continue
		echo "# $name: doubtful, look $try"
		look "$work/again" --benchmark "$name"
		sed -i "/^$name\t/d" "$work/outcomes"
		cat "$work/again" >>"$work/outcomes"
	done
done
refused=0 passed=0 doubtful=0
for name in "${names[@]}"; do
	IFS=$'\t' read -r _ outcome said <<<"$(grep -P "^$name\t" "$work/outcomes")"
	printf '# %-16s %-6s %-8s %s\n' "$name" "${wanted[$name]}" "${outcome:-lost}" "${said:-}"
	case ${wanted[$name]}-${outcome:-lost} in
	fixed-fixed) passed=$((passed + 1)); ok "$name: not refused" ;;
	fixed-doubtful | fixed-unknown) passed=$((passed + 1)) doubtful=$((doubtful + 1)); ok "$name: not refused" ;;
	timed-refused)
		case $said in
		*"${words[$name]}"*) refused=$((refused + 1)); ok "$name: refused" ;;
		*) not_ok "$name: refused, without '${words[$name]}'" ;;
		esac
		;;
	*) not_ok "$name: ${outcome:-lost}" ;;
	esac
done
echo "# $passed of fixed work not refused ($doubtful of them doubtful or unknown), $refused of a fixed time refused"
finish
