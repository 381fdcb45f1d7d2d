#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is printed for people is UTF-8 where their locale is, and ASCII elsewhere or where it is asked for.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
golden=$(cd "$(dirname "$0")/../.." && pwd)/testdata/report/json/fail.json
unset LC_ALL LC_CTYPE LANG FLAMEGATE_ASCII
sed 's/parse_field/pärse_名前_→_fie\\u2028ld/g' "$golden" >"$work/report.json"

# shown VARIABLE=VALUE... [-- ARGUMENT...]: the terminal's report
shown() {
	local variables=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do variables+=("$1"); shift; done
	env "${variables[@]}" "$flamegate" report --from "$work/report.json" "${@:2}" >"$work/shown"
}
utf8() { shown "$@" && grep -q 'pärse_名前' "$work/shown"; }
ascii() { shown "$@" && ! LC_ALL=C grep -q '[^ -~	]' "$work/shown" && grep -q 'p?rse_??_>_fie.ld' "$work/shown"; }
check "a UTF-8 locale gets names as they are" utf8 LANG=de_DE.UTF-8
check "however it is spelled" utf8 LC_CTYPE=C.utf8
check "another gets ASCII" ascii LANG=de_DE.ISO-8859-1
check "so does none" ascii
check "LC_ALL counts before LC_CTYPE, and that before LANG" ascii LC_ALL=C LC_CTYPE=C.UTF-8 LANG=C.UTF-8
check "an empty one does not count" utf8 LC_ALL= LANG=C.UTF-8
check "FLAMEGATE_ASCII=1 asks for ASCII" ascii LC_ALL=C.UTF-8 FLAMEGATE_ASCII=1
check "FLAMEGATE_ASCII=0 for what there is" utf8 LC_ALL=C FLAMEGATE_ASCII=0
check "a format of its own is ASCII anywhere" ascii LC_ALL=C.UTF-8 -- --format ascii
shown LC_ALL=C -- --format markdown
check "Markdown is UTF-8 anywhere" grep -q 'pärse_名前' "$work/shown"

# The columns stay where they are.
shown LC_ALL=C.UTF-8 && LC_ALL=C.UTF-8 sed 's/./x/g' "$work/shown" >"$work/utf8"
shown LC_ALL=C && LC_ALL=C sed 's/./x/g' "$work/shown" >"$work/ascii"
check "lines are as long as with all characters" cmp "$work/utf8" "$work/ascii"
check "there are some" [ "$(wc -l <"$work/ascii")" -ge 20 ]
finish
