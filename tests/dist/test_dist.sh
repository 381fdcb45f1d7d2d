#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The release's archive: the same bytes wherever it is made, what it needs of a system, what lies in it, and that it works
# from any folder. `make dist` fetches two libraries' sources; where they cannot be had, all of this is skipped.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export FLAMEGATE_COMMIT=0123456789ab SOURCE_DATE_EPOCH=1700000000
if ! libraries=$(bash "$root/actions/dist/libraries.sh" 2>"$work/why"); then
	echo "1..0 # SKIP no libraries for a release: $(tail -n 1 "$work/why")"
	exit 0
fi

# ---- made twice
run bash "$root/actions/dist/dist.sh" "$work/first"
expect "the archive is made" 0 ".tar.gz"
archive=$(echo "$work"/first/*.tar.gz) name=$(basename "$archive" .tar.gz)
check "its checksum is beside it" sh -c 'cd "$1" && sha256sum -c *.sha256' sh "$work/first"
# Another path, time, locale, umask and number of jobs, and if it can be another user.
chmod 711 "$work"
mkdir -p "$work/elsewhere/deep/er" && (cd "$root" && git ls-files -co --exclude-standard -z | tar --null -cf - -T -) | tar -xf - -C "$work/elsewhere/deep/er"
mkdir "$work/libraries" && cp -r "$libraries" "$work/libraries/"
as=()
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chown -R nobody "$work/elsewhere" "$work/libraries"
	as=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
run "${as[@]}" env HOME="$work/elsewhere" TMPDIR="$work/elsewhere" FLAMEGATE_DIST_CACHE="$work/libraries" LC_ALL=C.UTF-8 TZ=Asia/Tokyo JOBS=3 \
	bash -c 'umask 077; exec bash "$1/actions/dist/dist.sh" "$1/out"' bash "$work/elsewhere/deep/er"
expect "and made again elsewhere" 0 ".tar.gz"
check "the bytes are the same" cmp "$archive" "$work/elsewhere/deep/er/out/$name.tar.gz"
rm -rf "$work/elsewhere" "$work/libraries" "$work/first/build" "$work/first/stage"

# ---- what is in it
tar -tvf "$archive" | awk '{ print $2 }' | sort -u >"$work/out"
[ "$(cat "$work/out")" = 0/0 ] && ok "everything is root's" || not_ok "everything is root's"
tar -tf "$archive" | grep -v "^$name/" >"$work/out" && not_ok "all of it lies in one folder" || ok "all of it lies in one folder"
mkdir "$work/place" && tar -xf "$archive" -C "$work/place"
place=$work/place/$name
run make -s -C "$root" BUILD="$build" DESTDIR="$work/stage" PREFIX=/usr install-files
(cd "$work/stage/usr" && find . -type f ! -name flamegate.fish) | sort >"$work/installed"
(cd "$place" && find . -type f) | sort | comm -13 - "$work/installed" >"$work/out"
[ -s "$work/installed" ] && [ ! -s "$work/out" ] && ok "all that make install puts somewhere is in it" || not_ok "all that make install puts somewhere is in it"
find "$place" -type f -perm /022 >"$work/out"
[ ! -s "$work/out" ] && ok "nothing can be written by others" || not_ok "nothing can be written by others"
mapfile -t elves < <(find "$place" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && echo "$1"' sh {} \;)
[ "${#elves[@]}" -gt 10 ] && ok "there are programs and libraries in it" || not_ok "there are programs and libraries in it"

# newest FILE: the newest glibc that it needs
newest() { readelf -VW "$1" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -uV | tail -n 1; }
at_most() { [ -z "$1" ] || [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$2" ]; }
for elf in "${elves[@]}"; do
	short=${elf#"$place"/} limit=2.35
	[ "$short" != bin/flamegate ] || limit=2.17
	needs=$(newest "$elf")
	at_most "$needs" "$limit" && ok "$short needs no glibc above $limit (${needs:-none})" || not_ok "$short needs no glibc above $limit ($needs)"
	readelf -dW "$elf" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | while read -r library; do
		case $library in
		libc.so.6 | libm.so.6 | ld-linux*) ;;
		*) [ -f "$place/lib/flamegate/$library" ] || echo "$library is not there" ;;
		esac
	done >"$work/out"
	[ ! -s "$work/out" ] && ok "$short: what it links lies beside it" || not_ok "$short: what it links lies beside it"
	readelf -dW "$elf" | grep -E 'RPATH|RUNPATH' | grep -vF '[$ORIGIN]' >"$work/out" && not_ok "$short: no other place" || ok "$short: no other place"
done
for library in libflamegate.so libflamegate-heap.so; do
	readelf -dW "$place/lib/flamegate/$library" | grep NEEDED | grep -vF -e '[libc.so.6]' -e '[ld-linux' >"$work/out"
	[ ! -s "$work/out" ] && ok "$library, preloaded into others, needs libc alone" || not_ok "$library, preloaded into others, needs libc alone"
done
check "no path of this machine is in it" sh -c '! grep -rlaF -e "$1" -e "$2" -e "$3" "$4"' sh "$root" "$work" "$libraries" "$place"

# ---- licences and the bill of materials
cat >"$work/sbom.py" <<'P'
import hashlib, json, os, sys
place = sys.argv[1]
bill = json.load(open(place + "/share/doc/flamegate/sbom.spdx.json"))
listed = {p["comment"]: p for p in bill["packages"]}
libraries = {"lib/flamegate/" + f for f in os.listdir(place + "/lib/flamegate")} - {
    "lib/flamegate/libflamegate.so", "lib/flamegate/libflamegate-heap.so"}
assert libraries == {c for c in listed if c.startswith("lib/")}, libraries ^ set(listed)
assert any(p["name"].endswith("(libiberty.a)") for p in bill["packages"])
for path, package in listed.items():
    if path in libraries:
        found = hashlib.sha256(open(os.path.join(place, path), "rb").read()).hexdigest()
        assert package["checksums"][0]["checksumValue"] == found, path
    name = package["name"].split(" ")[0]
    assert name == "flamegate" or os.path.getsize(place + "/share/doc/flamegate/licences/" + name) > 200, name
P
check "the bill of materials has each library as it lies there, and each has a licence's text" python3 "$work/sbom.py" "$place"
licence() { run bash "$root/actions/dist/licence.sh" libx.so.1 "$1" "$work/copyright" "$work/table"; }
printf 'License: GPL-3+\nLicense: LGPL-3+ or GPL-2+\n' >"$work/copyright"
echo 'libx.so.1 | libx1 | GPL-3.0-or-later | ^License: GPL-3' >"$work/table"; licence libx1
expect "a library under the GPL 3 is refused" 3 "under GPL-3.0-or-later"
echo 'libx.so.1 | libx1 | AGPL-3.0-only OR GPL-3.0-only WITH Bison-exception-2.2 | GPL' >"$work/table"; licence libx1
expect "and one of which there is no other choice" 3 "is under AGPL"
echo 'libx.so.1 | libx1 | GPL-3.0-or-later OR GPL-2.0-or-later | LGPL-3. or GPL-2' >"$work/table"; licence libx1
expect "a choice is one" 0 "GPL-2.0-or-later"
echo 'libx.so.1 | libx1 | MIT | ^License: Expat' >"$work/table"; licence libx1
expect "a licence that the package does not have is refused" 3 "does not say"
licence liby2
expect "and another package" 3 "is of liby2"
echo 'liby.so.1 | libx1 | MIT | x' >"$work/table"; licence libx1
expect "and a library that nobody looked at" 3 "has no line"

# ---- it works from any folder
version=$("$place/bin/flamegate" --version)
[[ $version == "flamegate "*" (commit $FLAMEGATE_COMMIT, "* ]] && ok "it says which one it is" || not_ok "it says which one it is: $version"
mkdir -p "$work/moved/to" && mv "$place" "$work/moved/to/flamegate" && ln -s moved/to/flamegate/bin/flamegate "$work/linked"
cd "$work/moved" || exit 1
for flamegate in "$work/moved/to/flamegate/bin/flamegate" to/flamegate/bin/flamegate ../linked; do
	rm -rf flamegate-run
	run env -u FLAMEGATE_LIBRARY LD_LIBRARY_PATH=/nonexistent "$flamegate" run -- "$flamegate" doctor --burn 100
	expect "it runs and profiles as ${flamegate#"$work/"}" 0 "Report: flamegate-run" "100.0 % complete stacks"
done
run env PATH="$work/moved/to/flamegate/bin:$PATH" flamegate report --from flamegate-run/report.json --format markdown
expect "and by PATH" 0 "of CPU time"
mkdir "$work/with space" && cp -r to/flamegate "$work/with space/"
run "$work/with space/flamegate/bin/flamegate" --version
expect "where a path has a space it starts" 0 "flamegate 0"
run env -u FLAMEGATE_LIBRARY "$work/with space/flamegate/bin/flamegate" run -- "$work/moved/to/flamegate/bin/flamegate" doctor --burn 100
expect "and profiles" 0 "Report: flamegate-run"
mv to/flamegate/lib/flamegate/flamegate "$work/kept"
run to/flamegate/bin/flamegate --version
expect "taken apart, it says so" 3 "cannot start" "unpack the release again"
mv "$work/kept" to/flamegate/lib/flamegate/flamegate

# ---- an older system
for libc in 2.31 2.34 2.35 2.36 3.0; do
	printf 'const char *gnu_get_libc_version(void) { return "%s"; }\n' "$libc" >"$work/libc.c"
	cc -shared -fPIC -o "$work/libc-$libc.so" "$work/libc.c"
	run env LD_PRELOAD="$work/libc-$libc.so" to/flamegate/bin/flamegate --version
	case $libc in
	2.31 | 2.34) expect "on glibc $libc it says what it needs, and could not measure" 3 "glibc $libc" "needs 2.35 or newer" ;;
	*) expect "on glibc $libc it starts" 0 "flamegate 0" ;;
	esac
done
finish
