#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian or Ubuntu packages that a task needs and that are missing; says so first.
#
#   packages.sh build|test|fuzz|dist|format|ci|man|schemas|browser|gallery|real|work|bench|demo-lua|bench-real|bench-report|
#               bench-stories|suites|distros|use|compilers...
#
# No question is asked when CI=true or when there is no terminal to ask at. Needs root or sudo only if
# something is missing.
set -eu

build="gcc make pkg-config git ca-certificates libgit2-dev libprotobuf-c-dev protobuf-c-compiler
 libcjson-dev libcurl4-openssl-dev zlib1g-dev libdw-dev libelf-dev libiberty-dev libcapstone-dev libyaml-dev"
man="scdoc"
test="$build $man groff-base g++ libcmocka-dev perl python3 gzip procps openssl curl valgrind sqlite3 jq lua5.4 xz-utils zsh fish
 bash-completion shellcheck libbenchmark-dev"
# The preload library for another processor, tried in an emulator (tests/aarch64).
arm="$build gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
fuzz="$build clang libclang-rt-dev"
# make dist: apt and cargo fetch two libraries' sources.
dist="$build $man dpkg-dev patch autoconf automake libtool cmake cargo libssl-dev libnghttp2-dev python3"
format="clang-format"
# What was compiled once is not compiled again in the next run of .ci/run.
ci="ccache"
# What other tools read of our reports, checked by their own schemas and parsers (tests/actions).
schemas="npm python3-pip libxml2-utils python3-prometheus-client ruby-html-pipeline ruby-commonmarker ruby-sanitize
 ruby-rinku"
# A real browser for the report's page, and what fetches its driver (tests/browser/playwright.sh).
browser="$build npm chromium fonts-dejavu-core"
gallery="$browser pngquant"
# Programs that the sampler is tried on (tests/real), and profilers that it is measured against (tests/bench/sampler).
real="$build git sqlite3 imagemagick postgresql redis-server redis-tools cppcheck ripgrep qemu-utils perl python3
 xz-utils zstd gzip util-linux libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 gdb strace"
# Harnesses that run for a fixed time (tests/fixed_work): cargo and pip fetch two more.
work="$build g++ libbenchmark-dev cargo python3-venv perl sqlite3 jq gzip"
bench="$build $real perl linux-perf google-perftools libgoogle-perftools-dev heaptrack libjemalloc2 libjemalloc-dev
 nodejs clang"
# make demo-lua: cargo fetches Lua's sources, callgrind counts beside us.
demo_lua="$build cargo valgrind perl binutils"
# make bench-verdict-real: npm and cargo fetch the programs' sources, callgrind counts what was planted in them.
bench_real="$build cargo npm valgrind perl util-linux"

# make bench-stories: cargo, go and apt fetch releases' sources; callgrind, binutils and llvm-dwarfdump tell the truth.
bench_stories="$build cargo golang-go dpkg-dev valgrind python3 binutils llvm util-linux"

# make bench-suites: apt, cargo and go fetch the suites' sources; what their builds need.
suites="$build g++ cmake dpkg-dev libbenchmark-dev libgtest-dev cargo golang-go perl util-linux"

# What somebody has who has unpacked a release, and compiles a benchmark (tests/distros).
use="git gcc libc6-dev make bash findutils"
# make test-distros: other systems, each in a folder of its own.
distros="$dist debootstrap util-linux openssl"
# All that this system has from gcc 11 on, as far as apt knows.
every_gcc() { apt-cache pkgnames gcc- 2>/dev/null | grep -xE 'gcc-(1[1-9]|[2-9][0-9])' | sort | tr '\n' ' '; }

# make bench-report: npm and cargo fetch what the pages are measured against.
bench_report="$browser cargo"

wanted=
for task in "$@"; do
	case $task in
	build) wanted="$wanted $build" ;;
	test) wanted="$wanted $test" ;;
	fuzz) wanted="$wanted $fuzz" ;;
	dist) wanted="$wanted $dist" ;;
	format) wanted="$wanted $format" ;;
	ci) wanted="$wanted $ci" ;;
	man) wanted="$wanted $man" ;;
	schemas) wanted="$wanted $schemas" ;;
	browser) wanted="$wanted $browser" ;;
	gallery) wanted="$wanted $gallery" ;;
	arm) wanted="$wanted $arm" ;;
	real) wanted="$wanted $real" ;;
	work) wanted="$wanted $work" ;;
	bench) wanted="$wanted $bench" ;;
	demo-lua) wanted="$wanted $demo_lua" ;;
	bench-real) wanted="$wanted $bench_real" ;;
	bench-stories) wanted="$wanted $bench_stories" ;;
	suites) wanted="$wanted $suites" ;;
	bench-report) wanted="$wanted $bench_report" ;;
	distros) wanted="$wanted $distros" ;;
	use) wanted="$wanted $use" ;;
	compilers) wanted="$wanted clang $(every_gcc)" ;;
	*) echo "packages.sh: unknown task '$task'" >&2; exit 2 ;;
	esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "packages.sh: not a Debian or Ubuntu machine; install yourself what you miss of:$wanted" >&2
	exit 0
fi

missing=
for package in $wanted; do
	case " $missing " in *" $package "*) continue ;; esac
	status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
	[ "$status" = "install ok installed" ] || missing="$missing $package"
done
# A compiler or an interpreter that did not come as a package is as good.
for tool in gcc g++ make git python3 gzip cargo npm valgrind; do
	case " $missing " in *" $tool "*)
		command -v "$tool" >/dev/null 2>&1 && missing=$(printf '%s' " $missing " | sed "s/ $tool / /") ;;
	esac
done
! command -v go >/dev/null 2>&1 || missing=$(printf '%s' " $missing " | sed 's/ golang-go / /')
# shellcheck disable=SC2086,SC2116 # squeezes the blanks
missing=$(echo $missing)
[ -n "$missing" ] || exit 0

echo "flamegate needs these packages, which are missing here: $missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null 2>&1 || { echo "install them as root: apt-get install $missing" >&2; exit 3; }
	as_root=sudo
fi
if [ "${CI:-}" != true ] && [ -t 0 ]; then
	printf 'Install them now with apt-get? [Y/n] '
	read -r answer
	case $answer in '' | [Yy]*) ;; *) exit 3 ;; esac
fi
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >/dev/null
