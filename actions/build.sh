#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the actions keep flamegate and what it builds, and flamegate itself.
#
#   build.sh plan     outputs: program, builds, recordings (folders), program-key, builds-key, builds-prefix, artifact
#   build.sh build    flamegate and its libraries in $FG_PROGRAM: those of the release (take.sh), or else from the sources
#                     beside the action
#
# Both lie outside the workspace, where a checkout or a build of the project would remove or find them.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
# shellcheck source=actions/lib.sh
. "$here/lib.sh"

hash_of() { sha256sum | cut -c1-16; }
# What a program built here depends on: the system's libraries and compiler.
machine() {
	uname -sm
	cat /etc/os-release 2>/dev/null || true
	"${CC:-gcc}" --version 2>/dev/null | head -n 1 || true
}
sources() {
	# Not the commit's name: other commits of the same sources are the same program.
	(cd "$root" && find Makefile actions/release baseline gate report -type f ! -path gate/cli/version/commit.txt -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}

plan() {
	local place=${RUNNER_TEMP:?}/flamegate system prefix name variable
	[ "$(uname -s)" = Linux ] || fail 3 "flamegate measures on Linux only, not on $(uname -s)"
	for name in install cache upload prune; do
		variable=FG_${name^^}
		[ -z "${!variable+set}" ] || require_boolean "$name" "${!variable}"
	done
	system=$(machine | hash_of)
	# Builds are kept by the repository's path: another one finds nothing there.
	enter "${FG_WORKING_DIRECTORY:-.}"
	prefix=flamegate-builds-$system-$(printf '%s\n' "$PWD" | hash_of)-
	output program "$place/bin"
	output recordings "$place/recordings"
	output program-key "flamegate-$system-$(sources | hash_of)"
	output builds "${FLAMEGATE_CACHE:-$place/cache}"
	output builds-prefix "$prefix"
	output builds-key "$prefix$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT-$GITHUB_JOB-${FG_JOB_INDEX:-0}"
	# Several uses in one workflow must not take each other's name.
	output artifact "flamegate-$GITHUB_JOB-${FG_JOB_INDEX:-0}-$(cut -c1-8 /proc/sys/kernel/random/uuid)"
}

starts() {
	[ -f "$FG_PROGRAM/libflamegate.so" ] && [ -f "$FG_PROGRAM/libflamegate-heap.so" ] &&
		"$FG_PROGRAM/flamegate" --version >/dev/null 2>&1
}

# The release, in a second; one warning where there is one that cannot be had.
take() {
	local reason status=0
	reason=$(/bin/bash -p "$here/take.sh" "$FG_PROGRAM") || status=$?
	[ $status -ne 0 ] || ! starts || return 0
	case $status in
	0 | 1) annotate warning "flamegate is built from its source, in minutes, since the release cannot be used: ${reason:-it does not start}" ;;
	esac
	return 1
}

build() {
	if starts || take; then
		return
	fi
	[ "$FG_INSTALL" != true ] || sh "$here/packages.sh" build ||
		fail 3 "the packages that flamegate needs could not be installed"
	# One that was built earlier may have missed only its libraries.
	if starts; then
		return
	fi
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	make -s -C "$root" -j"$(nproc)" WERROR= BUILD="$folder" all || fail 3 "flamegate could not be built"
	mkdir -p "$FG_PROGRAM"
	cp "$folder/flamegate" "$folder/libflamegate.so" "$folder/libflamegate-heap.so" "$FG_PROGRAM"
	starts || fail 3 "flamegate was built, but does not start"
}

case ${1:-} in
plan) plan ;;
build) build ;;
*) fail 2 "build.sh: plan or build" ;;
esac
