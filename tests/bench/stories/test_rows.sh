#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each row of `make bench-stories` that is a patch makes its repository: patches and programs fit each other.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-rows-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
count=0 status=0
for patch in "$here"/rows/*/change.patch; do
	row=$(dirname "$patch") name=$(basename "$(dirname "$patch")")
	count=$((count + 1))
	if bash "$here/repo.sh" "$row" "$scratch/$name" "$scratch" >"$scratch/out" 2>&1 &&
		! git -C "$scratch/$name" diff --quiet base head; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' "$scratch/out"
		status=1
	fi
done
echo "1..$count"
[ "$count" -ge 16 ] && exit "$status"
