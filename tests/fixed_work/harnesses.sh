#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real harnesses that run for a fixed time, pinned, into the current folder as far as they are to be had:
#
#   google             google-benchmark, of Debian's libbenchmark-dev
#   criterion_timed    criterion, of crates.io, by cargo
#   venv               pytest-benchmark, of PyPI, by pip
#
# What was fetched and built is kept in ${FLAMEGATE_SERVER_CACHE:-...}, see tests/servers/build.sh. "harnesses.sh kept"
# fetches nothing.
set -u
kept=${1:-}
programs=$(cd "$(dirname "$0")/programs" && pwd)
cache=${FLAMEGATE_SERVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-test-servers}/harnesses-1
mkdir -p "$cache"

g++ -O1 -g -I"$programs" -o google "$programs/google.cc" -lbenchmark -lpthread 2>/dev/null || rm -f google

if [ ! -x "$cache/timed" ] && [ "$kept" != kept ] && command -v cargo >/dev/null; then
	CARGO_TARGET_DIR=$cache/criterion cargo build -q --locked --release --manifest-path "$programs/criterion/Cargo.toml" >&2 &&
		mv "$cache/criterion/release/timed" "$cache/timed"
	rm -rf "$cache/criterion"
fi
cp "$cache/timed" criterion_timed 2>/dev/null

if [ ! -d "$cache/venv" ] && [ "$kept" != kept ]; then
	# Another run may have been first: mv would put this folder into that one.
	python3 -m venv "$cache/venv.$$" >/dev/null 2>&1 &&
		"$cache/venv.$$/bin/python" -m pip install -q --disable-pip-version-check \
			pytest==8.3.4 pytest-benchmark==5.1.0 py-cpuinfo==9.0.0 pluggy==1.5.0 iniconfig==2.0.0 packaging==24.2 >&2 &&
		mv -T "$cache/venv.$$" "$cache/venv" 2>/dev/null
	rm -rf "$cache/venv.$$"
fi
[ -d "$cache/venv" ] && ln -s "$cache/venv" venv
exit 0
