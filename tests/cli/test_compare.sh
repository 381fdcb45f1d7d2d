#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `flamegate compare` on profiles that hold nothing, in each form that it reads: never a pass.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# pprof TYPE SAMPLES...: a profile of that value type, in `bytes` or `nanoseconds`, with a function f and one sample for
# each number below 128. The numbers before texts are protobuf's tags and lengths (profile.proto).
pprof() {
	local type=$1 unit=nanoseconds text value
	shift
	case $type in *_bytes) unit=bytes ;; esac
	printf '\x0a\x04\x08\x01\x10\x02'
	for value in "$@"; do printf '\x12\x04\x08\x01\x10'"\\x$(printf %02x "$value")"; done
	printf '\x22\x06\x08\x01\x22\x02\x08\x01\x2a\x04\x08\x01\x10\x03'
	for text in "" "$type" "$unit" f; do printf '\x32'"\\x$(printf %02x ${#text})%s" "$text"; done
}
# two TYPE: a profile of CPU time and of TYPE, whose one sample has nothing of the latter
two() {
	printf '\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x04\x10\x05\x12\x06\x08\x01\x10\x64\x10\x00'
	printf '\x22\x06\x08\x01\x22\x02\x08\x01\x2a\x04\x08\x01\x10\x03'
	for text in "" cpu nanoseconds f "$1" bytes; do printf '\x32'"\\x$(printf %02x ${#text})%s" "$text"; done
}
# without_samples FILE: the pprof file without its samples, all else as it is
cat >"$work/without_samples.py" <<'P'
import gzip, sys
data, out, at = gzip.open(sys.argv[1]).read(), b"", 0
def number():
    global at
    value = shift = 0
    while True:
        byte = data[at]; at += 1
        value |= (byte & 127) << shift; shift += 7
        if byte < 128: return value
while at < len(data):
    begin, tag = at, number()
    length = number()
    if tag & 7 == 2: at += length
    if tag >> 3 != 2: out += data[begin:at]
gzip.open(sys.argv[1], "wb").write(out)
P
without_samples() { python3 "$work/without_samples.py" "$1"; }
# empty NAME BASE HEAD NAMED: exit 3, the empty side is named, and no report is left
empty() {
	echo old >"$work/old"; mkdir -p flamegate-compare; cp "$work/old" flamegate-compare/report.json
	run "$flamegate" compare ${type:+--type "$type"} "$2" "$3"
	expect "$1" 3 "flamegate compare: $4: " "empty"
	[ -e flamegate-compare/report.json ] && not_ok "$1: no report is left" || ok "$1: no report is left"
}

repo sides; program 20; config "policy:" "  pairs: {min: 16, max: 32}"; commit first
pprof cpu 100 50 >full.pb; pprof cpu >empty.pb; pprof cpu 0 0 >zero.pb; gzip -k full.pb empty.pb
run "$flamegate" compare full.pb.gz full.pb
expect "profiles that hold something are compared" 0 "as much CPU time" "full.pb.gz"
printf '# callgrind format\nevents: Ir\nfl=a.c\nfn=f\n1 100\n\ntotals: 100\n' >full.callgrind
printf '# callgrind format\nevents: Ir\nfl=a.c\nfn=f\n1 0\n\ntotals: 0\n' >zero.callgrind
run "$flamegate" compare full.callgrind full.callgrind
expect "and so are Callgrind's" 0 "full.callgrind"
type=
for form in "empty.pb full.pb" "empty.pb.gz full.pb.gz" "zero.pb full.pb" "zero.callgrind full.callgrind"; do
	# shellcheck disable=SC2086 # two words
	set -- $form
	empty "$1 as base of $2" "$1" "$2" "$1"
	empty "$1 as head of $2" "$2" "$1" "$1"
	empty "$1 on both sides" "$1" "$1" "$1"
done
: >nothing
run "$flamegate" compare nothing full.pb
expect "a file of no bytes is no profile" 3 "nothing"

# ---- recordings: of pairs' sides, of a record, and beside a profile
run "$flamegate" record
[ "$status" = 0 ] || not_ok "there is a recording"
full=flamegate-record/recordings/bench/head
cp -r "$full" taken; without_samples taken/cpu.pb.gz
empty "a recording whose profile is empty, as base" taken "$full" taken
empty "and as head" "$full" taken taken
empty "and against itself" taken taken taken
empty "an empty profile as head of a recording" "$full" empty.pb.gz empty.pb.gz
empty "a recording whose profile is empty as base of a profile" taken full.pb taken
cp "$full/cpu.pb.gz" taken/cpu.pb.gz
python3 - taken/cpu.pb.gz <<'P'
import gzip, sys
data = gzip.open(sys.argv[1]).read()
gzip.open(sys.argv[1], "wb").write(data.replace(b"\x32\x03cpu", b"\x32\x03cpx"))
P
run "$flamegate" compare "$full" taken
expect "a recording whose profile is of another type" 3 "taken" "no value type 'cpu'"

# ---- one of several value types
two wall >wall.pb; two inuse_bytes >inuse.pb
type=wall empty "the value type that is compared has to hold something" wall.pb wall.pb wall.pb
run "$flamegate" compare --type inuse_bytes inuse.pb inuse.pb
expect "but a program may free all its memory" 0 "inuse.pb"
run "$flamegate" compare --type other full.pb full.pb
expect "a value type that is not there is a usage error" 2 "no value type 'other'"
finish
