#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what renders Markdown as GitHub does (once, into ${FLAMEGATE_SERVER_CACHE:-...}, see build.sh) from npm,
# and prints the folder's path. Exit 3 where there is no npm, or nothing can be fetched.
set -eu
command -v npm >/dev/null || exit 3
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}
target=$cache/markdown-1
if [ ! -d "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/markdown.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" \
		unified@11.0.5 remark-parse@11.0.0 remark-gfm@4.0.1 remark-github@12.0.0 remark-rehype@11.1.2 \
		rehype-raw@7.0.0 rehype-sanitize@6.0.0 >&2 || exit 3
	trap - EXIT
	# Another run may have been first: mv would put this folder into that one.
	mv -T "$folder" "$target" 2>/dev/null || rm -rf "$folder"
fi
echo "$target"
