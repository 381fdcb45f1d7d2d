#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Go programs that nobody here wrote, pinned, through the Go module proxy, and prints the folder that they are in:
#
#   btree, btree.test    the sources of google/btree, and its tests, linked by the C compiler
#   pprof, esbuild       import net, and so the C library, and have no line of C
#
#   go.sh [kept]         kept: nothing is fetched or built
#
# What was built is kept in ${FLAMEGATE_SERVER_CACHE:-...}, see tests/servers/build.sh. Without Go or a C compiler the
# folder stays empty.
set -eu
btree=github.com/google/btree@v1.1.3
pprof=github.com/google/pprof@v0.0.0-20221118152302-e6195bd50e26
esbuild=github.com/evanw/esbuild/cmd/esbuild@v0.28.2
folder=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}/go-programs
echo "$folder"
[ "${1:-}" != kept ] || exit 0
if ! command -v go >/dev/null || ! command -v gcc >/dev/null; then
	echo "go.sh: Go or gcc is not installed: no Go program is tried" >&2
	exit 0
fi
stamp="$btree $pprof $esbuild $(cd / && go env GOVERSION)"
[ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

mkdir -p "${folder%/*}"
new=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
export CGO_ENABLED=1
for program in "$pprof" "$esbuild"; do
	echo "building $program" >&2
	(cd / && GOBIN=$new go install -trimpath "$program" >&2)
done
echo "building the tests of $btree" >&2
sources=$(cd / && go mod download -json "$btree" | sed -n 's/^.*"Dir": "\(.*\)".*/\1/p')
cp -r "$sources" "$new/btree"
chmod -R u+w "$new/btree"
(cd "$new/btree" && go test -c -ldflags=-linkmode=external -o ../btree.test . >&2)
echo "$stamp" >"$new/stamp"
rm -rf "$folder"
mv -T "$new" "$folder"
