#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The released program, by the checksum that `release` has of it.
#
#   take.sh sources       prints the checksum of the sources beside the actions
#   take.sh sum           prints the checksum of this machine's archive
#   take.sh into FOLDER   leaves the program, its libraries and the archive in FOLDER, and prints "kept" if the right archive
#                         lay there, or "downloaded"
#
# Exit status: 0; 4: these sources are of no release; 1: their release cannot be taken, for the reason on stdout. Then FOLDER
# is as it was, or is gone if the archive in it was not the released one; 5: and FOLDER cannot be emptied: nothing in it is to
# be used.
#
# FLAMEGATE_RELEASES: another server, https or on loopback. Whoever sets it, or answers there, can keep us from the release,
# but not make us run anything else: nothing is read from an archive before its checksum is right.
set -euo pipefail

# A job's variables and its PATH are no way around the checksum: TAR_OPTIONS runs commands, LD_LIBRARY_PATH brings code, and
# a sha256sum before the system's would find every archive right.
for name in $(compgen -e); do
	case $name in
	PATH | TMPDIR | FLAMEGATE_RELEASES | FLAMEGATE_RELEASE_SECONDS) ;;
	[hH][tT][tT][pP]_[pP][rR][oO][xX][yY] | https_proxy | HTTPS_PROXY | all_proxy | ALL_PROXY | no_proxy | NO_PROXY) ;;
	SSL_CERT_FILE | SSL_CERT_DIR | CURL_CA_BUNDLE) ;;
	*) unset -v "$name" 2>/dev/null || true ;;
	esac
done
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH LC_ALL=C
umask 022
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# What an archive may have, packed and unpacked, in KiB; it has about 6,000 and 18,000.
most_packed=50000 most_unpacked=100000
seconds=${FLAMEGATE_RELEASE_SECONDS:-60}
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || seconds=60
# at_most KIB COMMAND...: in each file that it writes
at_most() (
	ulimit -f "$1" 2>/dev/null || true
	shift
	exec "$@"
)

cannot() {
	printf '%s' "$*" | tr -c '[:print:]' ' '
	echo
	exit 1
}
# discard FOLDER: whatever its rights are
discard() {
	[ -L "$1" ] || chmod -R u+rwX -- "$1" 2>/dev/null || true
	rm -rf -- "$1" 2>/dev/null || true
	if [ -e "$1" ] || [ -L "$1" ]; then
		echo "$1 holds what was not released, and cannot be emptied"
		exit 5
	fi
}
# said: what the last program had to say
said() {
	local line
	line=$(head -n 1 "$work/said")
	line=${line//"$work/unpacked/$name/"/}
	echo "${line:0:200}"
}

sources() {
	# Not the commit's name: other commits of the same sources are the same program.
	cd "$root"
	if [ ! -f Makefile ] || [ ! -d baseline ] || [ ! -d gate ] || [ ! -d report ]; then
		cannot "these are not all of flamegate's sources"
	fi
	find Makefile baseline gate report -type f ! -path gate/cli/version/commit.txt -print0 | sort -z | xargs -0 sha256sum |
		sha256sum | cut -d ' ' -f 1
}

# Sets $version, $name and $sum. What was released from other sources than these is not what these actions belong to: that
# is so in every commit between two releases, and in the tag of each, which cannot have its own archive's checksum.
find_release() {
	version=$(sed -n 's/^version \([0-9][0-9.]*\)$/\1/p' "$here/release")
	[ -n "$version" ] && [ "$(sed -n 's/^sources //p' "$here/release")" = "$(sources)" ] || exit 4
	architecture=$(uname -m)
	name=flamegate-$version-linux-$architecture
	sum=$(sed -n "s/^$architecture \([0-9a-f]\{64\}\)\$/\1/p" "$here/release")
	[ -n "$sum" ] || cannot "release $version has no archive for this machine's processor ($architecture)"
}
sum_of() { sha256sum <"$1" | cut -d ' ' -f 1; }

download() {
	local server=${FLAMEGATE_RELEASES:-https://github.com/flamegate/flamegate/releases/download} protocols='=https'
	local status=0 path='(/[A-Za-z0-9._~/-]*)?$'
	# No user, no query, no pattern of curl's: these three alone.
	if [[ $server =~ ^http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?$path ]]; then
		protocols='=http,https'
	elif [[ ! $server =~ ^https://[A-Za-z0-9.-]+(:[0-9]+)?$path ]]; then
		cannot "FLAMEGATE_RELEASES is no https address without user and query"
	fi
	# -q: no settings of the user's. The size holds also where the server names none.
	at_most "$most_packed" curl -q --silent --show-error --fail --globoff --location --proto "$protocols" \
		--max-redirs 5 --connect-timeout 15 --max-time "$seconds" --retry 2 --retry-max-time "$seconds" \
		--max-filesize $((most_packed * 1024)) --output "$work/archive" -- "$server/v$version/$name.tar.gz" \
		2>"$work/said" </dev/null || status=$?
	case $status in
	0) ;;
	63 | 153) cannot "$name.tar.gz is larger than an archive of flamegate's can be" ;;
	*) cannot "$name.tar.gz could not be downloaded: $(said)" ;;
	esac
}

# Puts the archive into $work/archive, and is the only way there.
get() { # FOLDER
	local found from=kept
	# Of what is kept the checksum counts: a cache can be written by others. What lies beside a wrong one is not used either.
	if [ -e "$1/archive" ] || [ -L "$1/archive" ]; then
		if [ -L "$1/archive" ] || ! [ -f "$1/archive" ] || ! cp "$1/archive" "$work/archive" || [ "$(sum_of "$work/archive")" != "$sum" ]; then
			rm -f -- "$work/archive"
			discard "$1"
		fi
	fi
	if [ ! -f "$work/archive" ]; then
		from=downloaded
		download
		found=$(sum_of "$work/archive")
		[ "$found" = "$sum" ] ||
			cannot "$name.tar.gz IS NOT THE ARCHIVE THAT WAS RELEASED: its SHA-256 is $found, not $sum. It was damaged on its way, or somebody has put another in its place. It was neither opened nor run"
	fi
	echo "$from"
}

# Plain files and folders below $name, with usual rights and names: no link, no device, no way out.
is_harmless() { # TAR
	local line entry
	entry="^[d-]([r-][w-][x-]){3} +[0-9]+/[0-9]+ +[0-9]+ [0-9-]+ [0-9:]+ $name(/[A-Za-z0-9._+-]+)*/?\$"
	tar --numeric-owner --quoting-style=escape -tvf "$1" >"$work/listed" 2>"$work/said" || return
	[ -s "$work/listed" ] || return
	while IFS= read -r line; do
		[[ $line =~ $entry ]] && [[ ! $line =~ (/\.\.?)+(/|$) ]] || return
	done <"$work/listed"
}

unpack() {
	at_most "$most_unpacked" gzip -dc <"$work/archive" >"$work/tar" 2>"$work/said" || cannot "$name.tar.gz cannot be unpacked: $(said)"
	is_harmless "$work/tar" || cannot "$name.tar.gz holds what an archive of flamegate's never does"
	mkdir "$work/unpacked"
	at_most "$most_unpacked" tar --no-same-owner --no-same-permissions -xf "$work/tar" -C "$work/unpacked" 2>"$work/said" ||
		cannot "$name.tar.gz cannot be unpacked: $(said)"
}

into() { # FOLDER
	local folder=$1 from status
	find_release
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	from=$(get "$folder") || { status=$?; echo "$from"; exit $status; }
	unpack
	# By a shell, as timeout takes what the kernel does not know for a script.
	# shellcheck disable=SC2016 # its own
	timeout "$seconds" /bin/bash -p -c 'exec "$0" --version' "$work/unpacked/$name/bin/flamegate" >"$work/said" 2>&1 </dev/null ||
		cannot "the released flamegate does not start here: $(said)"
	discard "$folder"
	{ mkdir -p "$(dirname "$folder")" && mv -T "$work/unpacked/$name/lib/flamegate" "$folder" &&
		mv "$work/archive" "$folder/archive"; } 2>"$work/said" || cannot "the release could not be put into $folder: $(said)"
	echo "$from"
}

case ${1:-}$# in
sources1) sources ;;
sum1) find_release && echo "$sum" ;;
into2) into "$2" ;;
*) cannot "take.sh: sources, sum, or into FOLDER" ;;
esac
