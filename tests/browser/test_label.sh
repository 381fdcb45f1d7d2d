#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a box of the graph says of itself where there is little room, without a browser.
set -u
command -v node >/dev/null && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || {
	echo "1..0 # SKIP no node 18"
	exit 0
}
exec node "$(dirname "$0")/cases/label.js"
