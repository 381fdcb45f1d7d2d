#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the repository that testdata/replay/heap was recorded of: a store at the tag `base`, and head on `keeps`,
# whose heap grows and has a peak. Author, dates and content are fixed, and so are the commits' ids.
#
#	sh testdata/heap/make-repo.sh DIR && cd DIR && flamegate check --base base --seed 7
#
# What it leaves in flamegate-report/recordings is the fixture.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { echo "usage: make-repo.sh DIR" >&2; exit 2; }
mkdir -p "$1"
[ -z "$(ls -A "$1")" ] || { echo "make-repo.sh: $1 is not empty" >&2; exit 2; }

# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=store GIT_AUTHOR_EMAIL=store@example.org
export GIT_COMMITTER_NAME=store GIT_COMMITTER_EMAIL=store@example.org
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE || true
umask 022

commit() { # message hour
	GIT_AUTHOR_DATE="2024-03-04T$2:00:00Z" GIT_COMMITTER_DATE="2024-03-04T$2:00:00Z" \
		git commit -q --no-verify -m "$1"
}

cp -R "$here/store/." "$here/../../gate/sampler/flamegate.h" "$1/"
cd "$1"
git init -q -b main
git add -A
commit "store: documents in memory, and what is asked of them" 10
git tag base
git checkout -q -b keeps
git apply --index "$here/patches/keeps.patch"
commit "$(sed '/^$/q' "$here/patches/keeps.patch" | head -n 1)" 11
