#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what drives a real browser and what looks for barriers in a page (once, into ${FLAMEGATE_BROWSER_CACHE:-...}),
# and prints the folder's path. Exit 3 where node is missing or old, where there is no npm, or nothing can be fetched.
# The browser is the machine's own: `make packages-browser` installs it and npm.
set -eu
command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || exit 3
cache=${FLAMEGATE_BROWSER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-browser}
target=$cache/playwright-1
if [ ! -d "$target" ]; then
	mkdir -p "$cache"
	folder=$(mktemp -d "$cache/playwright.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" \
		playwright-core@1.60.0 axe-core@4.14.1 >&2 || exit 3
	trap - EXIT
	# Another run may have been first: mv would put this folder into that one.
	mv -T "$folder" "$target" 2>/dev/null || rm -rf "$folder"
fi
echo "$target"
