#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what reports are measured against, once, into ${FLAMEGATE_SERVER_CACHE:-...} (tests/servers/build.sh), and
# prints the folder's path: node_modules/{d3,d3-flame-graph} (npm) and bin/inferno-* (crates.io, built for minutes).
# Exit 3 where npm or cargo is missing, or nothing can be fetched.
set -eu
command -v npm >/dev/null && command -v cargo >/dev/null || exit 3
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}
target=$cache/report-peers-1
if [ ! -d "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/report-peers.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" \
		d3@7.9.0 d3-flame-graph@5.0.0 >&2 || exit 3
	cargo install --quiet --locked --root "$folder" --version 0.12.1 inferno >&2 || exit 3
	trap - EXIT
	# Another run may have been first: mv would put this folder into that one.
	mv -T "$folder" "$target" 2>/dev/null || rm -rf "$folder"
fi
echo "$target"
