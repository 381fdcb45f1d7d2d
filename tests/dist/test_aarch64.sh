#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The release's archive for aarch64, cross-built, in an emulator of that processor: what it is made of, that it says why it
# does not start, that it decides and writes the same as the build for this machine, and that it runs and checks a
# program. How precisely it measures no emulator can tell.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/dist/archive.sh
. "$(dirname "$0")/archive.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
export SOURCE_DATE_EPOCH=1700000000
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
[ "$(uname -m)" = x86_64 ] || skip_all "this machine is no x86-64"
emulator=$(command -v qemu-aarch64-static) || skip_all "there is no qemu-aarch64-static"
sysroot=$(bash "$root/actions/dist/sysroot.sh" aarch64 2>"$work/why") || skip_all "$(tail -n 1 "$work/why")"
libraries=$(bash "$root/actions/dist/libraries.sh" "$sysroot" 2>"$work/why") || skip_all "no libraries for a release: $(tail -n 1 "$work/why")"

# ---- what it is made of
# Always in one folder: a compiler's cache, where .ci/run has one, knows objects by it.
made=$build/dist-aarch64
rm -rf "$made"
run env FLAMEGATE_HOST="$flamegate" PATH="${FLAMEGATE_COMPILERS:+$FLAMEGATE_COMPILERS:}$PATH" bash "$root/actions/dist/dist.sh" "$made" aarch64
expect "the archive is made" 0 "-linux-aarch64.tar.gz"
check "its checksum is beside it" sh -c 'cd "$1" && sha256sum -c *.sha256' sh "$made"
unpack "$(echo "$made"/*.tar.gz)"
rm -rf "$made"
check_elves AArch64
(cd "$place" && find . -type f) >"$work/files"
for file in bin/flamegate lib/flamegate/flamegate lib/flamegate/libflamegate.so include/flamegate.h share/man/man1/flamegate.1 \
	share/bash-completion/completions/flamegate share/doc/flamegate/sbom.spdx.json share/doc/flamegate/LICENSE; do
	check "$file is in it" grep -qx "./$file" "$work/files"
done
check "no path of this machine is in it" sh -c '! grep -rlaF -e "$1" -e "$2" -e "$3" -e "$4" "$5"' sh "$root" "$work" "$libraries" "$sysroot" "$place"
python3 - "$place" >"$work/out" 2>&1 <<'P' && ok "the bill of materials names Debian's packages, and each has a licence's text" || not_ok "the bill of materials names Debian's packages, and each has a licence's text"
import json, os, sys
place = sys.argv[1]
bill = json.load(open(place + "/share/doc/flamegate/sbom.spdx.json"))
names = {p["name"] for p in bill["packages"]}
assert names > {"libiberty-dev (libiberty.a)", "libgcc-12-dev-arm64-cross (libgcc.a)", "libelf1 (libelf.so.1)"}, names
files = {p["comment"] for p in bill["packages"] if p["comment"].startswith("lib/")}
assert files == {"lib/flamegate/" + f for f in os.listdir(place + "/lib/flamegate")} - {
    "lib/flamegate/libflamegate.so", "lib/flamegate/libflamegate-heap.so", "lib/flamegate/libflamegate-clock.so"}
for package in bill["packages"][1:]:
    assert os.path.getsize(place + "/share/doc/flamegate/licences/" + package["name"].split(" ")[0]) > 200
P

# ---- it starts, or says why not
program=$place/lib/flamegate/flamegate
emulated() { run "$emulator" -L "${system:-$sysroot/root}" "$@"; }
system=/nonexistent emulated "$place/bin/flamegate" --version
expect "where there is no glibc, it says so" 3 "there is no /lib/ld-linux-aarch64.so.1" "Alpine"
mkdir -p "$work/old/lib" && sed 's/GLIBC_2\.35/GLIBC_2.34/g' "$sysroot/root/lib/ld-linux-aarch64.so.1" >"$work/old/lib/ld-linux-aarch64.so.1"
system=$work/old emulated "$place/bin/flamegate" --version
expect "on an older glibc it says what it needs" 3 "needs glibc 2.35 or newer"
emulated "$program" --version
expect "it says which processor it is for" 0 "aarch64"

# ---- it decides and writes the same
# Each processor's libm rounds the last digit its own way.
cat >"$work/alike.py" <<'P'
import os, re, sys
def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda number: f"{float(number.group()):.12g}", file.read())
here, there = sys.argv[1:]
names = [sorted(os.listdir(folder)) for folder in (here, there)]
assert names[0] == names[1] and "report.html" in names[0], names
for name in names[0]:
    assert read(os.path.join(here, name)) == read(os.path.join(there, name)), name
P
for recorded in slow2 refactor called aa; do
	"$flamegate" check --replay "$root/testdata/replay/$recorded" -o "$work/here" >"$work/here.said" 2>&1
	here=$?
	emulated "$program" check --replay "$root/testdata/replay/$recorded" -o "$work/there"
	[ "$status" -eq "$here" ] && ok "$recorded is decided as here" || not_ok "$recorded is decided as here ($status, here $here)"
	check "$recorded: the report is the same, to twelve digits" python3 "$work/alike.py" "$work/here" "$work/there"
	rm -rf "$work/here" "$work/there"
done
for format in terminal markdown html svg sarif junit codequality metrics json; do
	"$flamegate" report --from "$root/testdata/report/json/many.json" --format "$format" -o "$work/here" >/dev/null 2>&1 || not_ok "$format"
	emulated "$program" report --from "$root/testdata/report/json/many.json" --format "$format" -o "$work/there"
	check "$format: the same bytes" cmp "$work/here" "$work/there"
done

# ---- it runs and checks a program, in a system where the kernel gives what is built for that processor to the emulator
cat >"$work/system.sh" <<'S'
set -eu
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf '%s' ':emulated:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$1:F" >/proc/sys/fs/binfmt_misc/register
mount -t overlay none -o "lowerdir=$2/root/lib:/usr/lib" /usr/lib
mount --bind "$2/root/bin/dash" "$(readlink -f /bin/sh)"
shift 2
exec "$@"
S
there() { run unshare --user --map-root-user --mount bash "$work/system.sh" "$emulator" "$sysroot" "$@"; }
there "$place/bin/flamegate" --version
if [ "$status" -ne 0 ]; then
	for what in "it starts" "run" "check finds a function that is slower" "nothing is found where nothing changed"; do
		skip "$what: no system of another processor could be made: $(tail -n 1 "$work/out")"
	done
	finish
	exit
fi
expect "bin/flamegate becomes the program" 0 "aarch64"
without_valgrind # this machine's knows no program of that processor
repo emulated
cat >bench.c <<'C'
#include <stdio.h>
static unsigned long __attribute__((noinline)) mix(unsigned long h, unsigned long rounds)
{
	while (rounds--)
		h = h * 31 + (h >> 7);
	return h;
}
static unsigned long __attribute__((noinline)) fold(unsigned long h, unsigned long rounds)
{
	while (rounds--)
		h = h * 33 ^ rounds;
	return h;
}
int main(void)
{
	unsigned long h = 0;

	for (int i = 0; i < 600; i++)
		h = fold(mix(h, 100000), 100000);
	printf("%lu\n", h & 1);
}
C
printf 'version: 1\nbuild: %s -g -O2 -o bench bench.c\nbenchmarks:\n  - name: emulated\n    command: ./bench\n    repeat: 1\n    work: fixed\npolicy:\n  pairs: {min: 8, max: 16}\n' \
	"$sysroot/cc" >.flamegate.yml
echo bench >.gitignore
commit base
"$sysroot/cc" -g -O2 -o bench bench.c
there "$place/bin/flamegate" run -- ./bench
expect "run: its profile has the program's functions" 0 "mix" "fold" "100 % with a complete stack"
git checkout -qb slower && sed -i 's/mix(h, 100000)/mix(h, 180000)/' bench.c && commit "more rounds"
there "$place/bin/flamegate" check --base main
expect "check: pairs of runs, and the function that is slower" 1 "FAIL" "mix" "in turns of"
git checkout -q main && git checkout -qb same && echo '/* no change */' >>bench.c && commit "a comment"
there "$place/bin/flamegate" check --base main
expect "and nothing where nothing has changed" 0 "PASS"
finish
