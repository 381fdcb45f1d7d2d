#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a release's workflow says and does, in the tag's checkout.
#
#   release.sh notes vVERSION               prints CHANGELOG.md's section of that version; none is an error
#   release.sh take vVERSION ARCHIVE...     prints what `release` must hold for the actions to take these archives
#   release.sh commit vVERSION ARCHIVE...   commits that upon the tag, moves the tag v1 there (v2 for 2.x, and so on), and puts
#                                           it on main; taken-vVERSION stays there. Pushes them to origin
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
die() {
	echo "release.sh: $*" >&2
	exit 3
}
verb=${1:-} tag=${2:-}
version=${tag#v}
case $tag in *[!v0-9.]*) tag= ;; esac
printf '%s\n' "$tag" | grep -qxE 'v(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}' || die "'${2:-}' is no tag of a release: vMAJOR.MINOR.PATCH"
known=$(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' "$root/gate/check/version.h")
[ "$known" = "$version" ] || die "gate/check/version.h says $known, and the tag $tag"

notes() {
	text=$(awk -v version="$version" '/^## / { on = $2 == version || $2 == version ","; if (on && /unreleased/) unreleased = 1; next } on
		END { exit unreleased ? 4 : 0 }' "$root/CHANGELOG.md") || die "CHANGELOG.md calls $version unreleased: give it a date"
	[ -n "$(printf '%s' "$text" | tr -d ' \n')" ] || die "CHANGELOG.md has no section '## $version'"
	printf '%s\n' "$text"
}

take() {
	[ $# -gt 0 ] || die "which archives?"
	sed -n '/^#/p' "$here/release"
	echo "version $version"
	sources=$(/bin/bash -p "$here/take.sh" sources) || die "$sources"
	echo "sources $sources"
	for archive; do
		name=${archive##*/}
		architecture=${name#"flamegate-$version-linux-"}
		architecture=${architecture%.tar.gz}
		case $architecture in *[!a-z0-9_]*) architecture= ;; esac
		[ "$name" = "flamegate-$version-linux-$architecture.tar.gz" ] || die "$name is no archive of $version"
		[ -s "$archive" ] || die "there is no $archive"
		echo "$architecture $(sha256sum <"$archive" | cut -d ' ' -f 1)"
	done
}

# commit_release MESSAGE: the file, in the commit that is checked out
commit_release() {
	cp "$release" "$here/release"
	git -C "$root" diff --quiet -- actions/release && return
	git -C "$root" commit -q -m "$1" -- actions/release
}
commit() {
	[ -z "$(git -C "$root" status --porcelain --untracked-files=no)" ] || die "tracked files differ from a commit's"
	[ "$(git -C "$root" rev-parse HEAD)" = "$(git -C "$root" rev-parse "refs/tags/$tag^{commit}")" ] || die "$tag is not what is checked out"
	major=${version%%.*}
	[ "$major" != 0 ] || major=1 # what comes before 1.0 is taken by v1, too
	release=$(mktemp)
	trap 'rm -f "$release"' EXIT
	take "$@" >"$release"
	git -C "$root" fetch -q origin +refs/heads/main:refs/taken/main "+refs/tags/v$major*:refs/taken/v$major*"
	newest=$(git -C "$root" show "refs/taken/v$major:actions/release" 2>/dev/null | sed -n 's/^version \([0-9.]*\)$/\1/p')
	[ "$(printf '%s\n' "$newest" "$version" | sort -V | tail -n 1)" = "$version" ] || die "v$major takes $newest already, which is newer"
	message="The actions take $tag"
	main=$(git -C "$root" rev-parse refs/taken/main)
	git -C "$root" checkout -q --detach "refs/tags/$tag"
	# Begun again, it is the same commit.
	if git -C "$root" fetch -q origin "+refs/tags/taken-$tag:refs/taken/again" 2>/dev/null &&
		git -C "$root" show refs/taken/again:actions/release | cmp -s - "$release"; then
		git -C "$root" checkout -q --detach refs/taken/again
	fi
	commit_release "$message"
	# v1 is what was released and its checksums, not what main has become since. It moves on; who pins the commit keeps it.
	git -C "$root" push -q --atomic origin "+HEAD:refs/tags/v$major" "HEAD:refs/tags/taken-$tag" ||
		die "v$major has not moved: taken-$tag is there already, with other checksums? A release's archives stay as they are"
	echo "v$major is $(git -C "$root" rev-parse --short=12 HEAD)"
	if [ "$main" != "$(git -C "$root" rev-parse "refs/tags/$tag^{commit}")" ]; then
		git -C "$root" checkout -q --detach "$main"
		commit_release "$message"
	fi
	git -C "$root" push -q origin HEAD:refs/heads/main ||
		die "v$major has moved, but main has not got actions/release: put it there by a pull request, or start this job again"
	echo "main is $(git -C "$root" rev-parse --short=12 HEAD)"
}

[ $# -lt 2 ] || shift 2
case $verb in
notes) notes ;;
take) take "$@" ;;
commit) commit "$@" ;;
*) die "notes, take or commit" ;;
esac
