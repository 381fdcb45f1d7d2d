#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a flamegate that is killed outright leaves, the next one takes away; what a live one has stays.
. "$(dirname "$0")/../lib.sh"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# await FILE: until it is there
await() { for _ in $(seq 6000); do [ -e "$1" ] && return; sleep 0.05; done; echo "# $1 never came"; }
# begin NAME COMMAND...: in the background, as $pid; returns when $work/NAME is there, which the benchmark makes
begin() {
	local name=$1
	shift
	"$@" >"$work/$name.out" 2>&1 </dev/null &
	pid=$!
	await "$work/$name"
}
# shellcheck disable=SC2317
only() { [ "$(ls -A "$TMPDIR")" = "$1" ]; }

cd "$work" || exit 1
begin killed "$flamegate" run -o killed.run -- sh -c "touch '$work/killed'; sleep 1000"
kill -KILL $pid
wait $pid 2>/dev/null
left=$(ls -A "$TMPDIR")
check "a killed run leaves its folder" test -d "$TMPDIR/${left:?}"
begin live "$flamegate" run -o live.run -- sh -c "touch '$work/live'; sleep 1000"
lives=$(ls -A "$TMPDIR")
check "the next run sweeps it" test "$lives" != "$left" -a ! -e "$TMPDIR/$left"
run "$flamegate" run -o next.run -- true
check "the folder of a live run stays" only "$lives"
kill -TERM $pid
wait $pid
check "a run that is told to end leaves nothing" only ""

# While building, and while measuring.
repo project
program 40
sed -i 's/^bench:/bench: wait\n.PHONY: wait\nwait:\n\t[ ! -e ..\/hold-build ] || { touch ..\/builds; sleep 1000; }\n&/' Makefile
config
commit one
cat >bench.sh <<S
#!/bin/sh
[ ! -e "$work/hold-run" ] || { touch "$work/runs"; sleep 1000; }
exec ./bench
S
chmod +x bench.sh
sed -i 's/command: .*/command: .\/bench.sh/' .flamegate.yml
sed -i "s|\.\./hold-build|$work/hold-build|; s|\.\./builds|$work/builds|" Makefile
commit two
sed -i 's/puts("done")/puts("did")/' main.c
commit three
for moment in build run; do
	touch "$work/hold-$moment"
	begin "${moment}s" "$flamegate" check --base HEAD~1
	kill -KILL $pid
	wait $pid 2>/dev/null
	rm "$work/hold-$moment"
	check "a check that is killed in its $moment leaves something" test -n "$(ls -A "$TMPDIR"; git worktree list | sed 1d)"
	run "$flamegate" check --base HEAD~1
	expect "the next check goes on" 0
	check "and leaves no temporary folder" only ""
	check "no worktree" test "$(git worktree list | wc -l)" = 1
	check "and no half of a build" test -z "$(find "$work/cache" -path '*/builds/*' -prune -o \( -name build -o -name '*.part' \) -print)"
done
finish
