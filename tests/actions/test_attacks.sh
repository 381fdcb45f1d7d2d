#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Code that is measured and wants to be green, or wants the token: in whole workflows, under act.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../cli/loop_lib.sh"
# shellcheck source=tests/actions/act_lib.sh
. "$(dirname "$0")/act_lib.sh"
need_act
without_valgrind
product
built_before
# Of a private repository, which the gate reads with a token
pull='{"pull_request": {"number": 7, "base": {"ref": "main"}, "head": {"ref": "topic"}}, "repository": {"private": true},
 "for_test": {}}'
push='{"ref": "refs/heads/main", "repository": {"private": true}, "for_test": {}}'
gate=tests/actions/workflows/gate.yml record=tests/actions/workflows/record.yml

repo day; workload; config; commit first; remote day

# ---- what a build finds: the runner's files, by the environment of all processes; and, in passing, any token
cat >"$work/find" <<P
cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a '^GITHUB_[A-Z_]*=/' | grep -aF "$work" | sort -u >"$work/runner-files"
. "$work/runner-files"
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null >>"$work/loot"
echo looked >>"$work/loot"
shell=
for process in /proc/[0-9]*; do
	if tr '\\0' '\\n' <\$process/environ 2>/dev/null | grep -aq '^FG_PROGRAM=$work' && [ "\$(cat \$process/comm)" = bash ]; then
		shell=\${process#/proc/}
	fi
done
P
printf '#!/bin/sh\nexit 0\n' >"$work/early-exit"
# nothing_stolen: by who looked, the token in either form
nothing_stolen() {
	grep -aq looked "$work/loot" && ! grep -aoF -e s3cret-token -e "$(printf x-access-token:s3cret-token | base64)" "$work/loot"
}
# slower NAME: a change with a regression whose build runs $work/NAME
slower() {
	git checkout -q main; git checkout -qb "$1"; workload 9 6
	printf '\tsh %s\n' "$work/$1" >>Makefile
	commit "$1"
	rm -rf "$work/builds" "$work/runner-files" "$work/loot"
	workflow "$gate" pull_request "$pull"
}

# ---- a change that wants to be green writes all that the runner reads, and goes on to write it
cat >"$work/sly" <<P
. "$work/find"
write() {
	echo "BASH_ENV=$work/early-exit" >>"\$GITHUB_ENV"
	echo "$work/evil" >>"\$GITHUB_PATH"
	printf 'status=pass\nexit-status=0\n' >>"\$GITHUB_OUTPUT"
	echo "# All is well" >>"\$GITHUB_STEP_SUMMARY"
}
write
mkdir -p "$work/evil" && cp "$work/early-exit" "$work/evil/bash" && chmod +x "$work/evil/bash"
printf '::set-output name=status::pass\n::set-output name=exit-status::0\n' >/proc/\$shell/fd/1
(while :; do write; sleep 0.01; done) >/dev/null 2>&1 </dev/null &
setsid sh -c 'echo \$\$ >"$work/daemon"; while :; do echo "BASH_ENV=$work/early-exit" >>"\$0"; sleep 0.01; done' "\$GITHUB_ENV" >/dev/null 2>&1 </dev/null &
P
slower sly
expect "a regression whose build writes BASH_ENV into GITHUB_ENV stays red" 1 "step9"
check "it found the file" grep -q '^GITHUB_ENV=' "$work/runner-files"
check "but no process that has the token, although it reads the private repository with it" nothing_stolen
check "outputs: a regression all the same" has_output status regression
check "outputs: 1 all the same" has_output exit-status 1
check "the summary is flamegate's" summary_says step9
if summary_says "All is well" >"$work/out"; then not_ok "and nobody else's"; else ok "and nobody else's"; fi
check "it left a process behind" [ -s "$work/daemon" ]
if kill "$(cat "$work/daemon")" 2>"$work/out"; then not_ok "which is gone"; else ok "which is gone"; fi

# ---- one that kills the shell that would replace those files: what it wrote stays, and the step has failed
cat >"$work/killer" <<P
. "$work/find"
printf 'status=pass\nexit-status=0\nreport=$work/evil\n' >>"\$GITHUB_OUTPUT"
echo "LATER=theirs" >>"\$GITHUB_ENV"
touch "$work/shot"
kill -KILL \$shell
P
slower killer
expect "a change that kills the action's shell is red" 1 "Failure - Main Check"
check "it did" [ -e "$work/shot" ]
check "outputs: no pass" has_output status error
check "outputs: no 0" has_output exit-status 3
check "what it wrote for later steps stays, as the README says" says 'LATER=theirs'

# ---- default-branch code that wants the token: in the environment of any process, then and in later steps
cat >"$work/thief" <<P
. "$work/find"
echo "BASH_ENV=$work/later" >>"\$GITHUB_ENV"
P
echo "cat /proc/[0-9]*/environ >>'$work/loot' 2>/dev/null" >"$work/later"
git checkout -q main; printf '\tsh %s\n' "$work/thief" >>Makefile; rm -f "$work/loot"
commit thief; git push -q origin main
workflow "$record" push "$push"
expect "default-branch code that looks for the token is recorded" 0 "of $(git rev-parse --short=12 HEAD) pushed"
check "and has not got it" nothing_stolen

finish
