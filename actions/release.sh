#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a release's workflow says of it.
#
#   release.sh notes vVERSION              CHANGELOG.md's section of that version; none is an error
#   release.sh take vVERSION ARCHIVE...    what `release` must hold for the actions to take these archives
set -eu
here=$(cd "$(dirname "$0")" && pwd)
die() {
	echo "release.sh: $*" >&2
	exit 3
}
verb=${1:-} tag=${2:-}
version=${tag#v}
case $tag in v[0-9]*) ;; *) die "'$tag' is no tag of a release: vMAJOR.MINOR.PATCH" ;; esac
case $version in *[!0-9.]*) die "'$tag' is no tag of a release: vMAJOR.MINOR.PATCH" ;; esac
known=$(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' "$here/../gate/check/version.h")
[ "$known" = "$version" ] || die "gate/check/version.h says $known, and the tag $tag"

notes() {
	text=$(awk -v version="$version" '/^## / { on = $2 == version || $2 == version ","; if (on && /unreleased/) unreleased = 1; next } on
		END { exit unreleased ? 4 : 0 }' "$here/../CHANGELOG.md") || die "CHANGELOG.md calls $version unreleased: give it a date"
	[ -n "$(printf '%s' "$text" | tr -d ' \n')" ] || die "CHANGELOG.md has no section '## $version'"
	printf '%s\n' "$text"
}

take() {
	[ $# -gt 0 ] || die "which archives?"
	sed -n '/^#/p' "$here/release"
	echo "version $version"
	for archive; do
		name=${archive##*/}
		architecture=${name#"flamegate-$version-linux-"}
		architecture=${architecture%.tar.gz}
		[ "$name" = "flamegate-$version-linux-$architecture.tar.gz" ] || die "$name is no archive of $version"
		echo "$architecture $(sha256sum <"$archive" | cut -d ' ' -f 1)"
	done
}

shift 2
case $verb in
notes) notes ;;
take) take "$@" ;;
*) die "notes or take" ;;
esac
