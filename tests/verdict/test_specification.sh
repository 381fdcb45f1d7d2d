#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gate/verdict/README.md against the code: each constant has the value that stands there, and none is missing. TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$root/gate/verdict page=$root/gate/verdict/README.md
number=0 failures=0
tell() { # status description
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else failures=$((failures + 1)); echo "not ok $number - $2"; fi
}
trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# value FILE NAME: of #define NAME VALUE (or on the next line), or of .NAME = VALUE
value() {
	sed -e ':a' -e '/\\$/N; s/[ \t]*\\\n[ \t]*/ /; ta' "$(find "$room" -name "$1")" |
		sed -nE "s,^#define $2 +(.*[^ ]) *(/\*.*)?$,\1,p; s,^[ \t]*\.$2 = ([0-9.]+)\,.*$,\1,p" |
		sed -E 's,[ \t]*/\*.*$,,; s,[ \t]+$,,' | head -n 1
}

rows=$(sed -nE 's/^\| ([A-Za-z_0-9]+) \| ([^|]+) \| ([^|]+) \|.*/\1|\2|\3/p' "$page" | grep -v '^constant|')
while IFS='|' read -r name wanted files; do
	for file in ${files//,/ }; do
		found=$(value "$file" "$name")
		[ "$found" = "$(trim "$wanted")" ]
		tell $? "$name in $file is $wanted"
		[ "$found" = "$(trim "$wanted")" ] || echo "# found: $found"
	done
done <<<"$rows"

# Include guards have no value, and a name for another name is none either.
missing=$(grep -oE '^#define [A-Z_0-9]+ +[^ ].*' "$room"/{,*/}*.[ch] | sed -E 's,.*/([^/:]+):#define ([A-Z_0-9]+) .*,\2 \1,' |
	grep -vE '^(NONE|SYMBOLS|VERDICT_NONE) ' | while read -r name file; do
	grep -qE "^$name\|[^|]*\|.*\b$file\b" <<<"$rows" || echo "$name in $file"
done)
[ -z "$missing" ]
tell $? "every constant of the room is on the page, with its file"
[ -z "$missing" ] || echo "# missing: $missing"
named=$(grep -oE '`(gate|tests)/[a-z_/]+\.(h|c|sh|md)`' "$page" | tr -d '`' | sort -u)
named+=" "$(grep -oE '`[a-z_]+\.[ch]`' "$page" | tr -d '`' | sort -u)
gone=$(for file in $named; do [ -f "$root/$file" ] || [ -n "$(find "$room" -name "$file")" ] || echo "$file"; done)
[ -z "$gone" ]
tell $? "every file that it names is there"
[ -z "$gone" ] || echo "# gone: $gone"
echo "1..$number"
[ "$failures" -eq 0 ]
