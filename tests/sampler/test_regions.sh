#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flamegate.h: what a program says about itself is in its captures, TAP; and the header works in programs
# and libraries of every kind, profiled or not.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_regions.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"
root=$(cd "$here/../.." && pwd)
target=$build/tests/sampler/region_target

# One line for each context that has CPU samples: milliseconds and the path of keys and values.
weights() {
	"$dump" -s "$captures" >"$scratch/stacks" 2>&1
	awk '
		/^process / { split("", path) }
		/^context / {
			at = index($0, $5)
			path[$2] = ($4 + 0 ? path[$4] ";" : "") substr($0, at)
		}
		/^stack / && / kind cpu / {
			match($0, / context [0-9]+/)
			context = substr($0, RSTART + 9, RLENGTH - 9)
			match($0, / sum [0-9]+/)
			sum[context + 0 ? path[context] : "-"] += substr($0, RSTART + 5, RLENGTH - 5) / 1e6
		}
		END { for (p in sum) printf "%d %s\n", sum[p], p }
	' "$scratch/stacks" | sort -k2 >"$scratch/weights"
}

# The weight of a path is as many milliseconds as were burnt, give or take samples at its ends.
weighs() { # path milliseconds
	awk -v path="$1" -v ms="$2" '
		{ got = $1; sub(/^[0-9]+ /, "") }
		$0 == path { found = got }
		END { exit !(found >= ms * 0.8 - 8 && found <= ms * 1.2 + 8) }
	' "$scratch/weights" || { sed 's/^/weight: /' "$scratch/weights" >>"$scratch/dump"; return 1; }
}

marked() { # mode [MS]: runs it; its dump, stacks and weights are there afterwards
	sampled "$target" "$@"
	weights
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0
}

# The contexts' own lines, in order: "parent key=value".
contexts() {
	sed -n 's/^context [0-9]* parent //p' "$scratch/dump"
}

has_contexts() { # as printed by contexts
	contexts >"$scratch/contexts"
	printf '%s\n' "$@" | cmp -s - "$scratch/contexts"
}

regions_are_keys() {
	marked regions 80 && weighs "region=outer" 80 && weighs "region=outer;region=inner" 240 &&
		weighs "region=outer;codec=zstd" 160 && weighs - 320 && between marks 1 1
}

labels_hold_until_their_region_ends() {
	marked labels && has_contexts '0 a=1' '1 b=1' '0 a=2' '3 b=1' \
		'4 region=see-a2-b1' '5 a=3' '6 b=' '7 region=see-a3-hidden-b' \
		'8 region=the-same' '5 b=' '10 a=' '11 region=see-hidden-a' \
		'4 region=see-a2-b1-again' '0 b=1' '14 region=see-b1'
}

pause_stops_once() {
	marked paused 100 && between weight_ms 150 260 && between weight_permille 800 1200
}

starts_paused() { # mode ms low high
	options=FLAMEGATE_START_PAUSED=1
	marked "$1" "$2"
	result=$?
	options=
	[ "$result" -eq 0 ] && between weight_ms "$3" "$4"
}

iterations_cut_epochs() {
	marked iterations 200 && between iterations 1000 1000 &&
		sed -n 's/^epoch //p' "$scratch/dump" >"$scratch/epochs" &&
		[ "$(wc -l <"$scratch/epochs")" -eq 259 ] &&
		grep -q '^64 iterations 64 ' "$scratch/epochs" &&
		grep -q '^65 iterations 65 ' "$scratch/epochs" &&
		grep -q '^66 iterations 67 ' "$scratch/epochs" &&
		grep -q '^129 iterations 193 ' "$scratch/epochs" &&
		grep -q '^130 iterations 197 ' "$scratch/epochs" && between last_epoch 250 259
}

epochs_are_bounded() {
	marked large-steps && [ "$(grep -c '^epoch ' "$scratch/dump")" -le 4096 ] &&
		[ "$(value iterations)" = 400000000000000 ]
}

control_page_wins() {
	page=$scratch/page
	"$control" "$page" create $$ && "$control" "$page" epoch 7000 || return 1
	options="FLAMEGATE_CONTROL=$page"
	marked iterations 100
	result=$?
	options=
	[ "$result" -eq 0 ] && between last_epoch 7000 7000
}

threads_share_contexts() {
	marked marking-threads
	result=$?
	contexts >"$scratch/contexts"
	sed -i '/^context /d' "$scratch/dump" # too many to be read
	[ "$result" -eq 0 ] && [ "$(sort "$scratch/contexts" | uniq -d | wc -l)" -eq 0 ] &&
		[ "$(wc -l <"$scratch/contexts")" -eq 2001 ] && between counter_contexts_lost 0 0
}

threads_have_their_own() {
	marked threads 100 && weighs "region=left-open" 100 && weighs - 100
}

a_fork_keeps_regions() {
	marked fork 80 && between processes 2 2 && weighs "region=before" 80 &&
		weighs "region=before;region=child" 160 && weighs "region=parent" 80 &&
		between iterations 101 101 && between marks 2 2 &&
		[ "$(grep -c '^epoch 1 ' "$scratch/dump")" -eq 2 ]
}

a_late_capture_has_all_marks() {
	marked fork-late 80 && between processes 3 3 && between marks 3 3 &&
		weighs "region=before" 80 && between iterations 7 7 && grep -q '^epoch 1 ' "$scratch/dump"
}

raw_fork_is_harmless() {
	marked rawfork 60 && ! grep -q lost= "$scratch/dump" && between iterations 0 0
}

unbalanced_is_harmless() {
	marked unbalanced 60 && weighs "region=deep;region=second" 60 && weighs "region=last" 60 &&
		[ "$(contexts | grep -c =deep)" -eq 64 ] && between counter_contexts_lost 1 100
}

too_many_count_for_their_parent() {
	marked many 300
	result=$?
	contexts >"$scratch/contexts"
	sed -i '/^context /d' "$scratch/dump" # too many to be read
	[ "$result" -eq 0 ] && [ "$(wc -l <"$scratch/contexts")" -eq 4096 ] &&
		between counter_contexts_lost 3900 12000 && weighs "region=all" 395 &&
		between weight_ms 400 600
}

odd_names_are_cut() {
	marked odd-names && contexts >"$scratch/contexts" &&
		awk '
			NR == 1 { fine = length($0) == length("0 region=") + 256 }
			NR == 2 { fine = fine && length($0) == length("1 region=") + 255 }
			NR == 3 { fine = fine && length($0) == length("2 =long-key") + 64 }
			NR == 4 || NR == 5 { fine = fine && /region=$/ }
			END { exit !(fine && NR == 6) }
		' LC_ALL=C "$scratch/contexts"
}

full_capture_loses_regions() {
	options="FLAMEGATE_CAPTURE_MAX_MB=1"
	marked many-long 60
	result=$?
	options=
	contexts >"$scratch/contexts"
	sed -i '/^context /d' "$scratch/dump"
	# The last block has room for a short one.
	[ "$result" -eq 0 ] && grep -qx '1 region=one-more' "$scratch/contexts" && [ "$(wc -l <"$scratch/contexts")" -gt 1000 ] &&
		between counter_contexts_lost $((4002 - $(wc -l <"$scratch/contexts"))) 3000 &&
		between counter_contexts_lost 1 3000
}

asleep_without_capture() {
	LD_PRELOAD=$library "$target" regions 1 >"$scratch/out" 2>&1 && grep -qx fine "$scratch/out" &&
		"$target" regions 1 >"$scratch/out" 2>&1
}

# ---- the header ---------------------------------------------------------------------------------

compile() { # output flags and files...
	output=$1
	shift
	"$@" -I"$root" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror \
		-o "$output" >"$scratch/out" 2>&1
}

# Alone, and under the preload: with three regions and two labels in the capture.
works() { # state-under-preload
	"$scratch/user" >"$scratch/out" && grep -qx 'fine inactive' "$scratch/out" &&
		sampled "$scratch/user" && grep -qx "fine $1" "$scratch/out" || return 1
	[ "$1" = inactive ] || has_contexts '0 region=outer' '1 region=scoped' '2 key=value' \
		'1 key=outer' '1 region=after'
}

built_as() { # state flags...
	state=$1
	shift
	compile "$scratch/user" "$@" "$here/programs/region_user.c" && works "$state"
}

variants() { # C compiler, C++ compiler
	for flags in "-std=c99" "-std=c11 -O1 -no-pie -fno-pie" "-std=c17 -O2 -DWITH_DLFCN" \
		"-O3 -no-pie -fno-pie -DWITH_DLFCN" "-O2 -fno-plt" "-O2 -no-pie -fno-pie -fno-plt" \
		"-O2 -flto" "-O2 -Wl,-z,now"; do
		# shellcheck disable=SC2086 # flags
		check "$1 $flags: nothing alone, regions under the preload" built_as active "$1" $flags
	done
	for flags in "-O2 -static" "-static-pie -DWITH_DLFCN"; do
		# shellcheck disable=SC2086
		check "$1 $flags: harmless" built_as inactive "$1" $flags
	done
	for flags in "-std=c++11" "-std=c++20 -O3 -no-pie -fno-pie" "-std=c++17 -O2 -DWITH_DLFCN"; do
		# shellcheck disable=SC2086
		check "$2 $flags: nothing alone, regions under the preload" \
			built_as active "$2" $flags -x c++
	done
}

loads_plugin() { # compiler
	compile "$scratch/plugin.so" "$1" -O2 -fPIC -shared "$here/programs/region_plugin.c" &&
		compile "$scratch/loader" "$1" -O2 "$here/programs/region_loader.c" &&
		"$scratch/loader" "$scratch/plugin.so" >"$scratch/out" &&
		grep -qx inactive "$scratch/out" && sampled "$scratch/loader" "$scratch/plugin.so" &&
		grep -qx active "$scratch/out" && has_contexts '0 region=plugin'
}

python_calls_it() {
	sampled python3 -c '
import ctypes
library = ctypes.CDLL(None)
assert library.flamegate_is_active() == 1
library.flamegate_region_begin(b"python")
library.flamegate_label(b"key", b"value")
library.flamegate_label_clear(b"key")
library.flamegate_region_end()
library.flamegate_pause()
library.flamegate_resume()
library.flamegate_iteration(5)
' && [ "$status" -eq 0 ] && has_contexts '0 region=python' '1 key=value' && between iterations 5 5
}

check "samples carry the regions and labels they were taken in" regions_are_keys
check "labels hold until they are changed, cleared or their region ends" \
	labels_hold_until_their_region_ends
check "a pause drops what runs until one resume" pause_stops_once
check "started paused, counting begins with the first region" starts_paused set-up 80 110 220
check "started paused, counting begins with the first iteration" \
	starts_paused set-up-iterations 80 110 220
check "started paused, a program with labels alone has no samples and a whole capture" \
	starts_paused unmarked 60 0 0
check "a pause is not ended by a region" starts_paused paused-region 60 0 2
check "iterations cut the run into epochs of growing steps" iterations_cut_epochs
check "any number of iterations makes a bounded number of epochs" epochs_are_bounded
check "the control page's epoch goes before the program's" control_page_wins
check "eight threads' equal regions are one" threads_share_contexts
check "threads' iterations add up" eval 'marked iterating-threads 1 && between iterations 40000 40000'
check "a thread begins without a region" threads_have_their_own
check "a forked child is in its parent's region, with its own iterations" a_fork_keeps_regions
check "a child's capture that begins late has all that was marked before" \
	a_late_capture_has_all_marks
check "a child forked behind our back marks nothing" raw_fork_is_harmless
check "ends without begins and 100 levels are harmless" unbalanced_is_harmless
check "regions without room count for the one around them" too_many_count_for_their_parent
check "names are cut, at a character's end" odd_names_are_cut
check "a full capture loses regions, counted" full_capture_loses_regions
check "errno is kept" marked errno 10
check "nothing happens without a capture or a preload" asleep_without_capture
variants gcc g++
check "gcc: a plug-in marks its regions" loads_plugin gcc
if command -v clang >/dev/null 2>&1 && command -v clang++ >/dev/null 2>&1; then
	variants clang clang++
	check "clang: a plug-in marks its regions" loads_plugin clang
else
	skip "clang: all" "clang is not installed"
fi
if command -v python3 >/dev/null 2>&1; then
	check "python3 calls the library's functions" python_calls_it
else
	skip "python3 calls the library's functions" "python3 is not installed"
fi

finish
