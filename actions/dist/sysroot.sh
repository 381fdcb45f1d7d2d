#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a release for another processor is linked with: the packages of this Debian's release for that one, unpacked into a
# folder, and a compiler for them. Nothing is installed in this system. Prints the folder; what was fetched once stays.
#
#   sysroot.sh ARCHITECTURE       aarch64
#
#   FOLDER/cc          the compiler          FOLDER/root         the unpacked packages
#   FOLDER/packages    lines "FILE|PACKAGE|VERSION", FILE as in that system
set -euo pipefail
case $1 in
aarch64) debian=arm64 target=aarch64-linux-gnu ;;
*) echo "sysroot.sh: there is nothing for '$1', only for aarch64" >&2; exit 3 ;;
esac
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# The last two are for tests.
packages="libc6-dev linux-libc-dev libgit2-dev libprotobuf-c-dev libcjson-dev libssl-dev libnghttp2-dev zlib1g-dev libdw-dev libelf-dev
 libiberty-dev libcapstone-dev libyaml-dev libcmocka-dev dash"
command -v "$target-gcc" >/dev/null || { echo "sysroot.sh: there is no $target-gcc: sh actions/packages.sh arm" >&2; exit 3; }

# The first number is another where what lies in the folder is made otherwise.
key=$({ echo "1 $1 $packages"; "$target-gcc" -dumpfullversion; cat /etc/os-release; } | sha256sum | cut -c 1-16)
cache=${FLAMEGATE_DIST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-dist}
place=$cache/sysroot-$1-$key
if [ -f "$place/done" ]; then echo "$place"; exit; fi
mkdir -p "$cache"
work=$(mktemp -d "$cache/new.XXXXXX")
finish() {
	local status=$?
	if [ $status -ne 0 ]; then
		tail -n 10 "$work/log" >&2
		echo "sysroot.sh: Debian's packages for $1 could not be had" >&2
		status=3
	fi
	rm -rf "$work"
	exit $status
}
: >"$work/log"
trap finish EXIT
export LC_ALL=C
umask 022

# An apt of its own, which believes that nothing is installed, and asks this system's places.
apt=(apt-get -q -y -o "APT::Architecture=$debian" -o "APT::Architectures::=$debian" -o APT::Install-Recommends=false
	-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt" -o "Dir::State=$work/state"
	-o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
fetch() {
	mkdir -p "$work/apt" "$work/state/lists/partial" "$work/cache/archives/partial"
	: >"$work/status"
	# What restricts them to this processor goes. An empty line ends what the last line of a file describes.
	# shellcheck disable=SC2016 # sed's last line
	{ sed -s -e '/^Architectures:/d' -e '$G' /etc/apt/sources.list.d/*.sources || true; } >"$work/apt/system.sources"
	{ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true; } | sed -nE 's/^(deb +\[[^]]*)arch=[^] ]*/\1/; s/\[ *\]//; /^deb /p' >"$work/apt/system.list"
	"${apt[@]}" update 2>&1 | tee "$work/said" || true
	# Others' places may fail, this release's may not: what is missing then would be security updates.
	if grep -E "^Err:[0-9]+ [^ ]+ ${codename}[^ ]* " "$work/said"; then return 1; fi
	# shellcheck disable=SC2086 # a list of words
	"${apt[@]}" install --download-only $packages
}
unpack() {
	local archive package version
	mkdir -p "$work/out/root"
	for archive in "$work"/cache/archives/*.deb; do
		dpkg-deb -x "$archive" "$work/out/root"
		package=$(dpkg-deb -f "$archive" Package) version=$(dpkg-deb -f "$archive" Version)
		dpkg-deb --fsys-tarfile "$archive" | tar -tf - | sed -nE "s#^\.(/.*[^/])\$#\1|$package|$version#p" >>"$work/out/packages"
	done
	# What leads to the system's root leads to this one.
	find "$work/out/root" -type l -lname '/*' | while read -r link; do
		ln -sfnr "$work/out/root$(readlink "$link")" "$link"
	done
	# shellcheck disable=SC2016 # its own
	printf '#!/bin/sh\nexec %s --sysroot="$(dirname "$0")/root" "$@"\n' "$target-gcc" >"$work/out/cc"
	chmod 755 "$work/out/cc"
}
{ fetch && unpack; } >"$work/log" 2>&1
: >"$work/out/done"
mv -T "$work/out" "$place" 2>/dev/null || [ -f "$place/done" ]
echo "$place"
