# SPDX-License-Identifier: Apache-2.0
# A program of fixed work and a remote, for the tests of baselines. Source it after lib.sh.
# shellcheck shell=bash

# workload [FUNCTION FACTOR]: main.c with twelve functions of different cost, one of them FACTOR times dearer; about
# 45 ms of CPU time in all, or $milliseconds
workload() {
	local i factor unit
	unit=$(($(rounds "${milliseconds:-45}") / 1950)) # of 25 + 50 + ... + 300
	{
		echo '#include <stdio.h>'
		echo 'static volatile unsigned long sink;'
		for i in $(seq 1 12); do
			factor=1
			[ "${1:-}" = "$i" ] && factor=$2
			echo "__attribute__((noinline)) static void step$i(unsigned long n)"
			echo "{ for (unsigned long i = 0; i < n * $((i * 25)) * $factor; i++) sink = sink * 31 + (i ^ $i); }"
		done
		echo 'int main(void)'
		echo '{'
		for i in $(seq 1 12); do echo "	step$i($unit);"; done
		echo '	puts("done");'
		echo '	return 0;'
		echo '}'
	} >main.c
	cat >Makefile <<'M'
bench: main.c
	$(CC) -O1 -g -o bench main.c
M
	printf 'bench\n' >.gitignore
}

# short_policy [LINE...]: the configuration of lib.sh, and more lines of policy. With 16 pairs a stage outliers
# cannot leave less than the 8 that a decision needs: at most half of them stand far from the median.
short_policy() {
	config "policy:" "  pairs: {min: 16, max: 32}" "$@"
}

# remote NAME: an empty bare repository in $work/NAME.git; the current repository's origin, main pushed
remote() {
	git init -q --bare -b main "$work/$1.git" || return
	git remote add origin "$work/$1.git" && git push -q origin HEAD:main && git fetch -q origin
}

# as_ci COMMAND...: as a pull request's run against main
as_ci() { CI=true GITHUB_BASE_REF=main run "$@"; }
