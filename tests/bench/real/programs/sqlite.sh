#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A flat program with many functions: SQLite (3.46.0 as the crate libsqlite3-sys has it), statements of many
# kinds on a small database in memory. Usage: see common.sh.
set -u
program=sqlite
crate=libsqlite3-sys
version=0.30.1
counted_function=one_round
functions_executed=301
planted_chains=(2 2)
commented=(sqlite3.c sqlite3GetToken)
declare -A refactors=([rename]=sqlite3WalkExprNN,sqlite3.c [split]=resolveP2Values,sqlite3.c
	[inline]=lookupName,sqlite3.c [moved]=sqlite3GetToken,sqlite3.c [reorder]=,Makefile)

# cargo checks the crate against the registry's checksum; nothing of it is run.
fetch_sources() {
	mkdir -p "$1/src" && cd "$1" || return 1
	printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' \
		$crate $version >Cargo.toml
	: >src/lib.rs
	cargo vendor -q vendor >/dev/null && mv vendor/$crate/sqlite3 . && rm -rf vendor src Cargo.*
}

sources() { cp "$1"/sqlite3/sqlite3.[ch] .; }

refactor_rename() { edit rename sqlite3WalkExprNN sqlite3VisitExpr sqlite3.c; }

# The loop over the instructions becomes a function of its own; what follows it stays.
refactor_split() {
	edit replace '^static void resolveP2Values\((.*)\{$' 'static SQLITE_NOINLINE void resolveAllP2($1{' sqlite3.c
	edit replace '^resolve_p2_values_loop_exit:\n' 'resolve_p2_values_loop_exit:
  *pMaxFuncArgs = nMaxArgs;
}
static void resolveP2Values(Vdbe *p, int *pMaxFuncArgs){
  Parse *pParse = p->pParse;
  int *aLabel = pParse->aLabel;

  resolveAllP2(p, pMaxFuncArgs);
' sqlite3.c
	edit replace '^(  pParse->nLabel = 0;\n)  \*pMaxFuncArgs = nMaxArgs;\n' '$1' sqlite3.c
}

# The compiler makes it a part of its only caller; here it may not.
refactor_inline() { edit attribute lookupName '__attribute__((noinline))' sqlite3.c; }

refactor_moved() { edit apart sqlite3GetToken sqlite3.c token.c; }

refactor_reorder() { edit replace '^LAYOUT :=$' 'LAYOUT := -Wl,--sort-section=name' Makefile; }

# shellcheck source=tests/bench/real/programs/common.sh
. "$(dirname "$0")/common.sh"
main "$@"
