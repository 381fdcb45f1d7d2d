#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A planted slowdown, TAP: what is burnt is the wanted part of what the wanted code's samples weigh, it is CPU time
# of the process, and its samples carry it. Both sides are the sampler's own sums: no clock of the machine decides.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_slowdown.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

truths=$build/tests/sampler/truths
everything=0-7fffffffffff

build_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

range_of() { # program function
	nm -S "$1" | sed -n "s/^\([0-9a-f]*\) \([0-9a-f]*\) [tT] $2\$/\1 \2/p" |
		perl -ne 'printf "%x-%x", hex($1), hex($1) + hex($2) - 1 if /(\S+) (\S+)/'
}

# ns of samples whose leaf lies in this range of this module ("": in any code).
weight_of() { # module range
	"$dump" -s "$captures" | perl -ne '
		BEGIN { ($module, $first, $last) = (shift, map { hex } split /-/, shift) }
		next unless /^stack \d+ kind cpu sum (\d+) .*?: ?(\S*)/;
		($sum, $leaf) = ($1, $2);
		next if $module ne "" && ($leaf !~ /^\Q$module\E\+([0-9a-f]+)/ || hex($1) < $first || hex($1) > $last);
		$all += $sum;
		END { print $all || 0 }' "$1" "$2"
}

# burnt / (weight - burnt) is the part asked for, to 5 %: a handler may be interrupted.
burns() { # permille-asked module range
	burnt=$(($(value slowdown_us) * 1000))
	weight=$(weight_of "$2" "$3")
	echo "asked $1 burnt $burnt of $weight" >>"$scratch/dump"
	[ "$burnt" -gt 0 ] && [ "$weight" -gt "$burnt" ] &&
		[ $((burnt * 20000)) -ge $((19 * $1 * (weight - burnt))) ] &&
		[ $((burnt * 20000)) -le $((21 * $1 * (weight - burnt))) ]
}

slowed() { # variable program...
	options="FLAMEGATE_SLOWDOWN=$1"
	shift
	sampled "$@"
	options=
	[ "$status" -eq 0 ] && between damaged 0 0 && between lost 0 0
}

one_function_is_slowed() { # factor
	range=$(range_of "$truths" work_b)
	slowed "$((1000 * $1)):$range:$(build_id "$truths")" "$truths" split 1000 &&
		between weight_permille 950 1050 && burns "$1" truths "$range"
}

all_code_is_slowed() { # low high mode...
	low=$1 high=$2
	shift 2
	slowed 300000 "$truths" "$@" && between weight_permille "$low" "$high" && burns 300 "" 0-0
}

# Both lie at the same addresses, one after the other.
one_plugin_is_slowed() {
	slowed "400000:$everything:$(build_id "$build/tests/sampler/plugin_two.so")" "$target" plugins 2 150 &&
		burns 400 plugin_two.so $everything
}

# A child's module table begins anew.
children_are_slowed() {
	slowed "400000:$everything:/truths" "$truths" forks 300 && burns 400 truths $everything
}

nothing_is_burnt() { # variable
	slowed "$1" "$truths" split 200 && between slowdown_us 0 0
}

all_modes() {
	check "$mechanism: a function is slowed by a tenth of its weight" one_function_is_slowed 100
	check "$mechanism: a function is slowed by six times its weight" one_function_is_slowed 6000
	check "$mechanism: all code of all threads is slowed" all_code_is_slowed 900 1100 duty 150 4000 300 8
	check "$mechanism: code in the kernel is slowed" all_code_is_slowed 950 1050 reading 500 7000 200
	check "$mechanism: one of two plugins is slowed" one_plugin_is_slowed
	check "$mechanism: forked children are slowed, by the module's path" children_are_slowed
}

if perf_opens; then
	mechanism=perf
	all_modes
else
	skip "perf: all" "perf task-clock with the kernel included does not open here"
fi
mechanism=posix
all_modes
check "code that is not there is not slowed" nothing_is_burnt "900000:1-2:$(build_id "$truths")"
check "another module is not slowed" nothing_is_burnt "900000:$everything:0123456789abcdef"
check "a variable that says nothing burns nothing" nothing_is_burnt "0000000:$everything:/truths"
check "nonsense in the variable burns nothing" nothing_is_burnt "100000:everything"
finish
