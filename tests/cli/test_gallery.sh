#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The reports that the gallery's pictures are made of are of real checks, some of them by earlier versions: the reader as it is
# now must take each, and every format be made of it. Also whole: what is read and written again is the same.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
gallery=$(cd "$(dirname "$0")/../../testdata/gallery" && pwd)

# The help's own list, so that a new format is tried too.
formats=$("$flamegate" report --help | sed -n 's/^.*--format NAME *//p' | sed 's/ (default.*//; s/,//g; s/ or / /')
check "the formats are known" test "$(echo "$formats" | wc -w)" -ge 13

made() { # REPORT FORMAT: of which there is something; a report without a culprit has none to show
	"$flamegate" report --from "$1" --format "$2" --output "$work/made" 2>"$work/out" || return 1
	[ -s "$work/made" ] || [ "$2" = culprit ] || [ "$2" = workflow ]
}
again() { # REPORT: what is written is read, and written again as it was
	"$flamegate" report --from "$1" --format json --output "$work/once.json" &&
		"$flamegate" report --from "$work/once.json" --format json --output "$work/twice.json" &&
		cmp "$work/once.json" "$work/twice.json"
}
for report in "$gallery"/*.json; do
	for format in $formats; do
		check "$(basename "$report") is read and made into $format" made "$report" "$format"
	done
	check "$(basename "$report") is the same when it is read again" again "$report"
done
check "there are reports" test "$(find "$gallery" -name '*.json' | wc -l)" -ge 4

# The test itself would notice: a field that is required and not there
sed 's/"exit_status"/"exit_state"/' "$gallery/fail.json" >"$work/damaged.json"
damaged() { ! made "$work/damaged.json" html; }
check "a report that lacks a required field is noticed" damaged
finish
