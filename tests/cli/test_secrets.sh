#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measured code looks for a token that flamegate was started with, in all processes above it, and finds none.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
finder=$(cd "$(dirname "$0")" && pwd)/find_secret.pl

# The kernel shows root everything: what is kept from a user is tried by one.
mkdir "$work/bin" "$work/home" && cp "$flamegate" "$build/libflamegate.so" "$finder" "$work/bin"
as_user() { HOME=$work/home "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	as_user() { HOME=$work/home setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi

# Build and benchmark leave beside them what they have found.
repo day; program 40
token=t0ken-of-the-server
fold -w 1 <<<"$token" >letters
printf '\tperl %s letters %s >found-by-build\n' "$work/bin/find_secret.pl" "$$" >>Makefile
config
sed -i "s|command: ./bench|command: perl $work/bin/find_secret.pl letters $$ >found-by-run; ./bench|" .flamegate.yml
commit base
git checkout -qb topic; sed -i 's|"done"|"done 2"|' main.c; commit topic
chmod 755 "$work"; [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$work"

# found: what was found, by all of those who looked
found() { find "$work/cache" -name 'found-by-*' -exec cat {} +; }
# looks NAME STATUS TEXT COMMAND...: with the token in flamegate's environment
looks() {
	local name=$1 wanted=$2 text=$3
	shift 3
	rm -rf "$work/cache"
	run as_user env FLAMEGATE_TOKEN="$token" FLAMEGATE_CACHE="$work/cache" "$work/bin/flamegate" "$@"
	expect "$name goes on as ever" "$wanted" "$text"
	found >"$work/found"
	check "who is built and measured by it looks" grep -q looked "$work/found"
	grep -v looked "$work/found" >"$work/out"
	if [ -s "$work/out" ]; then not_ok "and finds nothing"; else ok "and finds nothing"; fi
}
looks "check" 0 "stage 1" check --base main
looks "record" 0 "recorded 1 benchmark" record

# The finder finds what is there to be found.
run as_user env FLAMEGATE_TOKEN="$token" sh -c "perl $work/bin/find_secret.pl letters $$; :"
expect "in a shell it would be found" 0 "own environment" "environ of sh" "memory of sh"
finish
