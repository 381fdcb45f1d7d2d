# SPDX-License-Identifier: Apache-2.0
# Runs tests in a browser that is driven by real mouse and keyboard input. Source it, then: drive TEST.js...
# shellcheck shell=bash
# shellcheck source=tests/browser/lib.sh
. "$(dirname "$0")/lib.sh"
modules=$(sh "$here/playwright.sh" 2>"$work/out") || {
	echo "1..0 # SKIP no playwright: node 18 or npm is missing, or nothing can be fetched"
	exit 0
}
"$build/tests/browser/make_reports" "$work/reports" >"$work/out" 2>&1 || {
	echo "Bail out! the reports could not be written"
	exit 1
}
mkdir -p "$work/reports/rich"
node "$here/cases/rich.js" "$work/reports/fail/report.json" >"$work/rich.json" &&
	"$flamegate" report --from "$work/rich.json" --format html >"$work/reports/rich/report.html" || {
	echo "Bail out! the rich report could not be written"
	exit 1
}

mkdir -p "$work/reports/wide"
node "$here/cases/rich.js" "$work/reports/fail/report.json" 250 >"$work/wide.json" &&
	"$flamegate" report --from "$work/wide.json" --format html >"$work/reports/wide/report.html" || {
	echo "Bail out! the wide report could not be written"
	exit 1
}

# Real ones: one profile alone, and a comparison with long names
for name in alone new_function; do
	mkdir -p "$work/reports/gallery-$name"
	"$flamegate" report --from "$here/../../testdata/gallery/$name.json" --format html >"$work/reports/gallery-$name/report.html" || {
		echo "Bail out! the gallery's $name could not be written"
		exit 1
	}
done

# A profile type with a name of its own, as long as names are shown
mkdir -p "$work/reports/long"
sed "s/\"profile_type\":\"alloc_bytes\"/\"profile_type\":\"$(printf 'long_type_%.0s' {1..6})\"/" "$here/../../testdata/report/json/kinds.json" >"$work/long.json" &&
	"$flamegate" report --from "$work/long.json" --format html >"$work/reports/long/report.html" || {
	echo "Bail out! the report with a long type could not be written"
	exit 1
}

drive() { (cd "$here" && node run.js "$modules" "$browser" "$work/reports" "${@/#/cases/}"); }
