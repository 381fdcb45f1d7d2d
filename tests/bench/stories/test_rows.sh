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
echo "1..$number"
