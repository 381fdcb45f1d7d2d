#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where the actions keep flamegate and what it builds, and flamegate itself.
#
#   build.sh plan     outputs: program, builds, recordings (folders), program-key, source-key, builds-key, builds-prefix,
#                     artifact
#   build.sh build    flamegate and its libraries in $FG_PROGRAM: those of the release (take.sh), or else from the sources
#                     beside the action; output: key
#
# Both lie outside the workspace, where a checkout or a build of the project would remove or find them.
# What an earlier step has put into PATH, and CC, are for the build from source alone.
user_path=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
root=${here%/*}
# shellcheck source=actions/lib.sh
. "$here/lib.sh"

hash_of() { sha256sum | cut -c1-16; }
# What a program built here depends on: the system's libraries and compiler.
machine() {
	uname -sm
	cat /etc/os-release 2>/dev/null || true
	echo "${CC:-}"
	gcc --version 2>/dev/null | head -n 1 || true
}
# The keys under which the cache has what lies in $FG_PROGRAM. The release's names its archive, which is checked again when
# it comes from there; it fails where there is none for this machine.
source_key() { printf 'flamegate-source-%s-%s\n' "$(machine | hash_of)" "$(take sources | cut -c1-16)"; }
release_key() {
	local sum
	sum=$(take sum) && echo "flamegate-release-$sum"
}
take() { /bin/bash -p "$here/take.sh" "$@"; }

plan() {
	local place=${RUNNER_TEMP:?}/flamegate prefix name variable key
	[[ $OSTYPE == linux* ]] || fail 3 "flamegate measures on Linux only, not on $OSTYPE"
	for name in install cache upload prune; do
		variable=FG_${name^^}
		[ -z "${!variable+set}" ] || require_boolean "$name" "${!variable}"
	done
	key=$(source_key)
	# Builds are kept by the repository's path: another one finds nothing there.
	enter "${FG_WORKING_DIRECTORY:-.}"
	prefix=flamegate-builds-$(machine | hash_of)-$(printf '%s\n' "$PWD" | hash_of)-
	output program "$place/bin"
	output recordings "$place/recordings"
	output program-key "$(release_key || echo "$key")"
	output source-key "$key"
	output builds "${FLAMEGATE_CACHE:-$place/cache}"
	output builds-prefix "$prefix"
	output builds-key "$prefix$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT-$GITHUB_JOB-${FG_JOB_INDEX:-0}"
	# Several uses in one workflow must not take each other's name.
	output artifact "flamegate-$GITHUB_JOB-${FG_JOB_INDEX:-0}-$(cut -c1-8 /proc/sys/kernel/random/uuid)"
}

starts() {
	# By a shell: timeout takes what the kernel does not know for a script.
	# shellcheck disable=SC2016 # its own
	[ -f "$FG_PROGRAM/libflamegate.so" ] && [ -f "$FG_PROGRAM/libflamegate-heap.so" ] && [ -f "$FG_PROGRAM/libflamegate-clock.so" ] &&
		timeout 60 /bin/bash -p -c 'exec "$0" --version' "$FG_PROGRAM/flamegate" >/dev/null 2>&1 </dev/null
}

from_source() {
	[ "$FG_INSTALL" != true ] || sh "$here/packages.sh" build ||
		fail 3 "the packages that flamegate needs could not be installed"
	# One that was built earlier may have missed only its libraries.
	! starts || return 0
	folder=$(mktemp -d)
	trap 'rm -rf -- "$folder"' EXIT
	PATH=$user_path make -s -C "$root" -j"$(nproc)" WERROR= BUILD="$folder" all || fail 3 \
		"flamegate could not be built from its source$([ "$FG_INSTALL" = true ] || echo "; install is false, so the packages of 'sh actions/packages.sh build' must be there")"
	rm -rf -- "${FG_PROGRAM:?}"
	mkdir -p "$FG_PROGRAM"
	cp "$folder/flamegate" "$folder/libflamegate.so" "$folder/libflamegate-heap.so" "$folder/libflamegate-clock.so" "$FG_PROGRAM"
	starts || fail 3 "flamegate was built, but does not start"
	output key "$(source_key)"
}

# The output "key" is set where there is something new to keep.
build() {
	local said status=0
	require_boolean build-from-source "${FG_BUILD_FROM_SOURCE:-true}"
	# Of what the cache has by a release's checksum the archive counts, and without one there is nothing.
	if [[ ${FG_KEPT:-} == flamegate-release-* ]] && [ ! -f "$FG_PROGRAM/archive" ]; then
		chmod -R u+rwX -- "$FG_PROGRAM" 2>/dev/null || true
		rm -rf -- "${FG_PROGRAM:?}" || fail 3 "$FG_PROGRAM, which the cache has brought, cannot be emptied"
	fi
	said=$(take into "$FG_PROGRAM") || status=$?
	[ $status -ne 5 ] || fail 3 "$said"
	# Whatever has set it in this job, it is to be seen; but not a password in it, nor what is none of an address.
	if [ $status -ne 4 ] && [ "$said" != kept ] && [[ ${FLAMEGATE_RELEASES:-} =~ ^[][A-Za-z0-9:/._~-]+$ ]]; then
		annotate notice "the release is looked for at $FLAMEGATE_RELEASES, by the variable FLAMEGATE_RELEASES"
	fi
	if [ $status -eq 0 ] && starts; then
		[ "$said" = kept ] || output key "$(release_key)"
		return
	fi
	case $status in
	0) said="it does not start in $FG_PROGRAM" ;;
	4) said="these sources are of no release" ;;
	*) said=${said:-take.sh ended with status $status} ;;
	esac
	[ "${FG_BUILD_FROM_SOURCE:-true}" = true ] ||
		fail 3 "there is no flamegate: build-from-source is false, and the release cannot be used: $said"
	local instead="so flamegate is built from its source, which takes minutes"
	! starts || instead="so an earlier build from its source is used"
	[ $status -eq 4 ] || annotate warning "flamegate's release cannot be used, $instead: $said"
	starts || from_source
}

case ${1:-} in
plan) plan ;;
build) build ;;
*) fail 2 "build.sh: plan or build" ;;
esac
