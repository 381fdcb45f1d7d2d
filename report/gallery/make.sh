#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make gallery: the pictures beside this file, light and dark, of eleven situations. Real ones are decided again from recordings
# (testdata/replay) or rendered from a check's report.json (testdata/gallery, see its README); the rest are hand-built.
#
#   make.sh BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$(cd "$1" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "gallery: no chromium" >&2
	exit 3
}
modules=$(sh "$root/tests/browser/playwright.sh") || {
	echo "gallery: playwright-core cannot be fetched: node 18 or npm is missing, or there is no network" >&2
	exit 3
}
work=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-gallery.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$build/tests/browser/make_reports" "$work/made"

# picture NAME REPORT.json [LAST]; see shoot.js
picture() {
	"$build/flamegate" report --from "$2" --format html --output "$work/$1.html"
	node "$here/shoot.js" "$modules" "$browser" "$work/$1.html" "$work/$1" ${3+"$3"}
	for scheme in light dark; do
		pngquant --quality=60-95 --strip --force --output "$here/$1-$scheme.png" 96 -- "$work/$1-$scheme.png"
	done
	echo "  $1"
}
# replayed NAME: the verdict on testdata/replay/NAME, once more; its own exit status says nothing here
replayed() {
	"$build/flamegate" check --replay "$root/testdata/replay/$1" --output "$work/replay-$1" >"$work/out" 2>&1 || [ $? = 1 ]
	echo "$work/replay-$1/report.json"
}

# The culprit's card with its source is from a report of its own: the recordings hold no text.
picture pass "$(replayed aa)"
picture fail "$root/testdata/gallery/fail.json"
picture called "$(replayed called)"
picture shift "$(replayed refactor)"
picture improved "$root/testdata/gallery/improved.json"
picture new_function "$root/testdata/gallery/new_function.json"
picture stored "$work/made/reference_screen/report.json"
picture memory "$(replayed heap)" .flame-slot
picture production "$work/made/production/report.json"
picture error "$work/made/error/report.json"
picture alone "$root/testdata/gallery/alone.json"

"$build/flamegate" report --from "$work/replay-called/report.json" --format svg --output "$here/called.svg"

large=$(find "$here" -name '*.png' -size +150k)
[ -z "$large" ] || { echo "gallery: larger than 150 kB: $large" >&2; exit 1; }
