# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# ripgrep, a Rust program: threads with alternate stacks of their own, mmap.
needs=(rg)

prepare() {
	local i
	for ((i = 0; i < 40; i++)); do
		words $((scale * 4000)) $((i + 1)) >"text$i"
	done
}

work() {
	measured rg --sort path -c '[a-f]x[0-9]{2}\b' .
	measured rg --sort path --mmap -n 'aa1 .*mo9' .
	measured rg -j2 --no-messages -o '\w*7[0-9]3\w*' . | sort | md5sum
	measured rg -j4 -l '(mo|kq|aa)1[0-9]{2}.*(ug|we)2' . | sort | md5sum
	measured rg -j2 -U --multiline-dotall -c 'mo99.{1,800}kq9' . | sort | md5sum
	measured rg '(' .
}

filter() { cat; }
