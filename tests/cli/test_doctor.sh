#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `flamegate doctor`: what it says of machine and project, what it leaves alone, and its exit status. No number
# that it measures decides anything here.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# json EXPRESSION: true if the Python expression over the last output, d, is
json() {
	python3 - "$work/out" "$1" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if eval('(' + sys.argv[2] + ')') else 1)
PY
}
# holds NAME EXPRESSION
holds() { if json "$2" 2>"$work/errors"; then ok "$1"; else not_ok "$1"; tail -n 1 "$work/errors" | sed 's/^/# /'; fi; }
# doctor [OPTION...]: quick and without progress lines, JSON in $work/out
doctor() { "$flamegate" doctor --quick --json "$@" >"$work/out" 2>/dev/null </dev/null; status=$?; }
# exits NAME STATUS
exits() { [ "$status" -eq "$2" ] && ok "$1" || not_ok "$1 (exit $status, wanted $2)"; }
unset FLAMEGATE_LIBRARY FLAMEGATE_TOKEN FLAMEGATE_USER FLAMEGATE_PASSWORD FLAMEGATE_ORG_ID

# ---- the machine alone
mkdir "$work/plain" && cd "$work/plain" || exit 1
mkdir "$work/tmp"
run env TMPDIR="$work/tmp" "$flamegate" doctor --quick
expect "outside a repository: the machine, for people" 0 "cpu  " "posix  " "complete stacks" "library  " \
	"This machine can measure."
if grep -qE '^(config|noise|cost|calibration) ' "$work/out"; then not_ok "and nothing else"; else ok "and nothing else"; fi
[ -z "$(ls -A "$work/tmp")" ] && ok "nothing is left behind" || not_ok "nothing is left behind"
doctor
exits "as JSON" 0
holds "the parts that were not measured are null" \
	"d['can_measure'] and all(d[k] is None for k in ('cost', 'noise', 'calibration_ns', 'project')) and d['problems'] == []"
holds "the POSIX clock works everywhere, with complete stacks" \
	"d['sampling']['posix']['works'] and d['sampling']['posix']['complete'] > 0.9 and d['sampling']['posix']['coverage'] > 0"
holds "what the sampler's own work costs" "0 < d['sampling']['posix']['own_cost'] < 0.5"
holds "what the clock costs, and the rate that follows" \
	"97 <= d['sampling']['auto']['rate_hz'] <= 997 and d['sampling']['auto']['signal_ns'] > 0"
holds "perf works or advice says what to do" \
	"d['sampling']['perf']['works'] or any('perf' in a['what'] for a in d['advice'])"
holds "the library that will be preloaded" "d['machine']['library'].endswith('/libflamegate.so')"
run "$flamegate" doctor --burn 3
first=$(cat "$work/out")
run "$flamegate" doctor --burn 3
[ "$(cat "$work/out")" = "$first" ] && expect "the program that it measures does fixed work" 0 || not_ok "fixed work"
run "$flamegate" doctor --burn 99999999
expect "and has a limit" 2 "at most"
run "$flamegate" doctor here
expect "operands are refused" 2 "-C here"

# ---- what keeps a machine from measuring
mkdir "$work/alone" && cp "$flamegate" "$work/alone/"
run "$work/alone/flamegate" doctor --quick
expect "without its library: 3, and where it was looked for" 3 "library       not found" "problem " "../lib/flamegate" \
	"needs these problems solved"
run env FLAMEGATE_LIBRARY=/nowhere.so "$flamegate" doctor --quick
expect "a library that is named and not there" 2 "FLAMEGATE_LIBRARY=/nowhere.so"
run env PATH=/nowhere "$flamegate" doctor --quick
expect "without git: 3, with the command that installs it" 3 "git           missing" "apt-get install git"
run env TMPDIR=/nowhere "$flamegate" doctor --quick
expect "without a place for captures: 3" 3 "/nowhere"

# ---- a project
repo project; program 20; commit base
config; commit config
doctor
exits "a program that is not built yet is no problem" 0
holds "its configuration is named, and nothing was built" \
	"d['project']['config'].endswith('/.flamegate.yml') and d['project']['readable'] and
d['project']['benchmarks'] == [{'name': 'bench', 'program': '', 'problem': ''}]"
[ -e bench ] && not_ok "nothing was built" || ok "nothing was built"
holds "the repository's own notes answer, and are empty" \
	"d['project']['stores'] == [{'name': 'git notes of this repository', 'asked': True, 'has_head': False, 'problem': ''}]"
make -s >/dev/null
doctor --offline
holds "a program that is there can be profiled" "d['project']['benchmarks'][0]['program'].endswith('/bench')"
holds "offline: the store is not asked" "not d['project']['stores'][0]['asked'] and not d['project']['stores'][0]['problem']"
cc -static -O1 -o bench main.c
doctor --offline
exits "a static program cannot be measured" 3
holds "the benchmark and the reason are named" \
	"'statically linked' in d['project']['benchmarks'][0]['problem'] and 'benchmark bench' in d['problems'][0]"
rm bench
mkdir below && cd below || exit 1
doctor --offline
holds "from a folder below, the root's configuration is meant" "d['project']['benchmarks'][0]['name'] == 'bench'"
cd "$work" || exit 1
doctor --offline -C "$work/project"
holds "-C says where" "d['project']['readable']"
run "$flamegate" doctor --quick -C "$work/plain"
expect "-C names no repository" 2 "problem " "repository"

cd "$work/project" || exit 1
echo "benchmark: []" >>.flamegate.yml
wrong=$(wc -l <.flamegate.yml)
run "$flamegate" doctor --quick --offline
expect "a wrong configuration: 2, with line and meaning" 2 ".flamegate.yml:$wrong:1" "did you mean 'benchmarks'"

# ---- stores and credentials
config "baseline:" "  store: dir:$work/store" "  publish: ['pyroscope://127.0.0.1:1']" "  credentials: MINE"
mkdir "$work/store"
export MINE_TOKEN=swordfish
doctor
exits "a store that does not answer is shown, and is no failure" 0
holds "each store has its own answer" \
	"d['project']['stores'][0]['problem'] == '' and '127.0.0.1' in d['project']['stores'][1]['problem']"
holds "variables are named" "d['project']['credentials'] == {'MINE_TOKEN': True, 'MINE_USER': False,
'MINE_PASSWORD': False, 'MINE_ORG_ID': False}"
grep -q swordfish "$work/out" && not_ok "their values are not" || ok "their values are not"
run "$flamegate" doctor --quick
expect "the same for people" 0 "MINE_TOKEN set, MINE_USER not set" "no baseline of HEAD"
grep -q swordfish "$work/out" && not_ok "without values too" || ok "without values too"
config "baseline:" "  store: 'pyroscope://me:swordfish@127.0.0.1:1'"
run "$flamegate" doctor --quick
grep -q swordfish "$work/out" && not_ok "nor is a password in a URL" || ok "nor is a password in a URL"
config "policy:" "  pairs: {min: 20, max: 50}" "  margin: {total: 40%}"
"$flamegate" doctor --offline --json >"$work/out" 2>"$work/progress"
status=$?
exits "the whole examination" 0
grep -q "about 15 s" "$work/progress" && ok "it says beforehand that it takes a while" || not_ok "it says beforehand that it takes a while"
holds "cost, noise and calibration are there" \
	"d['cost']['low'] <= d['cost']['extra'] <= d['cost']['high'] and d['noise']['runs'] == 40 and d['noise']['cv'] >= 0
and -1 <= d['noise']['autocorrelation'] <= 1 and set(d['calibration_ns']) == {'alu', 'stream', 'chase', 'branch', 'hash'}"
holds "the project's policy decides what can be found" \
	"(d['noise']['stage1_pairs'], d['noise']['stage2_pairs']) == (20, 30) and
(d['noise']['detectable'] is None or d['noise']['detectable'] >= 0.4)"

finish
