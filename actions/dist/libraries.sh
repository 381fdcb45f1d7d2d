#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# libcurl and libgit2 as a release has them: what flamegate uses of them, and no more. Prints the folder that holds lib,
# include and the licence texts; what was built once, for this machine and by this script, stays.
#
#   libraries.sh [SYSROOT]     SYSROOT: for another processor (sysroot.sh); its compiler makes them
#
# Debian's own need 40 more libraries for protocols that flamegate does not speak.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CC=${CC:-gcc} sysroot=${1:-}
# What configure and cmake must be told where nothing of it runs here.
for_curl=() for_git2=()
if [ -n "$sysroot" ]; then
	CC=$sysroot/cc
	target=$("$CC" -dumpmachine)
	for_curl=(--build="$(gcc -dumpmachine)" --host="$target")
	for_git2=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${target%%-*}" -DCMAKE_FIND_ROOT_PATH="$sysroot/root"
		-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_LIBRARY_ARCHITECTURE="$target")
	export PKG_CONFIG_LIBDIR=$sysroot/root/usr/lib/$target/pkgconfig PKG_CONFIG_SYSROOT_DIR=$sysroot/root
fi

# Debian 12's source with its security patches, by apt.
curl_version=7.88.1-10+deb12u15
curl_sum=2744f12e3aef161c0361743fa1b318296b122e566e47f381e4a63320fbcc23f4
# The crate has libgit2 in it. Debian 12's own is patched in the archive for security updates alone, which mirrors may lack.
git2_crate=libgit2-sys git2_version=0.18.8+1.9.7
git2_sum=7f7c568b25d7489bc3fb2988ed69ab111d2944d2f5fec3d5c987fe545ea97b50

key=$({ cat "$here/libraries.sh"; echo "${sysroot##*/}"; "$CC" -dumpmachine; "$CC" -dumpfullversion; cat /etc/os-release; } | sha256sum | cut -c 1-16)
cache=${FLAMEGATE_DIST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-dist}
place=$cache/$key
if [ -f "$place/done" ]; then echo "$place"; exit; fi
mkdir -p "$cache"
work=$(mktemp -d "$cache/new.XXXXXX")
# What has failed says so on our own stderr, not into its log.
exec 3>&2
finish() {
	local status=$?
	if [ $status -ne 0 ]; then
		{ tail -n 30 "$work/log"; echo "libraries.sh: $step has failed"; } >&3
		status=3
	fi
	rm -rf "$work"
	exit $status
}
step=start
trap finish EXIT
: >"$work/log"
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=1700000000
umask 022
# No path and no date gets into what is built.
flags="-O2 -g0 -fPIC -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$work=. -fvisibility=hidden"

fetch_curl() (
	local apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt"
		-o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
	mkdir -p "$work/apt" "$work/lists/partial" "$work/cache/archives/partial" "$work/curl"
	# The system's own places, asked for sources.
	{ cat /etc/apt/sources.list.d/*.sources || true; } | sed 's/^Types:.*/Types: deb-src/' >"$work/apt/source.sources"
	{ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true; } | sed -n 's/^deb /deb-src /p' >"$work/apt/source.list"
	(cd "$work/curl" && "${apt[@]}" update && "${apt[@]}" source --download-only "curl=$curl_version")
	echo "$curl_sum  $work/curl/curl_$curl_version.dsc" | sha256sum -c --quiet
	# The .dsc has the checksums of all else; dpkg-source compares them.
	dpkg-source -x "$work/curl/curl_$curl_version.dsc" "$work/curl/source"
)
build_curl() (
	cd "$work/curl/source"
	# The last two are for Debian's builds with other TLS libraries; its rules take them back for the one with OpenSSL.
	for patch in 99_nss 90_gnutls; do patch -s -R -p1 <"debian/patches/$patch.patch"; done
	autoreconf -fi
	./configure "${for_curl[@]}" --prefix=/ --enable-shared --disable-static --disable-dependency-tracking --with-openssl --with-nghttp2 --with-zlib \
		--without-ca-bundle --without-ca-path --without-libpsl --without-libidn2 --without-librtmp --without-libssh2 \
		--without-brotli --without-zstd --without-gssapi --disable-ldap --disable-ftp --disable-file --disable-dict \
		--disable-telnet --disable-tftp --disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher \
		--disable-mqtt --disable-rtsp --disable-manual --disable-ntlm --disable-unix-sockets --disable-alt-svc \
		--disable-hsts --disable-netrc --disable-docs CFLAGS="$flags" CC="$CC"
	make -j"$(nproc)" -C lib
	make -C lib install DESTDIR="$work/out"
	make -C include install DESTDIR="$work/out"
	make install-pkgconfigDATA DESTDIR="$work/out"
	install -D -m 644 debian/copyright "$work/out/licences/curl"
)

fetch_git2() (
	mkdir -p "$work/git2/src"
	cd "$work/git2"
	printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = { version = "=%s", default-features = false }\n' \
		"$git2_crate" "${git2_version%%+*}" >Cargo.toml
	: >src/lib.rs
	cargo vendor -q vendor >/dev/null
	grep -q "\"package\":\"$git2_sum\"" "vendor/$git2_crate/.cargo-checksum.json"
)
build_git2() (
	cmake -S "$work/git2/vendor/$git2_crate/libgit2" -B "$work/git2/build" "${for_git2[@]}" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$flags" \
		-DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$work/out" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=ON -DBUILD_TESTS=OFF \
		-DBUILD_CLI=OFF -DUSE_HTTPS=OFF -DUSE_SSH=OFF -DUSE_GSSAPI=OFF -DUSE_NTLMCLIENT=OFF -DREGEX_BACKEND=builtin -DUSE_HTTP_PARSER=builtin \
		-DUSE_SHA1=CollisionDetection -DUSE_SHA256=Builtin -DCMAKE_SKIP_RPATH=ON
	cmake --build "$work/git2/build" -j "$(nproc)"
	cmake --install "$work/git2/build"
	install -D -m 644 "$work/git2/vendor/$git2_crate/libgit2/COPYING" "$work/out/licences/libgit2"
)

for step in fetch_curl build_curl fetch_git2 build_git2; do
	"$step" >"$work/log" 2>&1
done
# Wherever the folder lies; pkg-config knows pcfiledir.
# shellcheck disable=SC2016
sed -i -E 's#^prefix=.*#prefix=${pcfiledir}/../..#; s#^(libdir|includedir)=.*/(lib|include)"?$#\1=${prefix}/\2#' "$work"/out/lib/pkgconfig/*.pc
printf 'curl %s\nlibgit2 %s\n' "$curl_version" "${git2_version#*+}" >"$work/out/versions"
: >"$work/out/done"
mv -T "$work/out" "$place" 2>/dev/null || [ -f "$place/done" ]
echo "$place"
