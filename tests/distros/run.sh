#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make test-distros: in bare systems, the packages that actions/packages.sh names, the build with every gcc from 11 on
# and clang (a warning is a failure), `flamegate run` with each, and one `flamegate check` that must fail and one that
# must pass (inside.sh); and the release's archive where nothing of ours was ever installed, and where glibc is too old for
# it; its own libraries built again from nothing. Needs root, a network, and some minutes for each system.
#
#   run.sh [CODENAME...]      all by default
#
# Debian's archive is the one that this machine's apt uses; so is Ubuntu's. For the other of the two:
# DEBIAN_ARCHIVE=URL, UBUNTU_ARCHIVE=URL. A system that cannot be made is skipped, and named.
# Systems and results stay in ${FLAMEGATE_DISTROS:-~/.cache/flamegate-tests/distros}: the systems for 30 days, results
# by the sources' contents, so that a second run does only what is left.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${FLAMEGATE_DISTROS:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-tests/distros}
passed=0 failed=0 skipped=0
keys=/usr/share/keyrings

# codename, family, name
systems='bookworm debian Debian 12
trixie debian Debian 13
testing debian Debian testing
jammy ubuntu Ubuntu 22.04
noble ubuntu Ubuntu 24.04'
# Whose glibc is too old for a release.
old_systems='bullseye debian Debian 11'

ok() { passed=$((passed + 1)); echo "ok - $1"; }
not_ok() { # what, log
	failed=$((failed + 1))
	echo "not ok - $1"
	tail -n 40 "$2" | sed 's/^/# /'
}
skip() { skipped=$((skipped + 1)); echo "skipped: $1"; }

# ---- commands whose mounts and processes end with them, also where we are interrupted

child=
stop() { trap - INT TERM; [ -z "$child" ] || kill -KILL "$child" 2>/dev/null; exit 130; }
trap stop INT TERM
apart() { # command...: in mount and process namespaces of its own
	unshare --mount --propagation private --pid --fork --kill-child --mount-proc nice "$@" </dev/null &
	child=$!
	wait "$child"
	local status=$?
	child=
	return "$status"
}
# shellcheck disable=SC2016 # expanded inside
mounts='set -e; cd "$1"; mount -t proc proc proc; mount --rbind /sys sys; mount --rbind /dev dev
	mount -t tmpfs -o mode=1777,exec tmpfs tmp; cat /etc/resolv.conf >etc/resolv.conf; shift
	exec chroot . /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 CI=true "$@"'
inside() { # folder command...
	apart sh -c "$mounts" inside "$@"
}

# ---- systems

archive_of() { # family
	local given
	case $1 in debian) given=${DEBIAN_ARCHIVE:-} ;; *) given=${UBUNTU_ARCHIVE:-} ;; esac
	if [ -n "$given" ]; then
		echo "$given"
	else
		# Not the security updates' nor somebody else's, which have a label of their own.
		apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
			awk -v family="$1" 'tolower($1) == family && $2 == "main" { print $3; exit }'
	fi
}

# Debian signs a copy of Ubuntu's keys.
keyring_of() { # family
	local keyring=$keys/$1-archive-keyring.gpg
	if [ ! -f "$keyring" ] && [ -d "$cache/trixie/bare" ]; then
		keyring=$cache/trixie/bare$keyring
		[ -f "$keyring" ] || inside "$cache/trixie/bare" apt-get install -q -y "$1-keyring" >&2 || return 1
	fi
	[ -f "$keyring" ] && echo "$keyring"
}

# A proxy, and that dates do not matter where the archive is a snapshot: as this machine has it.
configure_apt() { # folder
	apt-config dump --no-empty Acquire::http Acquire::https Acquire::ftp Acquire::Check-Valid-Until \
		Acquire::Check-Date >"$1/etc/apt/apt.conf.d/99machine"
	[ ! -f "$1/etc/apt/sources.list" ] || sed -i '/ubuntu/s/ main$/ main universe/' "$1/etc/apt/sources.list"
}

is_fresh() { [ -d "$1" ] && [ -z "$(find "$1.made" -mtime +30 2>/dev/null)" ]; }
# keep FOLDER: FOLDER.new is complete
keep() { touch "$1.made" && mv "$1.new" "$1"; }
clear_new() { rm -rf --one-file-system "$1.new"; }

make_bare() { # codename family: $cache/CODENAME/bare
	local bare=$cache/$1/bare archive keyring script=
	is_fresh "$bare" && return
	rm -rf --one-file-system "${cache:?}/$1"
	mkdir -p "$cache/$1"
	archive=$(archive_of "$2")
	[ -n "$archive" ] || { echo "this machine's apt knows no archive of it" >&2; return 1; }
	keyring=$(keyring_of "$2") || { echo "its archive's keys are not here" >&2; return 1; }
	# Newer than debootstrap: made as all of its family are.
	if [ ! -e "/usr/share/debootstrap/scripts/$1" ]; then
		case $2 in debian) script=sid ;; *) script=gutsy ;; esac
	fi
	# shellcheck disable=SC2086 # none or one word
	apart debootstrap --variant=minbase --keyring="$keyring" "$1" "$bare.new" "$archive" $script >&2 || return 1
	configure_apt "$bare.new"
	inside "$bare.new" apt-get update -q >&2 || return 1
	keep "$bare"
}

# grow FROM TO TASK: a copy of a system with what packages.sh has for the task
grow() {
	[ -d "$2" ] && return
	clear_new "$2"
	apart cp -a --reflink=auto "$1" "$2.new" && cp "$root/actions/packages.sh" "$2.new/root/" || return 1
	inside "$2.new" sh /root/packages.sh "$3" && keep "$2"
}

# ---- what is tried in them

# step NAME COMMAND...
step() {
	local name=$1 log=$results/${1//[^a-zA-Z0-9.-]/_}
	shift
	if "$@" >"$log" 2>&1; then
		ok "$name"
	else
		not_ok "$name" "$log"
		return 1
	fi
}

# stage NAME COMMAND...: once for these sources; its log is kept
stage() {
	local name=$1 log=$results/${1//[^a-zA-Z0-9.-]/_}
	shift
	[ ! -f "$log.passed" ] || { ok "$name" && return; }
	step "$name" "$@" && mv "$log" "$log.passed"
}

unpack() { rm -rf "$1/flamegate" && mkdir "$1/flamegate" && tar -x -C "$1/flamegate" <"$sources"; }

try_compiler() { # folder system compiler
	local folder=$1
	stage "$2: build by $3, without a warning" inside "$folder" sh /flamegate/tests/distros/inside.sh build "$3" &&
		stage "$2: flamegate run, built by $3" inside "$folder" bash /flamegate/tests/distros/inside.sh run "$3"
	rm -rf "$folder/flamegate/build-$3"
}

# But its own, which has had its turn.
compilers_of() { # folder
	# shellcheck disable=SC2016 # expanded inside
	chroot "$1" sh -c 'cd /usr/bin && ls | grep -xE "gcc-(1[1-9]|[2-9][0-9])|clang" | grep -vx "$(readlink gcc)"'
}

# Sets what the steps below need.
enter() { # codename
	place=$cache/$1 results=$cache/results/$key/$1
	grown=$place/build-$(sha256sum <"$root/actions/packages.sh" | cut -c1-16)
	mkdir -p "$place" "$results"
	exec 9>"$cache/$1.lock" # one run at a time; so that what a killed one left ends first
	flock 9
}

try_system() { # codename family name
	local name=$3
	enter "$1"
	if ! make_bare "$1" "$2" >"$results/bare" 2>&1; then
		clear_new "$place/bare"
		skip "$name: no system of it could be made: $(tail -n 1 "$results/bare")"
		return
	fi
	find "$place" -maxdepth 1 -name '*-*' ! -name "*${grown##*-}*" -exec rm -rf --one-file-system {} +
	step "$name: the packages that packages.sh names" grow "$place/bare" "$grown" build || return
	unpack "$grown"
	if stage "$name: build by its own compiler, without a warning" inside "$grown" \
		sh /flamegate/tests/distros/inside.sh build gcc; then
		stage "$name: flamegate run" inside "$grown" bash /flamegate/tests/distros/inside.sh run gcc
		stage "$name: flamegate check" inside "$grown" bash /flamegate/tests/distros/inside.sh check gcc
	fi
	rm -rf "$grown/flamegate"
}

# Made here, by this machine's own Debian 12; a server with a certificate that only a private CA vouches for.
make_release() {
	released=$cache/release-$key
	mkdir -p "$released" && cd "$root" || return 1
	[ -f "$released/ca.pem" ] || bash "$root/actions/dist/dist.sh" "$released" || return 1
	rm -rf "$released/build" "$released/stage"
	(cd "$released" && openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -keyout ca.key -out ca.pem -subj /CN=private &&
		openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=127.0.0.1 &&
		printf 'subjectAltName=IP:127.0.0.1\n' >names && openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key \
		-CAcreateserial -days 3650 -extfile names -out server.pem)
}

# Built from nothing in another folder, they are the same.
build_libraries_again() {
	local first second place=$cache/libraries-again
	first=$(bash "$root/actions/dist/libraries.sh") || return 1
	rm -rf "$place"
	second=$(umask 077; TZ=Asia/Tokyo FLAMEGATE_DIST_CACHE=$place bash "$root/actions/dist/libraries.sh") || return 1
	diff -r "$first" "$second" || return 1
	rm -rf "$place"
}
try_libraries() {
	results=$cache/results/$key
	stage "a release's libraries: built again from nothing, they are the same" build_libraries_again
}

# put_release ROOT: the archive in /opt/flamegate there, and what inside.sh wants
put_release() {
	local hash
	hash=$(openssl x509 -hash -noout -in "$released/ca.pem") || return 1
	rm -rf "$1/opt/flamegate" "$1/root/certificates" && mkdir -p "$1/opt/flamegate" "$1/root/certificates" &&
		tar -xzf "$released"/flamegate-*.tar.gz -C "$1/opt/flamegate" --strip-components=1 &&
		cp "$released/ca.pem" "$here/inside.sh" "$1/root/" && cp "$released/ca.pem" "$1/root/certificates/$hash.0"
}

try_release() { # codename family name
	local user
	enter "$1"
	[ -d "$place/bare" ] || return
	if ! make_release >"$results/release" 2>&1; then
		skip "$3: no release could be made: $(tail -n 1 "$results/release")"
		return
	fi
	user=$place/user-${grown##*-}
	step "$3: a user's packages" grow "$place/bare" "$user" use || return
	step "$3: the release's archive, unpacked" put_release "$user" || return
	coproc SERVER { exec python3 -B "$root/tests/servers/pyroscope.py" "$released/server.pem" "$released/server.key"; }
	read -r address <&"${SERVER[0]}"
	stage "$3: the release's archive: init, check, record, HTTPS with a private CA, report" \
		inside "$user" bash /root/inside.sh release "pyroscopes${address#https}?service=distros"
	exec {SERVER[1]}>&-
	wait "$SERVER_PID" 2>/dev/null
}

try_old() { # codename family name
	enter "$1"
	if ! { make_bare "$1" "$2" && make_release; } >"$results/bare" 2>&1; then
		clear_new "$place/bare"
		skip "$3: no system or no release could be made: $(tail -n 1 "$results/bare")"
		return
	fi
	step "$3: the release's archive, unpacked" put_release "$place/bare" || return
	stage "$3: the release's archive says that glibc is too old, and could not measure" \
		inside "$place/bare" bash /root/inside.sh old
}

try_compilers() { # codename family name
	local many compiler
	enter "$1"
	[ -d "$grown" ] || return
	many=${grown/build-/compilers-}
	step "$3: more compilers" grow "$grown" "$many" compilers || return
	unpack "$many"
	for compiler in $(compilers_of "$many"); do
		try_compiler "$many" "$3" "$compiler"
	done
	rm -rf "$many/flamegate"
}

# each SYSTEMS COMMAND CODENAME...: the command for each of these systems that is asked for
each() {
	local list=$1 command=$2 codename family name
	shift 2
	while read -r codename family name; do
		[ "$#" -eq 0 ] || case " $* " in *" $codename "*) ;; *) continue ;; esac
		"$command" "$codename" "$family" "$name"
	done <<<"$list"
}
nobody() { skip "$3: only root can make a system"; }

mkdir -p "$cache" || exit 3
sources=$(mktemp) || exit 3
trap 'rm -f "$sources"' EXIT
# What the build and inside.sh read, as it lies here, committed or not.
(cd "$root" && git ls-files -z --cached --others --exclude-standard -- Makefile baseline gate report actions \
	tests/tests.mk tests/distros/inside.sh tests/servers/pyroscope.py tests/servers/pyroscope_state.py | sort -z |
	tar --null --ignore-failed-read --mtime=@0 --owner=0 --group=0 -c -T -) >"$sources" 2>/dev/null
key=$(sha256sum <"$sources" | cut -c1-16)

if [ "$(id -u)" -ne 0 ]; then
	each "$systems" nobody "$@"
	each "$old_systems" nobody "$@"
else
	each "$systems" try_system "$@"
	[ "$#" -gt 0 ] || try_libraries
	each "$systems" try_release "$@"
	each "$old_systems" try_old "$@"
	each "$systems" try_compilers "$@"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
