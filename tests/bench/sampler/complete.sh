#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How many stacks of real programs are complete, taken at arbitrary points of three CPU seconds and more of real
# work, by both mechanisms. Prints a line for each program, and how the incomplete ones end; decides nothing.
# usage: FLAMEGATE_BUILD=build [KEEP=FOLDER] complete.sh [PROGRAM...]   KEEP: for the captures
set -u
export LC_ALL=C
build=$(cd "${FLAMEGATE_BUILD:-build}" && pwd) || exit 3
scratch=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-complete.XXXXXX") || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
ends=(root start depth no-rule bad-load bad-rule)

# ---- work ------------------------------------------------------------------------------------------------------------

make_text() {
	[ -s "$scratch/text" ] || seq 1 1800000 | awk '{ print $1, $1 * 7919 % 100003, "line" }' >"$scratch/text"
}

make_source() {
	[ -s "$scratch/source.c" ] && return
	awk 'BEGIN {
		for (i = 0; i < 600; i++) {
			printf "struct s%d { int a, b; double c[%d]; };\n", i, i % 7 + 1
			printf "double f%d(struct s%d *s, int n, const char *t) {\n\tdouble sum = 0;\n", i, i
			printf "\tfor (int i = 0; i < n; i++) {\n\t\tsum += s[i].c[i %% %d] * (s[i].a ^ i);\n", i % 7 + 1
			printf "\t\tif (t[i] == %d) sum -= s[i].b; else switch (t[i]) { case 1: sum *= 2; break; case 9: return sum; }\n", i % 100
			printf "\t}\n\treturn sum + %d;\n}\n", i
		}
	}' >"$scratch/source.c"
}

work_gzip() { make_text && gzip -9 -n -c "$scratch/text"; }
work_perl() {
	perl -e 'my %seen; for my $i (1 .. 1_300_000) { my $key = sprintf "%x", $i * 7919 % 65537; $seen{$key} .= $i;
		$seen{$key} =~ s/(\d)\1/$1/g if $i % 3 == 0 } print join ",", (sort { $a cmp $b } keys %seen)[0 .. 9]'
}
work_python3() {
	/usr/bin/python3 -c '
import json, re
total = 0
for i in range(300000):
    text = json.dumps({"a": i, "b": [str(i)] * 5, "c": {"d": i / 3}})
    total += len(json.loads(text)["b"]) + len(re.findall(r"\d+", text))
    total += sum(x * x % 7 for x in range(60))
print(total, sorted(str(i) for i in range(200000))[1000])'
}
work_node() {
	node -e 'let total = 0; const seen = new Map();
		for (let round = 0; round < 500; round++) {
			const list = Array.from({ length: 10000 }, (_, i) => ({ key: `k${i * 7919 % 1009}`, i }));
			list.sort((a, b) => a.key < b.key ? -1 : 1);
			for (const { key, i } of JSON.parse(JSON.stringify(list))) seen.set(key, (seen.get(key) || 0) + i);
			total += [...seen.keys()].join("").replace(/k(\d)/g, "$1").length }
		console.log(total)'
}
work_cc1() { make_source && "$(gcc -print-prog-name=cc1)" -quiet -O2 "$scratch/source.c" -o "$scratch/source.s"; }
work_bash() {
	bash -c 'for ((i = 0; i < 600000; i++)); do list[i % 1000]=$((i * 7919 % 1009)); text=x${list[i % 1000]//3/4}y
		case $text in x1*) count=$((count + 1)) ;; *9y) text=${text%y} ;; esac; done; echo "$count ${#list[@]}"'
}
work_clang() { make_source && clang -O2 -c "$scratch/source.c" -o "$scratch/source.o"; }

# ---- the count -------------------------------------------------------------------------------------------------------

# Output to a file, so that the work itself is all that is sampled: the preload is not for our own shell's children.
under() { # mechanism program
	rm -rf "$scratch/captures" && mkdir "$scratch/captures"
	(
		"prepare_$2" 2>/dev/null
		export LD_PRELOAD="$build/libflamegate.so" FLAMEGATE_CAPTURE_DIR="$scratch/captures"
		export FLAMEGATE_MECHANISM="$1" FLAMEGATE_RATE=997
		"work_$2"
	) >"$scratch/out" 2>"$scratch/errors" </dev/null
}
prepare_gzip() { make_text; }
prepare_cc1() { make_source; }
prepare_clang() { make_source; }

# Stacks of this program alone, by how they end.
count() { # program
	"$build/tests/sampler/dump_capture" -s "$scratch/captures" |
		awk -v name="$1" -v names="${ends[*]}" '
			BEGIN { split(names, end_names, " ") }
			/^process / { ours = $0 ~ "exe [^ ]*/" name "[^/ ]* "; if (ours) for (i = 1; i < NF; i++) if ($i == "cpu_ms") cpu += $(i + 1) }
			/^stack / && ours {
				match($0, / end [0-9]+/); end = substr($0, RSTART + 5, RLENGTH - 5) + 0
				all += $2; by[end] += $2
			}
			END {
				if (!all) { print "no samples"; exit }
				printf "%7d samples in %5.1f s  %6.2f %% complete ", all, cpu / 1000, 100 * (by[0] + by[1]) / all
				for (end = 2; end < 6; end++) if (by[end]) printf " %s %d", end_names[end + 1], by[end]
				print ""
			}'
}

[ $# -gt 0 ] || set -- gzip perl python3 node cc1 bash clang
for program in "$@"; do
	for mechanism in perf posix; do
		if ! command -v "$program" >/dev/null 2>&1 && [ "$program" != cc1 ]; then
			echo "$program: not installed"
			break
		fi
		under "$mechanism" "$program"
		printf '%-8s %-6s %s\n' "$program" "$mechanism" "$(count "$program")"
		[ -z "${KEEP:-}" ] || cp -r "$scratch/captures" "$KEEP/$program-$mechanism"
	done
done
