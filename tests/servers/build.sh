#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what the tests of real servers start, through the Go module proxy, and prints its path:
#
#   build.sh parca         Parca itself: minutes, once
#   build.sh pprofdemo     tests/servers/go, a program with net/http/pprof: seconds
#
# Binaries stay in ${FLAMEGATE_SERVER_CACHE:-~/.cache/flamegate-test-servers}, keyed on what they
# were built from and on the version of Go.
set -eu
PARCA_VERSION=v0.28.0
here=$(cd "$(dirname "$0")" && pwd)
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}
command -v go >/dev/null || { echo "build.sh: Go is not installed" >&2; exit 3; }
mkdir -p "$cache"
go=$(cd / && go env GOVERSION)
# Whoever needs it at the same time waits for it, and finds it there.
exec 9>"$cache/lock-${1:-}"
flock 9

# build TARGET PACKAGE: of the module in the current folder
build() {
	echo "building ${1##*/}" >&2
	go build -mod=mod -trimpath -ldflags='-s -w' -o "$1.$$" "$2" >&2
	mv "$1.$$" "$1"
}

case ${1:-} in
parca)
	target=$cache/parca-$PARCA_VERSION-$go
	if [ ! -x "$target" ]; then
		module=$(mktemp -d)
		trap 'rm -rf "$module"' EXIT
		sed "s/VERSION/$PARCA_VERSION/" "$here/parca.mod" >"$module/go.mod"
		(cd "$module" && build "$target" github.com/parca-dev/parca/cmd/parca)
	fi
	;;
pprofdemo)
	target=$cache/pprofdemo-$(cat "$here/go/go.mod" "$here/go/main.go" | sha256sum | cut -c1-12)-$go
	[ -x "$target" ] || (cd "$here/go" && build "$target" .)
	;;
*)
	echo "usage: build.sh parca|pprofdemo" >&2
	exit 2
	;;
esac
echo "$target"
