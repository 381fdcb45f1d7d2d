#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo's program (testdata/demo): reads a web server's log. common.sh says what comes of it.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/bench/real/programs/common.sh
. "$here/common.sh"
# shellcheck disable=SC2034 # common.sh reads them
{
	name=demo
	functions="agent_scan src/agent.c 155 311
edit_distance src/spelling.c 34 69
line_fingerprint src/duplicate.c 153 307
url_decode src/url.c 74 148
segment_kinds src/url.c 54 108"
}

make_base() {
	sh "$here/../../../../testdata/demo/make-repo.sh" "$1" >/dev/null
	git -C "$1" checkout -q -b start base
	git -C "$1" tag -d base >/dev/null
	git -C "$1" branch -q -m base
	git -C "$1" for-each-ref --format='%(refname:short)' refs/heads | grep -vx base | xargs git -C "$1" branch -q -D
}

refactor_aa() { sed -i 's|^struct table_entry \*table_get|/* The entry of this key; a new one if there is none. */\n&|' src/table.c; }
refactor_comment() { sed -i 's|^int glob_match|/* The last star is where it tries again. */\n&|' src/glob.c; }
refactor_rename() { sed -i 's/\bcombined_field\b/next_field/g' src/*.[ch]; }
refactor_inline() { sed -i 's/^static int same_key/__attribute__((noinline)) &/' src/table.c; }
refactor_moved() { { echo '#include "glob.h"'; take_function src/glob.c glob_match; } >>src/ip.c; }
refactor_reorder() {
	local objects

	objects=$(grep -o 'src/[a-z]*\.o' Makefile | sort -r | tr '\n' ' ')
	sed -i -e "/^OBJECTS = /,/[^\\\\]\$/c OBJECTS = $objects" Makefile
}
# The second half of each text is now another function's.
refactor_split() {
	take_function src/agent.c agent_scan >agent_scan.c
	{
		sed -e 's/^uint32_t agent_scan(.*/static __attribute__((noinline)) uint32_t agent_walk(\n\tconst struct agents *agents, struct span text, size_t i, unsigned state)/' \
			-e '/unsigned state = 0;/d' -e 's/for (size_t i = 0; /for (; /' agent_scan.c
		echo
		sed -e 's/^\(\tuint32_t found = 0;\)/\tsize_t half = text.length \/ 2;\n\1/' -e 's/i < text.length; i/i < half; i/' \
			-e 's/return found;/return found | agent_walk(agents, text, half, state);/' agent_scan.c
	} >>src/agent.c
	rm agent_scan.c
}

# Every tenth line, which callgrind reads fifty times slower.
count_run() {
	zcat data/access.jsonl.gz | awk 'NR % 10 == 1' | gzip >tenth.gz
	setarch -R valgrind --tool=callgrind --callgrind-out-file="$1" ./logstat --top 10 tenth.gz >/dev/null 2>"$1.log"
}

program "$@"
