#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the commit that these sources are of: twelve digits, "-dirty" behind them where tracked files differ.
# FLAMEGATE_COMMIT decides, where it is set; else git, where this is a clone's own root; else commit.txt, which git archive
# has filled. "unknown" if none of them tells.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
root=$(cd "$here/../../.." && pwd) || exit 1
# A hook's or another repository's.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX

commit=${FLAMEGATE_COMMIT:-}
# A tarball that was unpacked inside somebody's repository is not of that repository's commit.
if [ -z "$commit" ] && [ -e "$root/.git" ]; then
	# Whoever runs this tree's Makefile trusts it, also as root in a folder of somebody else's.
	commit=$(git --no-optional-locks -c safe.directory='*' -c core.fsmonitor=false -C "$root" describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
fi
if [ -z "$commit" ]; then
	commit=$(head -c 12 "$here/commit.txt" 2>/dev/null)
fi
case $commit in
'' | *[!0-9a-zA-Z.-]*) commit=unknown ;;
esac
[ "${#commit}" -lt 40 ] || commit=$(printf %.12s "$commit")
printf '%s\n' "$commit"
