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
floor=$(sed -n 's/^#define NEEDED "\(.*\)"/\1/p' gate/launch/launch.c)
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
	LDFLAGS="-L$libraries/lib -Wl,--disable-new-dtags,-rpath,\\\$\$ORIGIN -Wl,-Map=$out/link.map" \
	DESTDIR="$stage" PREFIX= install-files >&2
lib=$stage/lib/flamegate
mv "$stage/bin/flamegate" "$lib/flamegate"
"${CC:-gcc}" -O2 -g0 -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie \
	-static -nostdlib -Wl,-z,noexecstack -o "$stage/bin/flamegate" gate/launch/launch.c

# ---- the libraries beside it, and what is linked in
is_of_libc() { case $1 in libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | ld-linux* | linux-vdso*) ;; *) return 1 ;; esac; }
needed() { LD_LIBRARY_PATH=$libraries/lib ldd "$lib/flamegate" | sed -nE 's/^\s*(\S+) => (\/\S+) .*/\1 \2/p; s/^\s*(\S+) => not found/\1 missing/p'; }
# Archives that are not of this build, and of which the linker took something.
linked_in() { grep -oE '^/[^(]+\.a\(' "$out/link.map" | tr -d '(' | sort -u | xargs -r realpath | grep -v "^$(realpath "$out")/" | sort -u; }
# owner FILE: the package that it is of
owner() {
	local file package
	file=$(readlink -f "$1")
	package=$({ dpkg-query -S "$file" || dpkg-query -S "${file#/usr}" || dpkg-query -S "/usr$file"; } 2>/dev/null | head -n 1)
	[ -n "$package" ] || die "$file is of no package"
	echo "${package%%:*}"
}
shipped=$out/shipped
: >"$shipped"
texts=$stage/share/doc/flamegate/licences
mkdir -p "$texts/common-licenses"
# common_texts LICENCE: what Debian's copyright files point to in /usr/share/common-licenses. The LGPL 3 is the GPL 3 and more.
common_texts() {
	local licence=" $1"
	case $licence in *' Apache-2.0'*) echo Apache-2.0 ;; esac
	case $licence in *' GPL-2.0'*) echo GPL-2 ;; esac
	case $licence in *' LGPL-2.1'*) echo LGPL-2.1 ;; esac
	case $licence in *' LGPL-3.0'*) echo LGPL-3 ;; esac
	case $licence in *GPL-3.0*) echo GPL-3 ;; esac
}
# ship LIBRARY PACKAGE VERSION COPYRIGHT WHERE: its licence's text, and a line for the SBOM. WHERE is a file of the archive,
# or "in FILE"
ship() {
	local licence
	licence=$(python3 "$here/licence.py" "$1" "$2" "$4") || exit 3
	install -m 644 "$4" "$texts/$2"
	common_texts "$licence" | xargs -r -I '{}' install -m 644 '/usr/share/common-licenses/{}' "$texts/common-licenses/"
	printf '%s|%s|%s|%s|%s\n' "$1" "$2" "$3" "$licence" "$5" >>"$shipped"
}
# What has come with its sources.
ship_parts() {
	local part
	while read -r part; do
		ship "$part" "$2" "$3" "$4" "in $5"
	done < <(sed -nE "s/^($1 \(.*\)) *\|.*\|.*/\1/p" "$here/licences" | cut -d '|' -f 1)
}
needed | sort >"$out/needed"
while read -r soname file; do
	! is_of_libc "$soname" || continue
	[ "$file" != missing ] || die "$soname is missing"
	install -m 644 "$file" "$lib/$soname"
	case $file in
	"$libraries"/*)
		case $soname in libcurl*) package=curl ;; *) package=libgit2 ;; esac
		of=("$package" "$(sed -n "s/^$package //p" "$libraries/versions")" "$libraries/licences/$package" "lib/flamegate/$soname")
		ship "$soname" "${of[@]}"
		ship_parts "$soname" "${of[@]}"
		;;
	*)
		package=$(owner "$file")
		ship "$soname" "$package" "$(dpkg-query -W -f '${Version}' "$package")" "/usr/share/doc/$package/copyright" "lib/flamegate/$soname"
		;;
	esac
done <"$out/needed"
linked_in >"$out/linked"
while read -r file; do
	package=$(owner "$file")
	ship "${file##*/}" "$package" "$(dpkg-query -W -f '${Version}' "$package")" "/usr/share/doc/$package/copyright" "in lib/flamegate/flamegate"
done <"$out/linked"

# ---- no symbols but those that others link, nothing that leads to debug information, no dates, one order
strip --strip-all "$stage/bin/flamegate" "$lib/flamegate"
strip --strip-unneeded -R .gnu_debuglink "$lib"/*.so*
{ bash "$here/floor.sh" "$floor" "$lib"/* && bash "$here/floor.sh" 0 "$stage/bin/flamegate"; } >&2 ||
	die "the archive would not start on glibc $floor: make it where libraries are no newer, as on Debian 12"
python3 "$here/sbom.py" "$shipped" "$stage" "$name" "$version" >"$stage/share/doc/flamegate/sbom.spdx.json"
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w --mtime="@$SOURCE_DATE_EPOCH" --format=ustar \
	-C "$out/stage" -cf - "$name" | gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && cat "$name.tar.gz.sha256")
