#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the viewer makes of very large trees, without a browser: counted, never timed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v node >/dev/null && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || {
	echo "1..0 # SKIP no node 18"
	exit 0
}
node "$here/cases/bounds.js"
