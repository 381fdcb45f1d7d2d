#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A user's first minute, under act: the root's action takes a real release (make dist) from a server on loopback, without a
# compiler for flamegate, and finds a planted regression; then from the cache; then from source, since the checksum is
# wrong, and that from the cache. `make bench-first-minute`: TIMES=file gets how long each step took.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../cli/loop_lib.sh"
# shellcheck source=tests/actions/act_lib.sh
. "$(dirname "$0")/act_lib.sh"
if ! bash "$sources/actions/dist/libraries.sh" >/dev/null 2>"$work/why"; then
	echo "1..0 # SKIP no libraries for a release: $(tail -n 1 "$work/why")"
	exit 0
fi
need_act
without_valgrind
product
version=$(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' "$sources/gate/check/version.h")
mkdir -p "$work/served/v$version"
run bash "$sources/actions/dist/dist.sh" "$work/dist"
expect "there is a release" 0
cp "$work/dist/"*.tar.gz "$work/served/v$version/"
(cd "$work/served" && exec python3 -m http.server --bind 127.0.0.1 0) >"$work/server.out" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do
	port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server.out")
	[ -z "$port" ] || break
	sleep 0.1
done
releases=http://127.0.0.1:$port
[ -z "${TIMES:-}" ] || : >"$TIMES"

repo day; workload; config; commit first; remote day
git checkout -qb slow; workload 9 6; commit "slower"
# From the start of the action's first step.
[ -z "${TIMES:-}" ] || stamps=$work/stamps
timed() { # NAME
	[ -z "${TIMES:-}" ] || printf '%s: %s\n' "$1" "$(python3 "$sources/tests/actions/step_times.py" "$stamps")" >>"$TIMES"
}
gate() { # NAME
	workflow tests/actions/workflows/root.yml pull_request "{\"pull_request\": {\"number\": 7, \"base\": {\"ref\": \"main\"}, \"head\": {\"ref\": \"slow\"}},
 \"repository\": {\"private\": true}, \"for_test\": {\"directory\": \"$work/day\"}}"
	timed "$1"
}
sh "$work/product/actions/release.sh" take "v$version" "$work/served/v$version/"*.tar.gz >"$work/release" && cp "$work/release" "$work/product/actions/release"
gate "release, cold"
expect "by the root's action, with a release, a regression fails and is named" 1 "step9"
check "flamegate was not built" [ ! -d "$work/built" ]
check "and nothing warned of" silent_about "::warning title=flamegate::flamegate's release"
check "outputs: a regression" has_output status regression
check "it is kept in the cache" grep -q '^save flamegate-release-' "$work/caches.log"
rm -rf "$work/builds"
gate "release, from the cache"
expect "the second time it comes from the cache" 1 "step9"
check "by the release's key" grep -q '^restore flamegate-release-[0-9a-f]*: flamegate-release-' "$work/caches.log"

rm -rf "$work/caches" "$work/builds" "$work/home/.cache"
sed -i "s/^$(uname -m) .*/$(uname -m) $(printf %064d 0)/" "$work/product/actions/release"
gate "from source, cold"
expect "an archive of another checksum is not taken, and flamegate is built" 1 "step9"
check "and it is said why" says "IS NOT THE ARCHIVE THAT WAS RELEASED"
check "with one warning" [ "$(grep -c "::warning title=flamegate::flamegate's release cannot be used" "$log")" -eq 1 ]
check "from source" [ -d "$work/built" ]
rm -rf "$work/builds" "$work/built"
gate "from source, from the cache"
expect "the next time that is in the cache" 1 "step9"
check "and not built again" [ ! -d "$work/built" ]
finish
