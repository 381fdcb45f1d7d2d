#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the viewer exports, without a browser: folded stacks, and speedscope's JSON against speedscope's own schema.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v node >/dev/null && node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || {
	echo "1..0 # SKIP no node 18"
	exit 0
}
work=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
"${FLAMEGATE_BUILD:?run the tests by make test}/tests/browser/make_reports" "$work" >"$work/out" 2>&1 || {
	echo "Bail out! the reports could not be written"
	exit 1
}
folder=$(sh "$here/speedscope.sh" 2>"$work/out") || {
	folder=
}
FLAMEGATE_SPEEDSCOPE=$folder node "$here/cases/export_text.js" "$here"/../../testdata/report/json/*.json "$work"/{large,hostile,script}/report.json
