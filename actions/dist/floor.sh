#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does what is shipped start on a glibc that old? Names each version that a file needs and that such a glibc has not; then
# ends with 3.
#
#   floor.sh VERSION FILE...
set -euo pipefail
limit=$1
shift
export LC_ALL=C
# needs FILE: the versions of glibc that it needs, GLIBC_ABI_DT_RELR and GLIBC_PRIVATE among them
needs() {
	local said
	said=$(readelf -VW "$1") || return 1
	awk '/^Version needs section/ { on = 1 } /^Version (symbols|definition) section/ { on = 0 } on' <<<"$said" | grep -oE 'GLIBC_[A-Za-z0-9_.]+' | sort -u || true
}
# A version's name has numbers alone, or is one that no old glibc knows.
is_there() {
	local version=${1#GLIBC_}
	case $version in *[!0-9.]*) return 1 ;; esac
	[ "$(printf '%s\n%s\n' "$version" "$limit" | sort -V | tail -n 1)" = "$limit" ]
}
status=0
for file; do
	versions=$(needs "$file") || { echo "$file is no program" && exit 3; }
	for version in $versions; do
		is_there "$version" || { echo "$file needs $version" && status=3; }
	done
done
exit $status
