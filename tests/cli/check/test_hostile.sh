#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A hostile repository: function names, benchmark output, build output and configuration try to get a
# script, a command, a secret or a looser policy out of us. All of it must be inert.
# shellcheck source=tests/cli/lib.sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
# shellcheck source=testdata/demo/expected.sh
. "$here/../../../testdata/demo/expected.sh"

commands() { python3 "$here/../../e2e/grammar.py" <"$1" 2>/dev/null; }
inert() {
	local count
	count=$(commands "$work/out")
	if [ "$count" = 0 ]; then ok "$1"; else not_ok "$1 ($count workflow commands)"; fi
}

# 1. A build that prints its environment, with a token planted in ours, and workflow commands.
repo leak; program 60; config; commit base; git checkout -qb topic
cat >Makefile <<'M'
bench: main.c
	env
	printf '::error file=x::from the build\n'
	printf '  ::add-mask::x\r::set-output name=a::b\n'
	printf 'x##[set-output name=v]pass\n'
	printf '\033]0;title\007\033[31mred\n'
	false
M
sed -i 's/make -s/make/' .flamegate.yml
commit leak
export GITHUB_TOKEN=ghs_plantedplantedplanted ACTIONS_RUNTIME_TOKEN=planted-runtime INPUT_SECRET=planted-input \
	AWS_SECRET_ACCESS_KEY=planted-aws
run "$flamegate" check --base main
expect "a build that fails shows its output" 3 "make"
if grep -qa planted "$work/out"; then not_ok "the build saw no secret"; else ok "the build saw no secret"; fi
if grep -rqa planted flamegate-report "$FLAMEGATE_CACHE" 2>/dev/null; then not_ok "no secret in reports, logs or cache"; else ok "no secret in reports, logs or cache"; fi
inert "the build's output holds no workflow command"
if grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' "$work/out"; then not_ok "no terminal control gets through"; else ok "no terminal control gets through"; fi
unset GITHUB_TOKEN ACTIONS_RUNTIME_TOKEN INPUT_SECRET AWS_SECRET_ACCESS_KEY

# 2. A benchmark that prints commands and fails.
repo prints; program 60; config; commit base; git checkout -qb topic
sed -i 's|puts("done");|puts("::error::x\\n##[error]y"); return 5;|' main.c; commit prints
run "$flamegate" check --base main
expect "a benchmark that fails shows its output" 3 "status 5"
inert "the benchmark's output holds no workflow command"

# 3. In CI a head that loosens the thresholds changes nothing.
repo loosens; program 60; config; commit base; git checkout -qb topic
cat >>.flamegate.yml <<'Y'
policy:
  margin:
    total: 90%
    points: 90%
Y
sed -i 's|command: ./bench|command: "true"|' .flamegate.yml; commit loosen
run env CI=true "$flamegate" check --base main
expect "in CI the target branch's policy decides, and head's change is shown" 0 "policy" "main:.flamegate.yml"
grep -q 'policy.margin.total' flamegate-report/report.md && ok "the change of policy stands in the report" ||
	not_ok "the change of policy stands in the report"
git rm -q .flamegate.yml; git commit -qm remove
run env CI=true "$flamegate" check --base main
expect "in CI head cannot delete the gate" 0 "removed"

# 3b. Head's build reaches for the base's finished build, to make it slow.
repo reaches; program 60; config; commit base; git checkout -qb topic
cat >>Makefile <<'M'
	for other in ../builds/*/; do sed 's/i < 100;/i < 600;/' main.c >slow.c && $(CC) -O1 -g -o $$other/bench slow.c; done
M
sed -i 's|puts("done")|puts("changed")|' main.c; commit reaches
run "$flamegate" check --base main
expect "a build that rewrites the other build is found out" 3 "changed since it was built"

# 4. A function with a hostile name, by the linker and in a crafted recording.
name='</script><img src=x onerror=alert(1)>|@team'
repo names; program 150
printf 'bench: main.c\n\t$(CC) -O1 -c main.c && objcopy --redefine-sym "hot=$(NAME)" main.o && $(CC) -o bench main.o\n' >Makefile
make -s NAME="$name" >"$work/out" 2>&1 || not_ok "the hostile program builds"
run "$flamegate" run -o "$work/hostile" -- ./bench
expect "a hostile symbol is profiled" 0
grep -qF 'onerror=alert(1)' "$work/out" || grep -qF 'onerror' "$work/hostile/report.json" && ok "the name is there, as text" || not_ok "the name is there, as text"
inert "the terminal report holds no workflow command"
if grep -qF '<img' "$work/hostile/report.html"; then not_ok "no tag of the name's in the HTML"; else ok "no tag of the name's in the HTML"; fi
cp "$work/hostile/report.md" "$work/out"
if grep -F 'onerror' "$work/out" | grep -vqF '`'; then not_ok "in Markdown the name stands in code only"; else ok "in Markdown the name stands in code only"; fi

# The same name in a crafted recording that fails: it becomes the culprit everywhere.
repo crafted; program 60; config; commit base; git checkout -qb topic
cp -r "$here/../../../testdata/replay/slow2" "$work/crafted-recordings"
for version in base head; do
	"$build/tests/replay/mutate" rename "$work/crafted-recordings/logstat/$version" "$SLOW_FUNCTION" "$name" || not_ok "the recording is crafted"
done
: >"$work/summary"
run env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$work/summary" "$flamegate" check --replay "$work/crafted-recordings" -o "$work/crafted-report"
expect "a regression in a function of that name fails" 1 "onerror"
# One command of our own is meant: the annotation.
count=$(commands "$work/out")
[ "$count" -ge 1 ] && ! grep -F '::error' "$work/out" | grep -qvE '^::error ' && ok "only our own annotations are commands ($count)" || not_ok "only our own annotations are commands"
if grep -qF '<img' "$work/crafted-report/report.html" "$work/crafted-report/report.json"; then not_ok "no tag of the name's in HTML or JSON"; else ok "no tag of the name's in HTML or JSON"; fi
grep -q 'http-equiv="Content-Security-Policy"' "$work/crafted-report/report.html" && ok "the page has a content security policy" || not_ok "the page has a content security policy"

finish
