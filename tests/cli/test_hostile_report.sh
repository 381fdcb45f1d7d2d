#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `flamegate report --from` on files that are no report, or a hostile one: a clear word, exit 2 or 3, at once.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
golden=$(cd "$(dirname "$0")/../../testdata/report/json" && pwd)
cd "$work" || exit 1
formats="terminal html" # they all read alike

# refused NAME STATUS TEXT...: report.json is refused in every format alike, with nothing on stdout
refused() {
	local name=$1 format
	for format in $formats; do
		(ulimit -v 2000000; exec timeout 60 "$flamegate" report --from report.json --format "$format") >stdout 2>"$work/out" </dev/null
		status=$?
		[ ! -s stdout ] || { not_ok "$name: something was printed all the same"; return; }
		[ "$status" -eq "$2" ] || break
	done
	expect "$@"
}
# edited NAME STATUS TEXT SED: a report, after an edit
edited() {
	sed "$4" "$golden/fail.json" >report.json
	if cmp -s report.json "$golden/fail.json"; then not_ok "$1: the edit found nothing"; else refused "$1" "$2" "$3"; fi
}

run "$flamegate" report --from nothing.json
expect "no file" 2 "nothing.json"
mkdir report.json
refused "a folder" 3 "report.json"
rmdir report.json; mkfifo report.json
refused "a pipe that nobody writes into" 3 "report.json"
rm report.json; ln -s /dev/zero report.json
refused "a device without an end" 3 "report.json"
rm report.json; truncate -s 65M report.json
refused "a file that is too large" 3 "report.json"
: >report.json
refused "an empty file" 3 "report.json"
head -c 3000 "$golden/fail.json" >report.json
refused "half a report" 3 "report.json: byte"
head -c 100000 /dev/urandom >report.json
refused "noise" 3 "report.json: byte"
{ cat "$golden/fail.json"; echo '{}'; } >report.json
refused "two reports" 3 "something follows the end"
head -c 30000000 /dev/zero | tr '\0' '[' >report.json
refused "thirty million open lists" 3 "more than 16 arrays and objects within each other"
{ printf '{"format": 1, "warnings": ['; head -c 30000000 /dev/zero | sed 's/\x00/0,/g' | head -c 30000000; printf '0]}'; } >report.json
refused "fifteen million numbers" 3 "more than 4000000 values"

# What is read at all stays small: a short text must not take gigabytes of memory.
{ printf '{"format": 1, "warnings": ['; head -c 7990000 /dev/zero | sed 's/\x00/0,/g' | head -c 7990000; printf '0]}'; } >report.json
limited() { (ulimit -v 700000 && "$flamegate" report --from report.json); }
run limited
expect "four million numbers fit into 700 MB" 3 '"kind" is missing'

edited "a later format" 3 "this flamegate reads format 1 only" 's/"format": 1,/"format": 2,/'
edited "a key that comes twice" 3 "status: this comes twice" 's/^ "status": "fail",/&"status": "pass",/'
edited "a number that is too large" 3 "the number is too large" 's/"bound": [0-9.]*/"bound": 1e999/'
edited "no number" 3 "report.json: byte" 's/"bound": [0-9.]*/"bound": NaN/'
edited "a negative count" 3 "expected a whole number from 0" 's/"stage1_pairs": [0-9]*/"stage1_pairs": -1/'
edited "a place that does not exist" 3 "culprits[0]" 's/"node":5/"node":4000000000/'
edited "a parent that is its own child" 3 "has no place in the tree" 's/"parent":\[0,0,1,/"parent":[0,0,2,/'
edited "the character NUL" 3 "NUL" 's/"kind": "check"/"kind": "che\\u0000ck"/'
edited "bytes that are no UTF-8" 3 "invalid UTF-8" 's/"kind": "check"/"kind": "che\xffck"/'
edited "half of a character" 3 "surrogate" 's/"kind": "check"/"kind": "\\ud83d"/'
edited "a count that its columns do not have" 3 "functions" 's/"functions": {"count":[0-9]*/"functions": {"count":199999/'
edited "a count out of all proportion" 3 "more than 200000" 's/"functions": {"count":[0-9]*/"functions": {"count":1e15/'

# many_functions BYTES: 20,000 functions that all have one long name, module and file
many_functions() {
	perl -0777 -pe 'BEGIN { ($bytes, $n) = (shift, 20000); $string = qr/"(?:[^"\\]|\\.)*"/ }
		$place = 0;
		s/("strings": \[)((?:$string,?)*)/my $list = "$1$2"; $place = (() = $list =~ m{$string}g) - 1;
			$list . ",\"" . "x" x $bytes . "\""/e;
		s{("functions": \{"count":)\d+(.*)}{
			my ($before, $columns) = ($1, $2);
			$columns =~ s/"(name|module|file)":\[[^\]]*\]/"\"$1\":[$place]"/ge;
			$columns =~ s/"(\w+)":\[([^,\]]*)[^\]]*\]/"\"$1\":[" . join(",", ($2) x $n) . "]"/ge;
			"$before$n$columns"
		}e' "$1" "$golden/fail.json" >report.json
}
many_functions 200000
refused "a string that makes every function's name long" 3 "has more than 65536 bytes"
many_functions 65000
for format in html svg json; do
	(ulimit -v 2000000; exec timeout 60 "$flamegate" report --from report.json --format "$format") >stdout 2>"$work/out" </dev/null
	status=$?
	expect "20,000 functions share the longest name that is allowed: $format" 0
	check "and its report is of its size" test "$(wc -c <stdout)" -lt 4000000
done

# What no format repeats: the key of a hostile report, in a message.
sed 's/"kind": "check"/"\\u001b[31m::error::x": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]], &/' "$golden/fail.json" >report.json
refused "a hostile key" 3 "report.json"
check "is not repeated" test "$(grep -c '::error' "$work/out")" = 0
finish
