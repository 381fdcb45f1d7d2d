#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo's program (testdata/demo): reads a web server's log. Usage: see common.sh.
set -u
program=demo
counted_function=main
functions_executed=60
source_folder=$(cd "$(dirname "$0")/../../../../testdata/demo" && pwd)
planted_chains=(3 3 2)
commented=(src/glob.c glob_match)
declare -A refactors=([rename]=combined_field,src/combined.c [split]=agent_scan,src/agent.c
	[inline]=same_key,src/table.c [moved]=glob_match,src/glob.c [reorder]=,Makefile)

sources() {
	sh "$source_folder/make-repo.sh" made >/dev/null
	git -C made archive base | tar x
	rm -rf made
	sed -i 's/^CFLAGS = /&-falign-functions=64 /' Makefile
	sed -i 's/^version: 1/&\nrate: 3989/; $a\    repeat: 2\n    budget: 5m' .flamegate.yml
}

# Every tenth line, which callgrind reads fifty times slower.
run_benchmark() {
	local log=data/access.jsonl.gz
	if [ "$2" = part ]; then
		zcat "$log" | awk 'NR % 10 == 1' | gzip >tenth.gz
		log=tenth.gz
	fi
	$1 ./logstat --top 10 "$log"
}

refactor_rename() { edit rename combined_field next_field src/*.[ch]; }

# The second half of each text is another function's.
refactor_split() {
	edit replace '^uint32_t agent_scan\(.*\)\n\{\n\tuint32_t found = 0;\n\tunsigned state = 0;\n\n\tfor \(size_t i = 0; ' \
		'static __attribute__((noinline)) uint32_t agent_walk(
	const struct agents *agents, struct span text, size_t i, unsigned state)
{
	uint32_t found = 0;

	for (; ' src/agent.c
	edit replace '^const char \*agent_family\(' 'uint32_t agent_scan(const struct agents *agents, struct span text)
{
	size_t half = text.length / 2;
	uint32_t found = 0;
	unsigned state = 0;

	for (size_t i = 0; i < half; i++) {
		unsigned u = (unsigned char)text.text[i];
		unsigned symbol;

		if (u >= '"'A' && u <= 'Z'"')
			u |= 0x20;
		symbol = u >= '"'a' && u <= 'z' ? u - 'a'"' : 26 + u % 38;
		state = agents->next[state][symbol];
		found |= agents->found[state];
	}
	return found | agent_walk(agents, text, half, state);
}

const char *agent_family(' src/agent.c
}

# The compiler makes it a part of its callers; here it may not.
refactor_inline() { edit attribute same_key '__attribute__((noinline))' src/table.c; }

refactor_moved() {
	edit move glob_match src/glob.c src/ip.c
	edit replace '^#include "ip.h"$' '#include "glob.h"
#include "ip.h"' src/ip.c
}

refactor_reorder() {
	local objects
	objects=$(grep -o 'src/[a-z]*\.o' Makefile | sort -r | tr '\n' ' ')
	edit replace '^OBJECTS = (?:.*\\\n)+.*$' "OBJECTS = $objects" Makefile
}

# shellcheck source=tests/bench/real/programs/common.sh
. "$(dirname "$0")/common.sh"
main "$@"
