#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Under which licence a library is shipped: as the table says, if the package's own text says so too. Refuses what has no
# line there, and what can be had under the GPL 3 or the AGPL alone.
#
#   licence.sh SONAME PACKAGE COPYRIGHT-FILE [TABLE]     prints the SPDX expression
set -euo pipefail
soname=$1 package=$2 text=$3 table=${4:-$(dirname "${BASH_SOURCE[0]}")/licences}
die() { echo "licence.sh: $*" >&2; exit 3; }
row=$(awk -F ' *[|] *' -v soname="$soname" '$1 == soname' "$table")
[ -n "$row" ] || die "$soname of $package has no line in $table"
IFS='|' read -r _ of licence evidence <<<"$row"
read -r of <<<"$of" && read -r licence <<<"$licence" && read -r evidence <<<"$evidence"
[ "$of" = "$package" ] || die "$soname is of $package, and $table knows it of $of"
grep -qE -- "$evidence" "$text" || die "$text does not say '$evidence'"
is_free=
while read -r choice; do
	case $choice in GPL-3* | AGPL*) ;; *) is_free=yes ;; esac
done <<<"${licence// OR /$'\n'}"
[ -n "$is_free" ] || die "$soname of $package is under $licence"
echo "$licence"
