#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the oldest system that the README names would refuse, without that system; and that a warning ends nobody's
# build but our own CI's. The systems themselves: make test-distros.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
cd "$(dirname "$0")/../.." || exit 1
# A make of its own, not a part of the one that may run this test.
own_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u WERROR -u CI make "$@"; }

# ---- an elf.h without packed relocations, and every compiler that is here; of the rest, what is most sensitive to it
readers=$(grep -lE '[<"/](g?elf|libelf|symbolize_elf|code_image|elf_file)\.h[>"]' gate/profile/*.c gate/profile/*/*.c gate/bench/*.c gate/bench/*/*.c)
compile_readers() { # compiler
	local flags
	flags=$(own_make -s CC="$1" WERROR=1 BUILD="$build" print-flags) || return 1
	# shellcheck disable=SC2086 # lists of words
	printf '%s\n' $readers | xargs -P 2 -n 8 "$1" $flags -include tests/distros/old_elf.h -fsyntax-only
}
compile_sampler() { # compiler
	local flags
	flags=$(own_make -s CC="$1" WERROR=1 BUILD="$build" print-sampler-flags) || return 1
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' gate/sampler/*.c gate/sampler/*/*.c | xargs -P 2 -n 16 "$1" $flags -fsyntax-only
}
check "there are files that read ELF" test "$(wc -w <<<"$readers")" -gt 5
for compiler in gcc gcc-11 clang; do
	if command -v "$compiler" >/dev/null; then
		check "$compiler: what reads ELF compiles with glibc 2.35's elf.h, without a warning" compile_readers "$compiler"
		check "$compiler: the sampler compiles without a warning" compile_sampler "$compiler"
	else
		skip "$compiler is not here"
	fi
done
printf '#!/bin/sh\necho 11.2.0\n' >"$work/gcc-11.2" && chmod +x "$work/gcc-11.2"
own_make -s CC="$work/gcc-11.2" print-flags >"$work/flags" 2>&1
check "gcc 11's wrong warning of designated initializers is off" grep -q -e -Wno-missing-field-initializers "$work/flags"

# ---- a warning: -Wpadded has one for this file
one_object() { own_make -s "$@" OPT='-O0 -Wpadded' BUILD="$work/build" "$work/build/gate/base/arena.o"; }
run one_object
expect "a compiler that warns of more still builds" 0 "-Wpadded"
rm -rf "$work/build"
run env CI=true make -s OPT='-O0 -Wpadded' WERROR= BUILD="$work/build" "$work/build/gate/base/arena.o"
expect "on the runner of somebody's CI as well" 0 "-Wpadded"
rm -rf "$work/build"
run one_object WERROR=1
expect "with WERROR=1 it does not" 2 "-Werror=padded"
check "which our own CI sets" grep -qx "export WERROR=1" .ci/run
check "and the action's build unsets" grep -q "make .* WERROR= " actions/build.sh
finish
