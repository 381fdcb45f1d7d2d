# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# google/btree's tests and benchmarks, linked by the C compiler: a collector with threads, stacks that grow and move,
# a runtime that sets its own signal stacks.
needs=("$go_programs/btree.test")

prepare() { :; }

work() {
	measured "$go_programs/btree.test"
	measured "$go_programs/btree.test" -test.v -test.run='BTree|Delete|scend'
	measured "$go_programs/btree.test" -test.run=NONE -test.bench='Insert|Get' -test.benchtime=$((scale * 15000))x
	measured "$go_programs/btree.test" -test.no-such-flag
}

# The seed is the time.
filter() { sed -E 's/^[0-9]{10}$/0/; s/\([0-9.]+s\)$/(s)/; s/[ \t]+[0-9.]+ ns\/op$/ ns\/op/'; }
