#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measured code looks for a token that flamegate was started with, in all processes above it, and finds none.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
without_valgrind
finder=$(cd "$(dirname "$0")" && pwd)/find_secret.pl
actions=$(cd "$(dirname "$0")/../../../actions" && pwd)

# The kernel shows root everything: what is kept from a user is tried by one.
mkdir "$work/bin" "$work/home" && cp "$flamegate" "$build"/libflamegate*.so "$finder" "$work/bin"
cp -r "$actions" "$work/actions"
as_user() { HOME=$work/home "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	as_user() { HOME=$work/home setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi

# Build and benchmark leave beside them what they have found.
repo day; program 40
token=t0ken-of-the-server
fold -w 1 <<<"$token" >letters
# As git gets it from the actions
printf 'x-access-token:%s' "$token" | base64 | fold -w 1 >encoded
find="for what in letters encoded; do perl $work/bin/find_secret.pl \$\$what $$; done"
printf '\t%s >found-by-build\n' "$find" >>Makefile
config
sed -i "s|command: ./bench|command: '${find//\$\$/\$} >found-by-run; ./bench'|" .flamegate.yml
commit base
git init -q --bare "$work/day.git" && git push -q "$work/day.git" main && git remote add origin "file://$work/day.git" && git fetch -q origin
git checkout -qb topic; sed -i 's|"done"|"done 2"|' main.c; commit topic
chmod 755 "$work"; [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$work"

# found: what was found, by all of those who looked
found() { find "$work/cache" -name 'found-by-*' -exec cat {} +; }
# looks NAME STATUS TEXT COMMAND...: with the token in flamegate's environment
looks() {
	local name=$1 wanted=$2 text=$3
	shift 3
	rm -rf "$work/cache"
	run as_user env FLAMEGATE_TOKEN="$token" FLAMEGATE_CACHE="$work/cache" "$@"
	expect "$name goes on as ever" "$wanted" "$text"
	found >"$work/found"
	check "who is built and measured by it looks" grep -q looked "$work/found"
	grep -v looked "$work/found" >"$work/out"
	if [ -s "$work/out" ]; then not_ok "and finds nothing"; else ok "and finds nothing"; fi
}
looks "check" 0 "stage 1" "$work/bin/flamegate" check --base main
looks "record" 0 "recorded 1 benchmark" "$work/bin/flamegate" record
# By the shell of the action, too, which is given git's token
looks "the gate action" 0 "::add-mask::" FG_TOKEN="$token" GITHUB_SERVER_URL=file:// GITHUB_OUTPUT="$work/home/outputs" CI=true \
	GITHUB_ACTIONS=true GITHUB_BASE_REF=main FG_PROGRAM="$work/bin" FG_BASE= FG_STORE= FG_BENCHMARKS= FG_ARGS= \
	bash "$work/actions/gate/run.sh"

# The finder finds what is there to be found.
run as_user env FLAMEGATE_TOKEN="$token" sh -c "perl $work/bin/find_secret.pl letters $$; :"
expect "in a shell it would be found" 0 "own environment" "environ of sh" "memory of sh"
finish
