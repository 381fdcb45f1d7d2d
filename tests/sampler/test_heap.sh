#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The heap: programs that know what they allocate, real ones against valgrind's totals, other allocators,
# programs that are killed or at the edge of their memory. TAP.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_heap.sh   (after: make sampler-test-files)

# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$build/tests/sampler
library=$heap_library
library_for() { echo "$library"; } # beside other allocators too
heap=$programs/heap_target
libraries=/usr/lib/$(uname -m)-linux-gnu

said() { # name: what the program printed
	sed -n "s/^$1 //p" "$scratch/out"
}

is() { # name value: exactly that
	[ -n "$2" ] && between "$1" "$2" "$2"
}

counted() { # program argument...
	options="FLAMEGATE_PROFILE=heap ${more:-}"
	sampled "$@"
	[ "$status" -eq 0 ] && between damaged 0 0 && between counter_heap_lost 0 0 &&
		between counter_untracked 0 0
}

as_told() { # the program's own totals, all stacks complete
	is heap_count "$(said allocs)" && is heap_sum "$(said bytes)" &&
		is heap_gone_count "$(said frees)" && is heap_complete "$(said allocs)"
}

mode_is_as_told() { # mode...
	counted "$heap" "$@" && as_told && between counter_unknown_frees 0 0 &&
		between counter_other_heap 0 0
}

peak_is_as_told() {
	mode_is_as_told peak && is heap_peak_bytes "$(said peak_bytes)" &&
		is heap_peak_count "$(said peak_count)" && is header_peak_bytes "$(said peak_bytes)" &&
		is header_live_bytes 333
}

# The peak's shares belong to the stacks that held them: one large block, five small ones, the early one.
peak_has_its_stacks() {
	"$dump" -s "$captures" | sed -n 's/^stack.* peak \([0-9-]*\) peak_sum \([0-9-]*\) .*/\1 \2/p' |
		sort -n >"$scratch/shares"
	printf '0 0\n1 333\n1 70000\n5 500\n' | cmp -s - "$scratch/shares"
}

# A free counts where its block was allocated, in the epoch in which it is freed.
regions_have_their_own() {
	counted "$heap" regions && as_told || return 1
	"$dump" -s "$captures" |
		sed -n 's/^stack \([0-9]*\) kind heap .* gone \([0-9]*\) .* epoch \([0-9]*\) context \([0-9]*\) .*/\1 \2 \3 \4/p' |
		sort >"$scratch/shares"
	printf '0 2 1 1\n1 0 0 0\n5 3 0 1\n7 0 0 2\n' | cmp -s - "$scratch/shares"
}

# The threads' own bookkeeping, which the C library allocates and keeps, comes on top.
threads_are_exact() {
	counted "$heap" threads && is heap_gone_count "$(said frees)" &&
		is heap_gone_sum "$(said bytes)" &&
		between heap_count "$(said allocs)" $(($(said allocs) + 10)) &&
		between counter_unknown_frees 0 0 &&
		between header_live_bytes 0 40000
}

# Blocks of the C library for its threads come on top; the main thread has a few bytes to tell yet.
crowd_is_told() {
	counted "$heap" crowd && between heap_live_bytes "$(said bytes)" $(($(said bytes) + 100000)) &&
		between header_live_bytes $(($(value heap_live_bytes) - 5000)) \
			$(($(value heap_live_bytes) + 5000)) &&
		between header_peak_bytes $(($(said peak_bytes) - 20000)) \
			$(($(said peak_bytes) + 100000))
}

fork_has_its_own_heap() {
	counted "$heap" fork && as_told && between processes 2 2 &&
		is counter_unknown_frees "$(said unknown)"
}

mappings_are_as_told() {
	counted "$heap" mapped && is mapped_count "$(said mapped)" &&
		is mapped_sum "$(said mapped_bytes)" && is mapped_gone_sum "$(said mapped_bytes)" &&
		is mapped_gone_count "$(said mapped_gone_at_last)" && between heap_count 1 1
}

# dlopen has allocated too: what is in use at the end tells that both blocks are known to be gone.
unseen_ends_are_noticed() {
	counted "$heap" unseen && between heap_live_bytes 333 600 && between counter_unknown_frees 0 0
}

errno_is_kept() {
	counted "$heap" errno && grep -qx fine "$scratch/out"
}

unasked_is_not_counted() {
	options="FLAMEGATE_PROFILE=cpu"
	sampled "$heap" family
	[ "$status" -eq 0 ] && between heap_count 0 0 && between mapped_count 0 0
}

paused_is_not_counted() {
	more="FLAMEGATE_START_PAUSED=1"
	counted "$heap" peak
	result=$?
	more=
	[ "$result" -eq 0 ] && between heap_count 0 0 && between heap_gone_count 0 0
}

# Killed when it is largest: what it held is in the file.
killed_leaves_its_heap() {
	fresh
	: >"$scratch/out"
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_PROFILE=heap \
		"$heap" spike >"$scratch/out" 2>&1 &
	victim=$!
	tries=0
	while ! grep -q '^bytes' "$scratch/out" && [ "$tries" -lt 3000 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	kill -9 "$victim"
	wait "$victim" 2>/dev/null
	"$dump" "$captures" >"$scratch/dump" 2>&1
	between damaged 0 0 && as_told && is heap_live_bytes "$(said bytes)" &&
		is heap_peak_bytes "$(said bytes)" && is header_peak_bytes "$(said bytes)" &&
		is header_live_bytes "$(said bytes)" && grep -q ' exited 0 ' "$scratch/dump"
}

# The kernel kills for memory in a group of its own: where groups are to be had.
group=/sys/fs/cgroup/memory/flamegate-heap-$$
out_of_memory() {
	what="a program killed for memory leaves its heap"
	if ! mkdir "$group" 2>/dev/null; then
		skip "$what" "no memory cgroup to be had"
		return
	fi
	if echo 50331648 >"$group/memory.limit_in_bytes" 2>/dev/null; then
		check "$what" killed_for_memory_is_readable
	else
		skip "$what" "the memory cgroup has no limit"
	fi
	rmdir "$group" 2>/dev/null
}

killed_for_memory_is_readable() {
	fresh
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >"$1/tasks" && exec env LD_PRELOAD="$2" FLAMEGATE_CAPTURE_DIR="$3" \
		FLAMEGATE_PROFILE=heap "$4" grow' sh "$group" "$library" "$captures" "$heap" \
		>"$scratch/out" 2>&1
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
	live=$(value heap_live_bytes)
	# It may end while its last allocation, of 100,000 bytes, is being counted.
	[ "$status" -eq 137 ] && between damaged 0 0 && between heap_live_bytes 20000000 60000000 &&
		between heap_peak_bytes "$((live - 100000))" "$live" &&
		between header_live_bytes "$((live - 100000))" "$live" && grep -q ' exited 0 ' "$scratch/dump"
}

limit_is_survived() {
	counted "$heap" limited 5 && grep -qx fine "$scratch/out" && between heap_live_count 1 1
}

# The cap is there before we are: our own memory counts too.
tight_limit_is_survived() {
	options="FLAMEGATE_PROFILE=heap"
	(
		# shellcheck disable=SC3045 # dash and bash have it
		ulimit -v 65536
		sampled "$heap" limited 3
		[ "$status" -eq 0 ] && grep -qx fine "$scratch/out"
	)
}

sampled_is_near() { # period: totals within 5 %, in use too
	more="FLAMEGATE_HEAP_PERIOD=$1"
	counted "$heap" mixed 150000
	result=$?
	more=
	[ "$result" -eq 0 ] && near heap_count "$(said allocs)" "$2" &&
		near heap_sum "$(said bytes)" 5 && near heap_gone_sum "$(($(said bytes) / 2))" 8 &&
		near heap_live_bytes "$(($(said bytes) / 2))" 8 &&
		near header_live_bytes "$(value heap_live_bytes)" 1
}

near() { # name value percent
	between "$1" $(($2 * (100 - $3) / 100)) $(($2 * (100 + $3) / 100))
}

timeline_is_the_same_each_time() {
	counted "$heap" mixed 20000 || return 1
	grep '^moment' "$scratch/dump" >"$scratch/first"
	counted "$heap" mixed 20000 || return 1
	grep '^moment' "$scratch/dump" | cmp -s - "$scratch/first" &&
		[ "$(wc -l <"$scratch/first")" -ge 100 ] && [ "$(wc -l <"$scratch/first")" -le 408 ] &&
		sort -c -n -k 2 "$scratch/first"
}

# libstdc++ has a pool of its own, and each exception is a block.
operators_are_counted() {
	counted "$programs/heap_cxx" && is heap_count $(($(said allocs) + 11)) &&
		is heap_gone_count $(($(said frees) + 10)) && between counter_unknown_frees 0 0
}

plugin_runs() { # file
	for kinds in heap cpu; do
		options="FLAMEGATE_PROFILE=$kinds"
		sampled "$heap" plugin "$1"
		[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" || return 1
	done
}

# Behind us each allocation is counted once, however its functions call each other. What the allocator
# itself needs at start is not known: a program that does the same twice as often tells.
other_allocator() { # library
	if [ ! -e "$libraries/$1" ]; then
		skip "$1 behind us: each allocation once" "$1 is not installed"
		skip "$1 before us: said to be unseen" "$1 is not installed"
		return
	fi
	saved=$library
	library="$saved $libraries/$1"
	check "$1 behind us: each allocation once" counted_once
	library="$libraries/$1 $saved"
	check "$1 before us: said to be unseen" unseen_is_said
	library=$saved
}

counted_once() {
	counted "$programs/heap_cxx" && between counter_other_heap 0 0 &&
		between heap_count "$(said allocs)" $(($(said allocs) + 40)) &&
		between heap_gone_count $(($(said frees) + 10)) $(($(said frees) + 40)) &&
		counted "$heap" peak && between counter_other_heap 0 0 &&
		between heap_count "$(said allocs)" $(($(said allocs) + 20)) &&
		between heap_gone_count "$(said frees)" $(($(said frees) + 20))
}

unseen_is_said() {
	counted "$heap" peak && between counter_other_heap 1 1
}

linked_in_is_said() {
	counted "$programs/heap_own" && between counter_other_heap 1 1 && between heap_count 0 0
}

# The same environment, byte for byte: interpreters copy it, and valgrind adds to it. (Not for shells,
# which keep their process id as text.)
checker="valgrind --run-libc-freeres=no --run-cxx-freeres=no --leak-check=no"
surroundings() {
	env -i PATH="$PATH" HOME=/nonexistent LC_ALL=C PERL_HASH_SEED=0 FLAMEGATE_PROFILE=heap \
		FLAMEGATE_CAPTURE_DIR="$captures" "$@" </dev/null
}

# Slashes before a path change nothing but its length.
padded_library() { # as long as this
	path=$library
	while [ "${#path}" -lt "${#1}" ]; do path=/$path; done
	printf %s "$path"
}

valgrind_agrees() { # program argument...
	# shellcheck disable=SC2086 # words
	surroundings $checker "$@" 2>&1 >/dev/null | sed -n 's/,//g; s/.*total heap usage: //p' |
		sed 's/ allocs / /; s/ frees / /; s/ bytes.*//' >"$scratch/theirs"
	surroundings valgrind -q /usr/bin/env >"$scratch/environment" 2>/dev/null
	[ -s "$scratch/theirs" ] && [ -s "$scratch/environment" ] || return 1
	path=$(padded_library "$(sed -n 's/^LD_PRELOAD=//p' "$scratch/environment")")
	for run in 1 2 3; do
		fresh
		(
			set -f
			IFS='
'
			# shellcheck disable=SC2046 # a line is a word
			exec env -i $(sed "s|^LD_PRELOAD=.*|LD_PRELOAD=$path|" "$scratch/environment") "$@"
		) >"$scratch/out" 2>&1 </dev/null
		"$dump" "$captures" >"$scratch/dump" 2>&1
		echo "run $run: $(value heap_count) $(value heap_gone_count) $(value heap_sum)," \
			"valgrind's $(cat "$scratch/theirs")" >"$scratch/out"
		[ "$(value heap_count) $(value heap_gone_count) $(value heap_sum)" = \
			"$(cat "$scratch/theirs")" ] && between counter_unknown_frees 0 0 &&
			between counter_heap_lost 0 0 || return 1
	done
}

real_program() { # name argument...
	if ! command -v valgrind >/dev/null 2>&1; then
		skip "$1: valgrind's totals, three times" "valgrind is not installed"
	elif ! command -v "$1" >/dev/null 2>&1; then
		skip "$1: valgrind's totals, three times" "$1 is not installed"
	else
		check "$1: valgrind's totals, three times" valgrind_agrees "$@"
	fi
}

real_programs() {
	cat >"$scratch/script.sql" <<'END'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)
	insert into t select x, hex(x * 77) from c;
create index i on t(b);
select count(*), max(b) from t where b like '%7%';
END
	seq 1 1000 | sed 's/.*/{"a":&,"b":["x","y&"]}/' >"$scratch/lines.json"
	git init -q "$scratch/repository" 2>/dev/null && (
		cd "$scratch/repository" || exit
		for n in 1 2 3; do
			echo "$n" >file
			git add file && git -c user.name=n -c user.email=e commit -q -m "commit $n"
		done
	)
	real_program sqlite3 :memory: ".read $scratch/script.sql"
	# shellcheck disable=SC2016
	real_program perl -e 'my %h; $h{$_ x 3} = [1 .. $_ % 7] for 1 .. 2000; print scalar keys %h'
	real_program jq -c 'select(.a % 7 == 0) | .b' "$scratch/lines.json"
	real_program git --git-dir="$scratch/repository/.git" log --stat
	real_program lua5.4 -e 'local t = {} for i = 1, 2000 do t[i] = {i, tostring(i) .. "x"} end print(#t)'
	real_program xz -9 -c "$scratch/lines.json"
	real_program awk 'BEGIN { for (i = 0; i < 2000; i++) a[i] = i "x"; print length(a) }'
}

check "all of the malloc family is counted to the byte" mode_is_as_told family
check "what fails is not counted, and what it leaves is" mode_is_as_told failing
check "allocations before main are counted" mode_is_as_told early
check "the largest heap is known exactly" peak_is_as_told
check "the largest heap's stacks are known" peak_has_its_stacks
check "regions and epochs have their own totals" regions_have_their_own
check "threads: every block once, freed by others and after their end" threads_are_exact
check "threads: the totals hold what a crowd of them has and leaves behind" crowd_is_told
check "a forked child has a heap of its own" fork_has_its_own_heap
check "a child made by a raw system call disturbs nothing" mode_is_as_told rawfork
check "coroutines' allocations have complete stacks" mode_is_as_told coroutine
check "longjmp over allocating frames" mode_is_as_told jumps
# Each allocation would cost more by it, and a program's that allocates more would cost more of it.
names_taken() {
	nm -D --defined-only "$1" | awk '{ print $NF }' |
		grep -cxE 'malloc|calloc|realloc|free|posix_memalign|aligned_alloc|_Znwm|_ZdlPv|mmap|munmap'
}
check "where no heap is asked for the allocator's names are its own" \
	[ "$(names_taken "$build/libflamegate.so") $(names_taken "$heap_library")" = "0 10" ]
check "the program's own mappings, cut, moved and gone" mappings_are_as_told
check "a block that was freed unseen is gone when its address comes back" unseen_ends_are_noticed
check "errno is kept" errno_is_kept
check "where no heap is asked for nothing is counted" unasked_is_not_counted
check "a pause counts nothing" paused_is_not_counted
check "kill -9 leaves the heap as it was" killed_leaves_its_heap
out_of_memory
check "a program at the edge of its memory lives on" limit_is_survived
check "a program that begins at the edge of its memory lives on" tight_limit_is_survived
check "sampled each 4 KiB: totals are near" sampled_is_near 4096 6
check "sampled each 64 KiB: bytes are near" sampled_is_near 65536 30
check "the timeline is the same each time" timeline_is_the_same_each_time
check "operator new and delete in every form, with exceptions" operators_are_counted
check "a C++ plug-in of a C program" plugin_runs "$programs/heap_plugin.so"
check "a C++ plug-in with its library inside" plugin_runs "$programs/heap_plugin_static.so"
check "an allocator that is linked in is said to be unseen" linked_in_is_said
other_allocator libjemalloc.so.2
other_allocator libtcmalloc_minimal.so.4
real_programs
finish
