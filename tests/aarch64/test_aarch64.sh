#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The preload library for aarch64, TAP: cross-built, run by qemu's user emulation, its captures read by this
# machine's reader. The emulator has no perf events, no vdso and no process_vm_readv: the POSIX timer, and
# stacks read without the kernel's help.
# usage: FLAMEGATE_BUILD=build sh tests/aarch64/test_aarch64.sh   (after: make sampler-test-files)
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and unwind_modes.sh
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/sampler/lib.sh
. "$tests/sampler/lib.sh"
sampler_tests=$tests/sampler
# shellcheck source=tests/sampler/unwind/unwind_modes.sh
. "$tests/sampler/unwind/unwind_modes.sh"

# Where .ci/run has a compiler's cache.
PATH=${FLAMEGATE_COMPILERS:+$FLAMEGATE_COMPILERS:}$PATH
cross=aarch64-linux-gnu
arm=$build/aarch64
# impdef: a cheaper cipher for the signatures than the one of the architecture, which takes minutes.
emulator="qemu-aarch64-static -cpu max,pauth-impdef=on -L /usr/$cross"
library=$arm/libflamegate.so
heap_library=$arm/libflamegate-heap.so
target=$arm/tests/target
symbols="$cross-nm"
mechanism=posix
ms=${UNWIND_MS:-150}
chain_share=90
end_share=97 # of 150 samples two without an end are no fault yet

sampled() {
	fresh
	# shellcheck disable=SC2086 # a command, and settings
	$emulator -E LD_PRELOAD="$library" -E FLAMEGATE_CAPTURE_DIR="$captures" \
		-E FLAMEGATE_MECHANISM=posix -E FLAMEGATE_RATE="${rate:-997}" "$@" \
		>"$scratch/out" 2>&1 </dev/null
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
}

# A make of its own, not a part of the one that may run this test.
build_library() {
	(cd "$tests/.." && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s CC="$cross-gcc" BUILD="$arm" \
		"$library" "$heap_library") >"$scratch/out" 2>&1
}

build_programs() {
	mkdir -p "$arm/tests" &&
		(cd "$tests/.." &&
			$cross-gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -o "$target" tests/sampler/programs/target.c -lpthread &&
			sh tests/sampler/unwind/unwind_build.sh "$arm/tests/plain" "$cross-gcc" "$cross-g++" &&
			sh tests/sampler/unwind/unwind_build.sh "$arm/tests/signed" "$cross-gcc" "$cross-g++" \
				-march=armv8.5-a -mbranch-protection=standard) >"$scratch/out" 2>&1
}

# The unwinder's tests, with a few lines in cmocka's place (there is none for the other architecture).
build_unit_tests() { # flags suffix
	(cd "$tests/.." && rm -rf "$arm/tests/unwind${2:-}" && mkdir -p "$arm/tests/unwind${2:-}" || exit 1
		compile="$cross-gcc -std=gnu17 -D_GNU_SOURCE -I. -Itests/aarch64/include -O2 -g -Wall -Wextra ${WERROR:+-Werror} ${1:-}"
		for source in gate/sampler/unwind/*.c; do
			# shellcheck disable=SC2086 # a command
			$compile -c -o "$arm/tests/unwind${2:-}/$(basename "$source" .c).o" "$source" || exit 1
		done
		for test in $unit_tests; do
			# shellcheck disable=SC2086 # a command
			$compile -o "$arm/tests/$test${2:-}" "$(test_source "$test")" "$arm/tests/unwind${2:-}"/*.o -lpthread -ldl || exit 1
		done) >"$scratch/out" 2>&1
}

test_source() { # name
	if [ -f "tests/aarch64/$1.c" ]; then
		echo "tests/aarch64/$1.c"
	else
		find tests/unit/sampler -name "$1.c"
	fi
}
unit_tests="test_unwind test_unwind_memo test_unwind_fuzz test_rules"

unit_test_passes() { # name
	: >"$scratch/dump"
	# shellcheck disable=SC2086 # a command
	$emulator "$arm/tests/$1" >"$scratch/out" 2>&1
}

allowed_symbols() {
	$cross-nm -D --undefined-only "$heap_library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u \
		>"$scratch/symbols"
	cat "$tests/sampler/allowed-symbols.txt" "$tests/aarch64/allowed-symbols.txt" | grep -v '^#' |
		sort -u >"$scratch/allowed"
	[ -s "$scratch/symbols" ] &&
		[ -z "$(comm -23 "$scratch/symbols" "$scratch/allowed" | tee "$scratch/out")" ]
}

# Complete to 99 %; weights only roughly, as the emulator's own work counts as the program's.
is_complete() { # min-processes max-processes min-samples mode...
	low=$1 high=$2 samples=$3
	shift 3
	sampled "$target" "$@"
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0 && between lost 0 0 &&
		between processes "$low" "$high" && between samples "$samples" 1000000 &&
		between complete_permille 990 1000
}

for tool in "$cross-gcc" "$cross-g++" "$cross-nm" qemu-aarch64-static; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		skip "aarch64" "$tool is not installed"
		finish
		exit
	fi
done

check "aarch64: both libraries build" build_library
check "aarch64: only allowed symbols are undefined" allowed_symbols
check "aarch64: the programs build" build_programs
check "aarch64: the unwinder's tests build" build_unit_tests
check "aarch64: the unwinder's tests build with signed return addresses" \
	build_unit_tests "-march=armv8.5-a -mbranch-protection=standard" _signed
for test in $unit_tests; do
	check "aarch64: $test" unit_test_passes "$test"
	check "aarch64, signed: $test" unit_test_passes "${test}_signed"
done
check "aarch64: a busy loop" is_complete 1 1 50 busy 400
check "aarch64: thousands of different stacks" is_complete 1 1 50 stacks 400 12
check "aarch64: threads" is_complete 1 1 30 threads 4 100
check "aarch64: forked children" is_complete 2 6 10 fork 5 60
check "aarch64: a program that takes all signals" is_complete 1 1 20 signals 200
check "aarch64: errno is kept" is_complete 1 1 20 errno 200
check "aarch64: a small alternate stack" is_complete 1 1 20 altstack 200
check "aarch64: handlers that ask for an alternate stack, without one" is_complete 1 1 20 onstack 200
for mode in $unwind_modes; do
	folder=$arm/tests/plain
	check "aarch64: $mode" mode_is_walked "$mode"
	folder=$arm/tests/signed
	check "aarch64, signed: $mode" mode_is_walked "$mode"
done
finish
