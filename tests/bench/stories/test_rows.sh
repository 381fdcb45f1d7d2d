#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The rows of `make bench-stories`: their patches apply, and their stories say what the bench asks of them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
number=0

value() { sed -n "s/^$2: *//p" "$1/story"; }
result() { # name: nothing is wrong
	number=$((number + 1))
	if [ -s "$wrong" ]; then
		echo "not ok $number - $1"
		sed 's/^/# /' "$wrong"
	else
		echo "ok $number - $1"
	fi
	: >"$wrong"
}

for row in "$here"/rows/*; do
	(cd "$here/programs/$(value "$row" program)" && git apply --check "$row/change.patch") >>"$wrong" 2>&1
done
result "each change applies to its program as it lies here"

for row in "$here"/rows/* "$here"/releases/*; do
	[ -n "$(value "$row" sentence)" ] || echo "$row has no sentence" >>"$wrong"
	case $(value "$row" status) in
	pass) [ -z "$(value "$row" culprit)" ] || echo "$row passes and has a culprit" >>"$wrong" ;;
	fail | either) [ -n "$(value "$row" culprit)" ] || echo "$row fails and has no culprit" >>"$wrong" ;;
	*) echo "$row has no status" >>"$wrong" ;;
	esac
done
result "each story has a sentence, a status and the culprit of a regression"

for row in "$here"/releases/*; do
	for version in "$(value "$row" base-version)" "$(value "$row" head-version)"; do
		[ -n "$(value "$row" "checksum-$version")" ] || echo "$row: no checksum of $version" >>"$wrong"
	done
done
result "each release is pinned by a checksum"

# A story that lies elsewhere, and whose repository somebody else has made.
scratch=$(mktemp -d)
trap 'rm -rf "$wrong" "$scratch"' EXIT
mkdir "$scratch/row" "$scratch/other"
git -C "$scratch/other" init -q
for tag in base head; do
	git -C "$scratch/other" -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m $tag
	git -C "$scratch/other" tag $tag
done
echo "repository: $scratch/other" >"$scratch/row/story"
{
	bash "$here/repo.sh" "$scratch/row" "$scratch/repo" "$scratch/sources"
	[ "$(git -C "$scratch/repo" rev-parse base head)" = "$(git -C "$scratch/other" rev-parse base head)" ] ||
		echo "a repository of others is no row"
	git -C "$scratch/other" tag -d head
	! bash "$here/repo.sh" "$scratch/row" "$scratch/half" "$scratch/sources" || echo "one without a tag is"
	[ ! -e "$scratch/half" ] || echo "half a row is left"
} 2>&1 | grep -v "^Deleted tag" >>"$wrong"
result "a repository of others with both tags is a row"
echo "1..$number"
