#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches speedscope, which publishes the schema of its files, and what validates JSON (once, into
# ${FLAMEGATE_BROWSER_CACHE:-...}), and prints the folder's path. Exit 3 where there is no npm, or nothing can be fetched.
set -eu
command -v npm >/dev/null || exit 3
cache=${FLAMEGATE_BROWSER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-browser}
target=$cache/speedscope-1
if [ ! -d "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/speedscope.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --legacy-peer-deps --prefix "$folder" \
		speedscope@1.25.0 ajv@8.17.1 >&2 || exit 3
	trap - EXIT
	# Another run may have been first: mv would put this folder into that one.
	mv -T "$folder" "$target" 2>/dev/null || rm -rf "$folder"
fi
echo "$target"
