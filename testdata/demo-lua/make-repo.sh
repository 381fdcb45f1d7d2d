#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a git repository with two versions of Lua as two commits, tags v5.3.6 and v5.4.7, each with
# the host and the benchmarks that lie here.
#
# usage: make-repo.sh LUA-SRC DIR    (LUA-SRC: the crate lua-src, unpacked; DIR is made)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { echo "usage: make-repo.sh LUA-SRC DIR" >&2; exit 2; }
crate=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"

# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=demo GIT_AUTHOR_EMAIL=demo@example.org
export GIT_COMMITTER_NAME=demo GIT_COMMITTER_EMAIL=demo@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE || true
umask 022

cd "$2"
git init -q
git symbolic-ref HEAD refs/heads/main
git config core.autocrlf false
cp -R "$here/host.c" "$here/Makefile" "$here/bench" .
cp "$here/flamegate.yml" .flamegate.yml
echo host >.gitignore

version() { # version date
	rm -rf src
	cp -R "$crate/lua-$1" src
	git add -A
	GIT_AUTHOR_DATE=$2 GIT_COMMITTER_DATE=$2 git commit -q --no-verify -m "Lua $1"
	git tag "v$1"
}
version 5.3.6 2020-09-25T00:00:00Z
version 5.4.7 2024-06-25T00:00:00Z
