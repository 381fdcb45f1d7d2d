#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that dependencies point one way: every #include of a project header is one that the table
# allows, and each foreign library is included in one place alone. Also: every header compiles alone.
#
#   tests/check-layers.sh [--headers]     from the repository's root
set -eu
cd "$(dirname "$0")/.."

# room: what it may include besides itself
allowed='
gate/base:
gate/vcs: gate/base
gate/net: gate/base
gate/profile: gate/base gate/sampler/capture.h gate/sampler/environment.h gate/sampler/unwind.h
gate/verdict: gate/base
gate/sampler:
gate/bench: gate/base gate/vcs gate/net gate/profile gate/sampler/control.h gate/sampler/environment.h
gate/compare: gate/base gate/profile gate/verdict
baseline: gate/base gate/vcs gate/net gate/profile gate/bench
gate/check: gate/base gate/vcs gate/net gate/profile gate/verdict gate/bench gate/compare baseline/store.h baseline/choose.h baseline/source.h
report: gate/base gate/net gate/check/result.h
gate/cli: gate report baseline/store.h
'
# foreign header pattern = files that may include it
foreign='
git2\.h=gate/vcs/
cjson/=gate/net/json
curl/=gate/net/
protobuf-c=gate/profile/pprof|baseline/parca|baseline/pyroscope
profile\.pb-c\.h=gate/profile/pprof
parca\.pb-c\.h=baseline/parca
pyroscope\.pb-c\.h=baseline/pyroscope
elfutils/|dwarf\.h|libdw|gelf\.h|libelf\.h|demangle\.h=gate/profile/symbolize|gate/profile/code_
yaml\.h=gate/bench/config
zlib\.h=gate/base/gzip
capstone/=gate/profile/code_decode
'
bad=0
complain() { echo "$1"; bad=$((bad + 1)); }

room_of() {
	case $1 in
	gate/*/*) echo "$1" | cut -d/ -f1,2 ;;
	report/*) echo report ;;
	*) echo "${1%%/*}" ;;
	esac
}

includes=$(find gate report baseline -name '*.[ch]' -type f | sort | xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null)
while IFS=: read -r file line text; do
	[ -n "$file" ] || continue
	room=$(room_of "$file")
	header=$(printf '%s' "$text" | sed -E 's/^[^"<]*["<]([^">]*)[">].*/\1/')
	case $header in
	gate/* | report/* | baseline/*)
		target=$(room_of "$header")
		[ "$target" = "$room" ] && continue
		ok=0
		for permit in $(printf '%s\n' "$allowed" | sed -n "s|^$room:||p"); do
			case $header in "$permit" | "$permit"/*) ok=1 ;; esac
		done
		[ $ok = 1 ] || complain "$file:$line: $room may not include $header"
		;;
	esac
	while IFS='=' read -r pattern place; do
		[ -n "$pattern" ] || continue
		printf '%s' "$header" | grep -qE "^($pattern)" || continue
		printf '%s' "$file" | grep -qE "^($place)" || complain "$file:$line: <$header> belongs to $place alone"
	done <<EOF
$foreign
EOF
done <<EOF
$includes
EOF

if [ "${1:-}" = --headers ]; then
	flags=$(pkg-config --cflags libgit2 libprotobuf-c libcjson libcurl zlib libdw yaml-0.1)
	for header in $(find gate report baseline -name '*.h' | sort); do
		# shellcheck disable=SC2086 # flags are words
		printf '#include "%s"\n' "$header" | gcc -std=gnu17 -D_GNU_SOURCE -I. $flags -Wall -Wextra -Werror \
			-fsyntax-only -x c - || complain "$header does not compile alone"
	done
fi
[ $bad = 0 ] && echo "layers: fine" || { echo "layers: $bad broken"; exit 1; }
