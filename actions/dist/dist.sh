#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A release's archive (README.md). The same commit gives the same bytes, whatever the folder, the user, the locale, the
# umask, the date and the number of jobs.
#
#   dist.sh FOLDER     leaves flamegate-VERSION-linux-ARCHITECTURE.tar.gz and its .sha256 there
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
export LC_ALL=C TZ=UTC
umask 022
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS
die() { echo "dist.sh: $*" >&2; exit 3; }
cd "$root"

version=$(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' gate/check/version.h)
architecture=$("${CC:-gcc}" -dumpmachine | sed 's/-.*//')
name=flamegate-$version-linux-$architecture
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
libraries=$(bash "$here/libraries.sh")

# ---- built and installed, then taken apart into what looks first and what is started
rm -rf "$out/build" "$out/stage"
stage=$out/stage/$name
mkdir -p "$stage"
# The loader takes the rpath of the program for all that it loads, its libraries' libraries among it: DT_RPATH.
PKG_CONFIG_PATH=$libraries/lib/pkgconfig LD_LIBRARY_PATH=$libraries/lib make -s -j"${JOBS:-$(nproc)}" BUILD="$out/build" WERROR= \
	CFLAGS="-g0 -ffile-prefix-map=$root=. -ffile-prefix-map=$out=. -I$libraries/include" \
	LDFLAGS="-L$libraries/lib -Wl,--disable-new-dtags,-rpath,\\\$\$ORIGIN" \
	DESTDIR="$stage" PREFIX= install-files >&2
lib=$stage/lib/flamegate
mv "$stage/bin/flamegate" "$lib/flamegate"
"${CC:-gcc}" -O2 -g0 -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -fPIE -pie -nostartfiles -o "$stage/bin/flamegate" gate/launch/launch.c

# ---- the libraries beside it
is_of_libc() { case $1 in libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | ld-linux* | linux-vdso*) ;; *) return 1 ;; esac; }
needed() { LD_LIBRARY_PATH=$libraries/lib ldd "$lib/flamegate" | sed -nE 's/^\s*(\S+) => (\/\S+) .*/\1 \2/p; s/^\s*(\S+) => not found/\1 missing/p'; }
# owner FILE: the package that it is of
owner() {
	local file
	file=$(readlink -f "$1")
	dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null || dpkg-query -S "/usr$file" 2>/dev/null
}
shipped=$out/shipped
: >"$shipped"
texts=$stage/share/doc/flamegate/licences
mkdir -p "$texts"
# ship SONAME PACKAGE VERSION COPYRIGHT FILE-IN-THE-ARCHIVE: its licence's text, and a line for the SBOM
ship() {
	local licence
	licence=$(bash "$here/licence.sh" "$1" "$2" "$4") || exit
	install -m 644 "$4" "$texts/$2"
	printf '%s|%s|%s|%s|%s\n' "$1" "$2" "$3" "$licence" "$5" >>"$shipped"
}
needed | sort >"$out/needed"
while read -r soname file; do
	! is_of_libc "$soname" || continue
	[ "$file" != missing ] || die "$soname is missing"
	install -m 644 "$file" "$lib/$soname"
	case $file in
	"$libraries"/*)
		case $soname in libcurl*) package=curl ;; *) package=libgit2 ;; esac
		ship "$soname" "$package" "$(sed -n "s/^$package //p" "$libraries/versions")" "$libraries/licences/$package" "lib/flamegate/$soname"
		;;
	*)
		package=$(owner "$file" | head -n 1) package=${package%%:*}
		[ -n "$package" ] || die "$file is of no package"
		ship "$soname" "$package" "$(dpkg-query -W -f '${Version}' "$package")" "/usr/share/doc/$package/copyright" "lib/flamegate/$soname"
		;;
	esac
done <"$out/needed"
ship libiberty.a libiberty-dev "$(dpkg-query -W -f '${Version}' libiberty-dev)" /usr/share/doc/libiberty-dev/copyright -

# ---- no symbols but those that others link, no dates, one order
strip --strip-all "$stage/bin/flamegate" "$lib/flamegate"
strip --strip-unneeded "$lib"/*.so*
python3 "$here/sbom.py" "$shipped" "$stage" "$name" "$version" >"$stage/share/doc/flamegate/sbom.spdx.json"
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w --mtime="@$SOURCE_DATE_EPOCH" --format=ustar \
	-C "$out/stage" -cf - "$name" | gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && cat "$name.tar.gz.sha256")
