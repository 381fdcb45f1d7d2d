#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program and its libraries, out of the release that `release` names by checksum.
#
#   take.sh FOLDER     0: they are in FOLDER. 4: there is no release for this machine. 1: it could not be taken, for the
#                      reason on stdout; FOLDER is as it was
#
# FLAMEGATE_RELEASES: another server, https or on loopback. Whoever sets it, or answers there, can keep us from the release,
# but not make us run anything else: nothing is unpacked before its checksum is right.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1
release=$here/release
server=${FLAMEGATE_RELEASES:-https://github.com/flamegate/flamegate/releases/download}
seconds=${FLAMEGATE_RELEASE_SECONDS:-60}
export LC_ALL=C
cannot() {
	echo "$*"
	exit 1
}

version=$(sed -n 's/^version \([0-9][0-9A-Za-z.-]*\)$/\1/p' "$release")
[ -n "$version" ] || exit 4
architecture=$(uname -m)
sum=$(sed -n "s/^$architecture \([0-9a-f]\{64\}\)\$/\1/p" "$release")
[ -n "$sum" ] || exit 4
name=flamegate-$version-linux-$architecture
case $server in
https://*) protocols='=https' ;;
http://127.0.0.1:* | http://localhost:* | 'http://[::1]:'*) protocols='=http,https' ;;
*) cannot "FLAMEGATE_RELEASES is no https address: '$server'" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# -q: no settings of the user's. The size is what an archive may have, not what this one has.
curl -q --silent --show-error --fail --location --proto "$protocols" --proto-redir "$protocols" --max-redirs 5 \
	--max-filesize 100000000 --connect-timeout 15 --max-time "$seconds" --retry 2 --retry-max-time "$seconds" \
	--output "$work/archive" -- "$server/v$version/$name.tar.gz" 2>"$work/said" </dev/null ||
	cannot "$name.tar.gz could not be downloaded: $(head -n 1 "$work/said" | cut -c 1-200)"
[ "$(wc -c <"$work/archive")" -le 100000000 ] || cannot "$name.tar.gz is too large for an archive of flamegate's"
found=$(sha256sum <"$work/archive" | cut -d ' ' -f 1)
[ "$found" = "$sum" ] ||
	cannot "$name.tar.gz is not the one that was released: its checksum is $found and not $sum; nothing of it was used"
mkdir "$work/unpacked"
tar --no-same-owner --no-same-permissions -xzf "$work/archive" -C "$work/unpacked" || cannot "$name.tar.gz cannot be unpacked"
"$work/unpacked/$name/bin/flamegate" --version >"$work/said" 2>&1 ||
	cannot "the released flamegate does not start here: $(head -n 1 "$work/said" | cut -c 1-200)"
mkdir -p "$folder"
cp "$work/unpacked/$name/lib/flamegate/"* "$folder/"
