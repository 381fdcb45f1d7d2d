#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Live stacks of unusual form, TAP: each is sampled while it burns a fixed CPU time; 99 % of the walks must
# be complete and name the functions that called one another, in order.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_unwind_live.sh   (after: make sampler-test-files)
# shellcheck disable=SC2034,SC2154 # shared with lib.sh and unwind_modes.sh
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/sampler/unwind/unwind_modes.sh
. "$here/unwind/unwind_modes.sh"
rate=4000
ms=${UNWIND_MS:-200}
symbols="nm"

walked() { # description modes...
	kind=$1
	shift
	for mode in "$@"; do
		check "$kind: $mode" mode_is_walked "$mode"
	done
}

folder=$build/tests/sampler/unwind
# shellcheck disable=SC2086 # a list
walked "unwound" $unwind_modes
if [ "$(uname -m)" = x86_64 ]; then
	walked "unwound" goleaves
else
	skip "unwound: goleaves" "not this architecture"
fi
folder=$build/tests/sampler/unwind_lto
# shellcheck disable=SC2086
walked "unwound, optimised at link time" $unwind_modes
folder=$build/tests/sampler/unwind_cet
if [ -x "$folder/unwind_target" ]; then
	walked "unwound, with branch tracking" stubs reopen signals throw switch
else
	skip "unwound, with branch tracking" "not this architecture"
fi

finish
