#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The notes store over every transport that git has, from every kind of clone, with the user's own
# way to reach the remote.
# shellcheck source=tests/baseline/lib.sh
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
one=$(commit_of 0)

# serve KIND FOLDER: $port
serve() {
	[ -z "$server" ] || kill "$server"
	rm -f "$work/port" # of the server before
	python3 "$here/git_server.py" "$1" "$2" >"$work/port" 2>"$work/server.log" &
	server=$!
	for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done
	port=$(cat "$work/port")
}
# round NAME REPO [STORE]: a record gets there and comes back by a fresh cache
round() {
	local name=$1 repo=$2 store=${3:-notes:}
	FLAMEGATE_CACHE=$PWD/cache.put run "$records" put "$repo" "$store" 7 "$one"
	expect "$name: put" 0 "attempts 1"
	FLAMEGATE_CACHE=$PWD/cache.get run "$records" get "$repo" "$store" "$one" bench-7
	expect "$name: get" 0 "4 rounds, tree"
	rm -rf cache.put cache.get
}
forget() { git -C remote.git update-ref -d $notes; }

# ---- transports
scene transports
git -C repo commit -q --allow-empty -m x && git -C repo push -q origin HEAD
round "a path" repo
forget
round "a path that is typed" repo "notes:$PWD/remote.git"
forget
round "a relative path" repo notes:../remote.git
forget
round "file://" repo "notes:file://$PWD/remote.git"
forget
git -C repo config core.sshCommand "sh -c 'for last; do :; done; exec sh -c \"\$last\"' ssh"
git -C repo config ssh.variant simple
round "ssh by core.sshCommand" repo "notes:host.invalid:$PWD/remote.git"
forget

serve daemon "$PWD"
round "git daemon" repo "notes:git://127.0.0.1:$port/remote.git"
forget

# ---- HTTP with credentials
serve http "$PWD"
url=http://127.0.0.1:$port/remote.git
git -C repo remote set-url origin "$url"
header="AUTHORIZATION: basic $(printf ci:s3cret | base64)"
run "$records" put repo notes: 7 "$one"
expect "without credentials it says so, and does not ask" 3 "no credentials for it"
git -C repo config "http.http://127.0.0.1:$port/.extraheader" "$header"
: >authorizations
round "HTTP with an extraheader of the repository" repo
once() { grep -qx 1 authorizations && ! grep -qvx 1 authorizations; }
check "each request has the header once" once
forget
git -C repo config --unset-all "http.http://127.0.0.1:$port/.extraheader"
printf '[http "http://127.0.0.1:%s/"]\n\textraheader = "%s"\n' "$port" "$header" >credentials
git -C repo config "includeIf.gitdir:$PWD/repo/.git.path" "$PWD/credentials"
round "HTTP with an extraheader of an included file" repo
forget
git -C repo config --unset "includeIf.gitdir:$PWD/repo/.git.path"
printf '[include]\n\tpath = %s\n' "$PWD/credentials" >global
: >authorizations
GIT_CONFIG_GLOBAL=$PWD/global round "HTTP with an extraheader of the user" repo
check "that is not sent twice" once
forget
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=include.path GIT_CONFIG_VALUE_0=$PWD/credentials \
	round "HTTP with an extraheader of the environment" repo
forget
git -C repo config credential.helper '!f() { echo username=ci; echo password=s3cret; }; f'
round "HTTP with a credential helper" repo
touch deny-push
run "$records" put repo notes: 8 "$one"
expect "a token that may not write is told what to set" 3 "contents: write" "notes of origin"
rm deny-push
git -C repo config credential.helper '!f() { echo username=ci; echo password=wr0ng; }; f'
run "$records" put repo notes: 8 "$one"
expect "wrong credentials are said to be refused" 3 "are refused"
silent() { ! grep -q wr0ng "$work/out"; }
check "and appear nowhere" silent
kill "$server"
wait "$server" 2>/dev/null
server=
run "$records" get repo notes: "$one" bench-7
expect "a server that is down is named" 3 "notes of origin" "does the server run"
git -C repo config --unset credential.helper

# ---- clones
git -C remote.git config uploadpack.allowFilter true
remote=file://$PWD/remote.git
git clone -q --filter=blob:none --sparse "$remote" sparse
round "a partial clone with a sparse checkout" sparse
git -C sparse sparse-checkout set --cone nothing
forget
git clone -q --depth=1 "$remote" shallow
round "a clone of depth 1" shallow
round "its own ref" shallow notes:.
check "which stays shallow" test -f shallow/.git/shallow
git -C repo worktree add -q ../tree 2>/dev/null
git -C repo remote set-url origin ../remote.git
round "a worktree" tree
forget
git init -q --object-format=sha256 long && git init -q --bare --object-format=sha256 long.git
git -C long remote add origin ../long.git
long=$(printf '%064x' 1)
run "$records" put long notes: 7 "$long"
expect "a SHA-256 repository: put" 0 "attempts 1"
run "$records" get long notes: "$long" bench-7
expect "a SHA-256 repository: get" 0 "4 rounds, tree"
run "$records" put repo notes:../long.git 7 "$one"
expect "a remote with other object ids is refused" 3 "notes of ../long.git"

# ---- another owner
if [ "$(id -u)" = 0 ] && chown -R nobody repo; then
	run "$records" put repo notes: 7 "$one"
	expect "a repository of another user is refused with what to do" 2 "safe.directory"
	printf '[safe]\n\tdirectory = %s\n' "$PWD/repo" >global
	GIT_CONFIG_GLOBAL=$PWD/global round "a repository of another user that is declared safe" repo
	forget
	chown -R root repo && chown -R nobody remote.git
	run "$records" put repo notes: 7 "$one"
	git -C repo remote set-url origin "$PWD/remote.git"
	expect "a remote folder of another user is refused with git's advice" 3 "safe.directory"
	printf '[safe]\n\tdirectory = %s\n' "$PWD/remote.git" >global
	GIT_CONFIG_GLOBAL=$PWD/global round "a remote folder of another user that is declared safe" repo
else
	skip "only root can give a repository away"
fi
finish
