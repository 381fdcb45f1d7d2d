#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A release's archive (README.md). The same commit gives the same bytes, whatever the folder, the user, the locale, the
# umask, the date and the number of jobs.
#
#   dist.sh FOLDER [ARCHITECTURE]    leaves flamegate-VERSION-linux-ARCHITECTURE.tar.gz and its .sha256 there; another
#                                    one than this machine's: aarch64, cross-built (sysroot.sh). FLAMEGATE_HOST: a
#                                    flamegate of these sources that runs here, so that none is built for it
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
CC=${CC:-gcc} sysroot='' tools=''
host_cc=$CC
architecture=$("$CC" -dumpmachine | sed 's/-.*//')
host=${FLAMEGATE_HOST:-$out/build/flamegate}
if [ "${2:-$architecture}" != "$architecture" ]; then
	architecture=$2
	sysroot=$(bash "$here/sysroot.sh" "$architecture")
	CC=$sysroot/cc
fi
target=$("$CC" -dumpmachine)
if [ -n "$sysroot" ]; then
	tools=$target-
	if [ -z "${FLAMEGATE_HOST:-}" ]; then
		make -s -j"${JOBS:-$(nproc)}" CC="$host_cc" BUILD="$out/host" WERROR= "$out/host/flamegate" >&2
		host=$out/host/flamegate
	fi
	export PKG_CONFIG_LIBDIR=$sysroot/root/usr/lib/$target/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot/root
fi
name=flamegate-$version-linux-$architecture
floor=$(sed -n 's/^#define NEEDED "\(.*\)"/\1/p' gate/launch/launch.c)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
libraries=$(bash "$here/libraries.sh" ${sysroot:+"$sysroot"})

# ---- built and installed, then taken apart into what looks first and what is started
rm -rf "$out/build" "$out/stage"
stage=$out/stage/$name
mkdir -p "$stage"
# The loader takes the rpath of the program for all that it loads, its libraries' libraries among it: DT_RPATH.
PKG_CONFIG_PATH=$libraries/lib/pkgconfig LD_LIBRARY_PATH=$libraries/lib make -s -j"${JOBS:-$(nproc)}" CC="$CC" BUILD="$out/build" FLAMEGATE_HOST="$host" WERROR= \
	CFLAGS="-g0 -ffile-prefix-map=$root=. -ffile-prefix-map=$out=. -I$libraries/include" \
	LDFLAGS="-L$libraries/lib -Wl,--disable-new-dtags,-rpath,\\\$\$ORIGIN -Wl,-Map=$out/link.map" \
	DESTDIR="$stage" PREFIX= install-files >&2
lib=$stage/lib/flamegate
mv "$stage/bin/flamegate" "$lib/flamegate"
"$CC" -O2 -g0 -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie \
	-static -nostdlib -Wl,-z,noexecstack -o "$stage/bin/flamegate" gate/launch/launch.c

# ---- the libraries beside it, and what is linked in
is_of_libc() { case $1 in libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | ld-linux* | linux-vdso*) ;; *) return 1 ;; esac; }
# find_library SONAME: where it lies in the system that the archive is for
find_library() {
	local folder
	for folder in "$libraries/lib" "$system/usr/lib/$target" "$system/lib/$target" "$system/usr/lib"; do
		[ ! -f "$folder/$1" ] || { echo "$folder/$1"; return; }
	done
	echo missing
}
# needed FILE: "SONAME FILE" of all that it links, and of all that these link
needed() {
	local soname file
	while read -r soname; do
		! grep -q "^$soname " "$out/needed" || continue
		file=$(find_library "$soname")
		echo "$soname $file" >>"$out/needed"
		[ "$file" = missing ] || is_of_libc "$soname" || needed "$file"
	done < <(readelf -dW "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
}
# Archives that are not of this build, and of which the linker took something.
linked_in() { grep -oE '^/[^(]+\.a\(' "$out/link.map" | tr -d '(' | sort -u | xargs -r realpath | grep -v "^$(realpath "$out")/" | sort -u; }
# owner FILE: "PACKAGE VERSION COPYRIGHT-FILE" of the package that it is of
owner() {
	local file package
	file=$(readlink -f "$1")
	if [ -n "$sysroot" ] && [ "${file#"$system"/}" != "$file" ]; then
		IFS='|' read -r _ package version < <(grep -m 1 -F "${file#"$system"}|" "$sysroot/packages")
	else
		package=$({ dpkg-query -S "$file" || dpkg-query -S "${file#/usr}" || dpkg-query -S "/usr$file"; } 2>/dev/null | head -n 1)
		package=${package%%:*}
		[ -z "$package" ] || version=$(dpkg-query -W -f '${Version}\n' "$package" | head -n 1)
		system=''
	fi
	[ -n "$package" ] || die "$file is of no package"
	echo "$package $version $system/usr/share/doc/$package/copyright"
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
system=${sysroot:+$(realpath "$sysroot/root")}
: >"$out/needed"
needed "$lib/flamegate"
sort -o "$out/needed" "$out/needed"
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
		found=$(owner "$file")
		read -r package of_version copyright <<<"$found"
		ship "$soname" "$package" "$of_version" "$copyright" "lib/flamegate/$soname"
		;;
	esac
done <"$out/needed"
linked_in >"$out/linked"
while read -r file; do
	found=$(owner "$file")
	read -r package of_version copyright <<<"$found"
	ship "${file##*/}" "$package" "$of_version" "$copyright" "in lib/flamegate/flamegate"
done <"$out/linked"

# ---- no symbols but those that others link, nothing that leads to debug information, no dates, one order
"${tools}strip" --strip-all "$stage/bin/flamegate" "$lib/flamegate"
"${tools}strip" --strip-unneeded -R .gnu_debuglink "$lib"/*.so*
{ bash "$here/floor.sh" "$floor" "$lib"/* && bash "$here/floor.sh" 0 "$stage/bin/flamegate"; } >&2 ||
	die "the archive would not start on glibc $floor: make it where libraries are no newer, as on Debian 12"
python3 "$here/sbom.py" "$shipped" "$stage" "$name" "$version" >"$stage/share/doc/flamegate/sbom.spdx.json"
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w --mtime="@$SOURCE_DATE_EPOCH" --format=ustar \
	-C "$out/stage" -cf - "$name" | gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && cat "$name.tar.gz.sha256")
