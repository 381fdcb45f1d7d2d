#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Finds act or actionlint, or builds it through the Go module proxy (a minute or two, once), and prints its path:
#
#   build.sh act|actionlint
#
# Binaries stay in ${FLAMEGATE_SERVER_CACHE:-~/.cache/flamegate-test-servers}. Exit 3 where there is no Go.
set -eu
case ${1:-} in
act) package=github.com/nektos/act version=v0.2.89 ;;
actionlint) package=github.com/rhysd/actionlint/cmd/actionlint version=v1.7.12 ;;
*)
	echo "usage: build.sh act|actionlint" >&2
	exit 2
	;;
esac
command -v "$1" && exit
command -v go >/dev/null || exit 3
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}
target=$cache/$1-$version-$(cd / && go env GOVERSION)
if [ ! -x "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/$1.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	echo "building $1" >&2
	(cd / && GOBIN=$folder go install -trimpath -ldflags='-s -w' "$package@$version" >&2)
	mv "$folder/$1" "$target"
fi
echo "$target"
