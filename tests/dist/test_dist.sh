#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The release's archive: the same bytes wherever it is made, what it needs of a system, what lies in it, and that it works
# from any folder. `make dist` fetches two libraries' sources; where they cannot be had, all of this is skipped.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/dist/archive.sh
. "$(dirname "$0")/archive.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export FLAMEGATE_COMMIT=0123456789ab SOURCE_DATE_EPOCH=1700000000
if ! libraries=$(bash "$root/actions/dist/libraries.sh" 2>"$work/why"); then
	echo "1..0 # SKIP no libraries for a release: $(tail -n 1 "$work/why")"
	exit 0
fi

# ---- what is built in is what was pinned
if command -v apt-get >/dev/null; then
	mkdir "$work/bin"
	# shellcheck disable=SC2016 # expanded when it runs
	printf '#!/bin/sh\n"%s" "$@" || exit\ncase "$*" in *" source "*) [ -f *.orig.tar.gz ] || exit; printf x | dd of="$(echo *.orig.tar.gz)" conv=notrunc bs=1 seek=99 2>/dev/null ;; esac\n' \
		"$(command -v apt-get)" >"$work/bin/apt-get" && chmod +x "$work/bin/apt-get"
	run env PATH="$work/bin:$PATH" FLAMEGATE_DIST_CACHE="$work/none" bash "$root/actions/dist/libraries.sh"
	if grep -q 'Unable to\|Failed to fetch\|not find' "$work/out"; then
		skip "sources that somebody has changed are refused: $(grep -m 1 '^E:' "$work/out")"
	else
		expect "sources that somebody has changed are refused" 3 "fetch_curl has failed" "checksum"
		[ -z "$(find "$work/none" -mindepth 1)" ] && ok "and nothing of them is kept" || not_ok "and nothing of them is kept"
	fi
fi

# ---- made twice: where .ci/run has a compiler's cache through it, and then elsewhere by the compiler alone
run env PATH="${FLAMEGATE_COMPILERS:+$FLAMEGATE_COMPILERS:}$PATH" bash "$root/actions/dist/dist.sh" "$work/first"
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
unpack "$archive"
# As the build under test was made, which others are running.
run env -u FLAMEGATE_COMMIT -u SOURCE_DATE_EPOCH make -s -C "$root" BUILD="$build" DESTDIR="$work/stage" PREFIX=/usr install-files
(cd "$work/stage/usr" && find . -type f ! -name flamegate.fish) | sort >"$work/installed"
(cd "$place" && find . -type f) | sort | comm -13 - "$work/installed" >"$work/out"
[ -s "$work/installed" ] && [ ! -s "$work/out" ] && ok "all that make install puts somewhere is in it" || not_ok "all that make install puts somewhere is in it"
find "$place" -type f -perm /022 >"$work/out"
[ ! -s "$work/out" ] && ok "nothing can be written by others" || not_ok "nothing can be written by others"
check_elves X86-64
# The same file, as if it needed more.
for version in 2.35 2.36 2.99 ABI_DT_RELR; do
	printf 'int f(void); int main(void) { return f(); }\n' >"$work/main.c"
	printf '__asm__(".symver real, f@@GLIBC_%s"); int real(void) { return 0; }\n' "$version" >"$work/f.c"
	printf 'GLIBC_%s {};\n' "$version" >"$work/map"
	cc -shared -fPIC -Wl,--version-script="$work/map" -Wl,-soname,libf.so -o "$work/libf.so" "$work/f.c"
	cc -o "$work/needs" "$work/main.c" "$work/libf.so"
	run floor 2.35 "$work/needs"
	case $version in
	2.35) expect "what needs glibc $version is as old as it must be" 0 ;;
	*) expect "what needs GLIBC_$version is refused" 3 "needs GLIBC_$version" ;;
	esac
done
run floor 2.35 "$work/main.c"
[ "$status" -ne 0 ] && ok "what is no program proves nothing" || not_ok "what is no program proves nothing"
check "no path of this machine is in it" sh -c '! grep -rlaF -e "$1" -e "$2" -e "$3" "$4"' sh "$root" "$work" "$libraries" "$place"

# ---- licences and the bill of materials
cat >"$work/sbom.py" <<'P'
import hashlib, json, os, sys
place = sys.argv[1]
bill = json.load(open(place + "/share/doc/flamegate/sbom.spdx.json"))
listed = {p["comment"]: p for p in bill["packages"]}
libraries = {"lib/flamegate/" + f for f in os.listdir(place + "/lib/flamegate")} - {
    "lib/flamegate/libflamegate.so", "lib/flamegate/libflamegate-heap.so", "lib/flamegate/libflamegate-clock.so"}
assert libraries == {c for c in listed if c.startswith("lib/")}, libraries ^ set(listed)
names = {p["name"] for p in bill["packages"]}
assert names > {"libiberty-dev (libiberty.a)", "libgcc-12-dev (libgcc.a)", "libgit2 (libgit2.so.1.9 (llhttp))"}, names
texts = set(os.listdir(place + "/share/doc/flamegate/licences/common-licenses"))
assert texts == {"Apache-2.0", "GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3"}, texts
refs = {r["referenceLocator"] for p in bill["packages"] for r in p.get("externalRefs", [])}
assert len(refs) > 12 and all(ref.startswith("pkg:") and "@" in ref for ref in refs), refs
assert not [p for p in bill["packages"] if not (p["versionInfo"] and p["licenseConcluded"])]
for path, package in listed.items():
    if path in libraries:
        found = hashlib.sha256(open(os.path.join(place, path), "rb").read()).hexdigest()
        assert package["checksums"][0]["checksumValue"] == found, path
    name = package["name"].split(" ")[0]
    assert name == "flamegate" or os.path.getsize(place + "/share/doc/flamegate/licences/" + name) > 200, name
P
check "the bill of materials has each library as it lies there, and each has a licence's text" python3 "$work/sbom.py" "$place"
# is_spdx FILE: as those see it who publish SPDX
is_spdx() { run env PYTHONPATH="$tools/spdx" python3 -B -m spdx_tools.spdx.clitools.pyspdxtools -i "$1"; }
if tools=$(sh "$root/tests/actions/schemas.sh" 2>"$work/why"); then
	is_spdx "$place/share/doc/flamegate/sbom.spdx.json"
	expect "it is SPDX, says SPDX's own validator" 0
	sed 's/"licenseConcluded": "MIT"/"licenseConcluded": "MITT"/' "$place/share/doc/flamegate/sbom.spdx.json" >"$work/wrong.spdx.json"
	is_spdx "$work/wrong.spdx.json"
	expect "which knows a licence that is none" 1 "MITT"
else
	skip "no validator of SPDX: npm or pip is missing, or nothing can be fetched"
fi
licence() { run python3 "$root/actions/dist/licence.py" libx.so.1 "${1:-libx1}" "$work/copyright" "$work/table"; }
# What Debian says of src/x.c, and what we say.
says() { printf 'Format: https://x/1.0/\n\nFiles: *\nCopyright: x\nLicense: GPL-3+\n\nFiles: doc/*\n src/*\nCopyright: x\nLicense: %s\n text\n .\n more\n\nFiles: debian/*\nLicense: MIT\n' "$1" >"$work/copyright"
	echo "libx.so.1 | libx1 | $2 | $1: src/x.c" >"$work/table"; licence; }
for name in GPL-3 GPL-3+ LGPL-3 LGPL-3+ AGPL-3+ 'GPL-3+ with Bison exception' 'GPL-3+ or LGPL-3+' 'MIT and LGPL-3+'; do
	says "$name" MIT
	expect "sources under $name are refused, whatever we say of them" 3 "has src/x.c under $name"
done
for name in GPL-3.0-or-later LGPL-3.0-only LGPL-3.0-or-later 'AGPL-3.0-only OR GPL-3.0-only WITH Bison-exception-2.2' 'MIT AND GPL-3.0-only'; do
	says MIT "$name"
	expect "what we call $name is refused" 3 "is under $name"
done
for name in 'LGPL-3+ or GPL-2+' 'GPL-2+ or LGPL-3+' LGPL-2.1+ Expat; do
	says "$name" 'LGPL-3.0-or-later OR GPL-2.0-or-later'
	expect "$name is no GPL 3" 0 "GPL-2.0-or-later"
done
says MIT 'GPL-3.0-or-later WITH GCC-exception-3.1'
expect "GCC's run-time library may be in anything" 0
says MIT MIT && sed -i 's/MIT: /Expat: /' "$work/table" && licence
expect "a licence that the sources do not have is refused" 3 "has src/x.c under MIT, and not under Expat"
says MIT MIT && sed -i 's|src/x.c|lib/x.c|' "$work/table" && licence
expect "the paragraph of all files counts for the rest" 3 "has lib/x.c under GPL-3+"
says MIT MIT && sed -i '/^Files: \*/d' "$work/copyright" && sed -i 's|src/x.c|lib/x.c|' "$work/table" && licence
expect "what nothing is said of is refused" 3 "says nothing of lib/x.c"
says MIT MIT && licence liby2
expect "and another package" 3 "is of liby2"
sed -i 's/libx.so/liby.so/' "$work/table" && licence
expect "and a library that nobody looked at" 3 "has no line"
echo 'you may  link' >"$work/copyright" && echo 'libx.so.1 | libx1 | MIT | "you may link"' >"$work/table" && licence
expect "a text of another form must say so" 0 MIT
echo 'you must not' >"$work/copyright" && licence
expect "and is refused where it does not" 3 "does not say"

# ---- it works from any folder
version=$("$place/bin/flamegate" --version)
[[ $version == "flamegate "*" (commit $FLAMEGATE_COMMIT, "* ]] && ok "it says which one it is" || not_ok "it says which one it is: $version"
mkdir -p "$work/moved/to" && mv "$place" "$work/moved/to/flamegate" && ln -s moved/to/flamegate/bin/flamegate "$work/linked"
cd "$work/moved" || exit 1
for flamegate in "$work/moved/to/flamegate/bin/flamegate" to/flamegate/bin/flamegate ../linked; do
	rm -rf flamegate-run
	run env -u FLAMEGATE_LIBRARY LD_LIBRARY_PATH=/nonexistent "$flamegate" run -- to/flamegate/lib/flamegate/flamegate doctor --burn 100
	expect "it runs and profiles as ${flamegate#"$work/"}" 0 "Report: flamegate-run" "100.0 % complete stacks"
done
mkdir "$work/broken" && for library in to/flamegate/lib/flamegate/*.so.*; do echo none >"$work/broken/${library##*/}"; done
run env LD_LIBRARY_PATH="$work/broken" to/flamegate/bin/flamegate --version
expect "libraries that a variable names are not taken" 0 "flamegate 0"
run env PATH="$work/moved/to/flamegate/bin:$PATH" flamegate report --from flamegate-run/report.json --format markdown
expect "and by PATH" 0 "of CPU time"
mkdir "$work/with space" && cp -r to/flamegate "$work/with space/"
run "$work/with space/flamegate/bin/flamegate" --version
expect "where a path has a space it starts" 0 "flamegate 0"
run env -u FLAMEGATE_LIBRARY "$work/with space/flamegate/bin/flamegate" run -- "$work/moved/to/flamegate/lib/flamegate/flamegate" doctor --burn 100
expect "and profiles" 0 "Report: flamegate-run"
mv to/flamegate/lib/flamegate/flamegate "$work/kept"
run to/flamegate/bin/flamegate --version
expect "taken apart, it says so" 3 "cannot start" "unpack the release again"
mv "$work/kept" to/flamegate/lib/flamegate/flamegate

# ---- systems without such a glibc
readelf -lW to/flamegate/bin/flamegate >"$work/out" && ! grep -qE 'INTERP|DYNAMIC' "$work/out" && ok "what is started first needs no loader" || not_ok "what is started first needs no loader"
loader=$(readelf -lW to/flamegate/lib/flamegate/flamegate | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
real=$(readlink -f "$loader")
# with WHAT-IT-MOUNTS PROGRAM...: in a system of which one thing is another
# shellcheck disable=SC2016 # expanded inside
with() { unshare --mount --map-root-user sh -c "$1"' && exec "$@"' "$@"; }
if unshare --mount --map-root-user true 2>/dev/null; then
	program=$work/moved/to/flamegate/bin/flamegate
	export REAL=$real OTHER=$work/loader
	for version in 2.34 2.359; do
		# As if it had that version, and not ours.
		sed "s/GLIBC_2\.35/GLIBC_$version/g" "$real" >"$work/loader"
		run with 'mount --bind "$OTHER" "$REAL"' "$program" --version
		expect "a loader that knows not 2.35, but $version: it says what it needs, and could not measure" 3 "needs glibc 2.35 or newer, and $loader is older"
	done
	cp "$real" "$work/loader" && chmod +x "$work/loader"
	run with 'mount --bind "$OTHER" "$REAL"' "$program" --version
	expect "with one that does, it starts" 0 "flamegate 0"
	: >"$work/loader"
	run with 'mount --bind "$OTHER" "$REAL"' "$program" check
	expect "where there is no glibc, it says so" 3 "there is no $loader" "Alpine"
	run with 'mount -t tmpfs none /proc' "$program" --version
	expect "where nothing tells where it lies, it says so" 3 "mount /proc"
else
	skip "other systems: no namespaces here"
fi
finish
