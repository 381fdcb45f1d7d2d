#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whole workflows with a release, under act, from a server on loopback: the root's action, record and publish. The archive is
# that of `make dist`, where it has been made of this commit; else one of the program that was built here.
# shellcheck disable=SC2016 # another script's own
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../cli/loop_lib.sh"
# shellcheck source=tests/actions/act_lib.sh
. "$(dirname "$0")/act_lib.sh"
need_act
without_valgrind
product
version=$(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' "$sources/gate/check/version.h")
name=flamegate-$version-linux-$(uname -m)
archive=$work/served/v$version/$name.tar.gz
mkdir -p "$work/served/v$version"

# stage: an archive's folder, of what was built here; its libraries are the system's
stage() {
	mkdir -p "$work/stage/$name/bin" "$work/stage/$name/lib/flamegate"
	cp "$build/flamegate" "$build/libflamegate.so" "$build/libflamegate-heap.so" "$build/libflamegate-clock.so" "$work/stage/$name/lib/flamegate/"
	printf '#!/bin/sh\nexec "${0%%/bin/*}/lib/flamegate/flamegate" "$@"\n' >"$work/stage/$name/bin/flamegate"
	chmod +x "$work/stage/$name/bin/flamegate"
}
made=$(dirname "$build")/build/dist/$name.tar.gz
if [ -f "$made" ] && tar -xOf "$made" "$name/lib/flamegate/flamegate" | grep -qaF "$(git -C "$sources" rev-parse --short=12 HEAD)"; then
	cp "$made" "$archive"
else
	stage
	tar -C "$work/stage" -czf "$archive" "$name"
fi
sh "$work/product/actions/release.sh" take "v$version" "$archive" >"$work/release" && cp "$work/release" "$work/product/actions/release"

(cd "$work/served" && exec python3 -u -m http.server --bind 127.0.0.1 0) >"$work/server.out" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do
	port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server.out")
	[ -z "$port" ] || break
	sleep 0.1
done
releases=http://127.0.0.1:$port
asked() { grep -c '"GET ' "$work/server.out"; }

repo day; workload; config; commit first; remote day
main=$(git rev-parse HEAD)
here='"directory": "'$work'/day"'
push() { workflow tests/actions/workflows/record.yml push '{"ref": "refs/heads/main", "repository": {"private": true}, "for_test": {'"$here"'}}'; }
pull() { workflow tests/actions/workflows/root.yml pull_request '{"pull_request": {"number": 7, "base": {"ref": "main"}, "head": {"ref": "slow"}},
 "repository": {"private": true}, "for_test": {'"$here"'}}'; }
key=flamegate-release-$(sha256sum <"$archive" | cut -d ' ' -f 1)

# ---- the default branch records and publishes with it
push
expect "with a release the default branch records and publishes" 0 "of ${main:0:12} pushed"
check "flamegate was built by neither job" [ ! -d "$work/built" ]
check "both jobs have asked for the archive, as publish takes nothing from a cache" [ "$(asked)" -eq 2 ]
check "it is kept by its checksum" grep -qx "save $key" "$work/caches.log"
check "the run's page says where it was looked for" says "::notice title=flamegate::the release is looked for at $releases"
check "and nothing is warned of" silent_about "::warning title=flamegate::flamegate's release"

# ---- a pull request with a planted regression, by the root's action
git checkout -qb slow; workload 9 6; commit "slower"
pull
expect "by the root's action a regression fails, and is named" 1 "step9" "stored baseline of ${main:0:10}"
check "outputs: a regression" has_output status regression
check "flamegate came from the cache" grep -qx "restore $key: $key.tar" "$work/caches.log"
check "and nobody was asked" [ "$(asked)" -eq 2 ]

# ---- a cache that somebody has written to
mkdir "$work/poisoned" && tar -C "$work/poisoned" -xf "$work/caches/$key.tar"
printf '#!/bin/sh\ntouch "%s"\nexit 0\n' "$work/evil-ran" >"$work/poisoned/flamegate"
echo x >>"$work/poisoned/archive"; tar -C "$work/poisoned" -cf "$work/caches/$key.tar" .
pull
expect "a program in the cache beside another archive is not run" 1 "step9"
check "the archive is downloaded anew" [ "$(asked)" -eq 3 ]
check "nothing of it ran" [ ! -e "$work/evil-ran" ]

# ---- another archive than was released
rm -rf "$work/caches"; built_before
printf '#!/bin/sh\ntouch "%s"\n' "$work/evil-ran" >"$work/poisoned/flamegate"
mkdir -p "$work/evil/$name/bin" && cp -r "$work/poisoned" "$work/evil/$name/lib" && cp "$work/poisoned/flamegate" "$work/evil/$name/bin/"
chmod +x "$work/evil/$name/bin/flamegate"; tar -C "$work/evil" -czf "$archive" "$name"
pull
expect "another archive is not taken, and flamegate is built" 1 "step9"
check "one warning says so" [ "$(grep -c "::warning title=flamegate::flamegate's release cannot be used, so flamegate is built from its source" "$log")" -eq 1 ]
check "plainly" says "IS NOT THE ARCHIVE THAT WAS RELEASED"
check "nothing of it ran" [ ! -e "$work/evil-ran" ]
check "what was built is kept by its sources, not as the release" grep -q '^save flamegate-source-' "$work/caches.log"
check "nothing as the release" sh -c "! grep -q '^save flamegate-release-' '$work/caches.log'"
releases=http://127.0.0.1:1
pull
expect "the next time the regression fails, too" 1 "step9"
check "by that build, from the cache" says "so an earlier build from its source is used"
finish
