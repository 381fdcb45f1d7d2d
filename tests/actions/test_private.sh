#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A private repository by HTTP: the actions' token opens it for git, and reaches neither build nor benchmark.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../cli/loop_lib.sh"
sources=$(cd "$(dirname "$0")/../.." && pwd)

# action SCRIPT [WORD] VARIABLE=VALUE...: as the runner starts it, here
action() {
	local script=$1 words=()
	shift
	while [ $# -gt 0 ] && [[ $1 != *=* ]]; do words+=("$1"); shift; done
	: >"$work/outputs"
	run env CI=true GITHUB_ACTIONS=true GITHUB_BASE_REF=main GITHUB_OUTPUT="$work/outputs" \
		GITHUB_SERVER_URL="$server" FG_PROGRAM="$build" FG_BASE='' FG_STORE='' FG_BENCHMARKS='' FG_ARGS='' \
		FG_OUTPUT=flamegate-report FG_WORKING_DIRECTORY=. FG_PRUNE=true \
		FG_RECORDINGS="$PWD/flamegate-record" FG_ARTIFACT=x FG_COMMIT="$(git rev-parse HEAD)" "$@" \
		bash "$sources/actions/$script" "${words[@]}"
}

# The server of the notes' tests; a checkout's token has its own user there.
sed 's/ci:s3cret/x-access-token:t0ken/' "$sources/tests/baseline/git_server.py" >"$work/server.py"
coproc SERVER { exec python3 "$work/server.py" http "$work"; }
# shellcheck disable=SC2153 # by coproc
server_pid=$SERVER_PID
trap 'kill "$server_pid"; rm -rf "$work"' EXIT
read -r port <&"${SERVER[0]}"
server=http://127.0.0.1:$port

# What build and benchmark can see is left beside them.
repo day; workload 1 1; config
printf '\tenv >build-environment\n' >>Makefile
sed -i 's|command: ./bench|command: env >run-environment; ./bench|' .flamegate.yml
commit first; remote day
git remote set-url origin "$server/day.git"

action record/run.sh
expect "the default branch is recorded without a token" 0
action publish/run.sh FG_TOKEN=
expect "without one nothing can be pushed" 3 "were not pushed"
action publish/run.sh FG_TOKEN=t0ken
expect "with it the push goes through" 0 "of $(git rev-parse --short=12 HEAD) pushed"
check "the note is there" git --git-dir="$work/day.git" rev-parse -q --verify refs/notes/flamegate
git config "http.$server/.extraheader" "AUTHORIZATION: basic $(printf 'x-access-token:t0ken' | base64)"
action publish/run.sh FG_TOKEN=t0ken
expect "beside a checkout's own credentials as well" 0 "pushed"
check "never two at once" [ "$(sort -u "$work/authorizations")" = "$(printf '0\n1')" ]
git config --unset "http.$server/.extraheader"

# Head's files need the token when base's build, which could have changed git, has run already.
git checkout -qb topic; sed -i 's|"done"|"done 2"|' main.c
git init -q -b main "$work/lib" && (cd "$work/lib" && echo text >file && commit lib && git clone -q --bare . "$work/lib.git")
git -c "http.$server/.extraheader=AUTHORIZATION: basic $(printf 'x-access-token:t0ken' | base64)" \
	submodule --quiet add "$server/lib.git" lib
printf '\tcat lib/file\n' >>Makefile
commit topic
rm -rf "$FLAMEGATE_CACHE"
action gate/run.sh FG_TOKEN=t0ken
expect "the gate reads the baseline with it" 0 "stored baseline of $(git rev-parse --short=10 main)"
action gate/run.sh FG_TOKEN=
expect "without it the pairs decide all the same" 0 "stage 1"
seen=$(find "$FLAMEGATE_CACHE" -name '*-environment')
check "builds and runs left what they saw" [ "$(wc -l <<<"$seen")" -ge 4 ]
hidden() {
	local text
	for text in t0ken "$(printf 'x-access-token:t0ken' | base64)" extraheader FG_ GITHUB_; do
		! grep -rlF -- "$text" "$FLAMEGATE_CACHE"/*/builds flamegate-record flamegate-report "$work/outputs" || return 1
	done
}
check "and nothing of it is the token, in any form" hidden
# What record saves is restored into pull requests' runs.
kept() { grep -rlF -e t0ken -e "$(printf 'x-access-token:t0ken' | base64)" "$FLAMEGATE_CACHE" .git; }
if kept >"$work/out"; then not_ok "nor is it kept in the cache or the repository"; else ok "nor is it kept in the cache or the repository"; fi

finish
