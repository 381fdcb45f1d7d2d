#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the demo's git repository: logstat at the tag `base`, and a branch for each patch. Author, dates
# and content are fixed, so that the commits' ids are the same wherever and whenever it is made.
#
# usage: make-repo.sh DIR [LINES]        (DIR is created; it must be missing or empty)
#   LINES  of the log that is read, instead of 255,000: for runs of less than a CPU second, of which one makes a block
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: make-repo.sh DIR [LINES]" >&2; exit 2; }
mkdir -p "$1"
[ -z "$(ls -A "$1")" ] || { echo "make-repo.sh: $1 is not empty" >&2; exit 2; }

# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=logstat GIT_AUTHOR_EMAIL=logstat@example.org
export GIT_COMMITTER_NAME=logstat GIT_COMMITTER_EMAIL=logstat@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE || true
umask 022

commit() { # message hour
	GIT_AUTHOR_DATE="2024-03-04T$2:00:00Z" GIT_COMMITTER_DATE="2024-03-04T$2:00:00Z" \
		git commit -q --no-verify -m "$1"
}

# variant branch hour: the patch's first paragraph is the commit's message.
variant() {
	git checkout -q -b "$1" base
	git apply --index "$here/patches/$1.patch"
	commit "$(sed '/^$/q;/^diff /q' "$here/patches/$1.patch")" "$2"
}

cp -R "$here/logstat/." "$1/"
cd "$1"
if [ $# -eq 2 ]; then
	sed -i "s/^#define LINES .*/#define LINES $2/" src/gen.c
	echo "    repeat: 1" >>.flamegate.yml
fi
git init -q
git symbolic-ref HEAD refs/heads/main
git config core.autocrlf false
git add -A
commit "logstat: what a web server's log says" 09
git tag base
variant slow5 10
variant slow2 11
variant refactor-large 12
variant refactor-small 12
variant unrelated 13
variant comment 14
git checkout -q main
