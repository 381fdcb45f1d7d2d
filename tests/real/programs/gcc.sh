# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# make -j2 with gcc: make, gcc, cc1, as, collect2 and ld, all through vfork and exec, pipes between two of them.
needs=(gcc make)

prepare() {
	local i
	for ((i = 0; i < scale + 1; i++)); do
		awk -v file="$i" 'BEGIN {
			print "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
			for (f = 0; f < 30; f++) {
				printf "int f%d_%d(int *v, int n)\n{\n\tint s = %d;\n", file, f, f
				printf "\tfor (int i = 0; i < n; i++)\n\t\tfor (int j = i; j < n; j += %d)\n", f + 1
				printf "\t\t\ts += v[i] * v[j] %% %d + (v[i] > s ? v[j] : (int)strlen(\"%d\"));\n", f + 2, f
				printf "\treturn s;\n}\n"
			}
		}' >"part$i.c"
	done
	echo 'int f0_3(int *v, int n); int main(void) { int v[9] = {3, 1, 4}; return f0_3(v, 9) & 127; }' >main.c
	cat >Makefile <<'MAKE'
objects := $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
	gcc -O2 -o $@ $^
%.o: %.c
	gcc -O2 -g -pipe -Wall -Wextra -c -o $@ $<
broken:
	gcc -c -xc /dev/null -o broken.o && echo 'int f( {' | gcc -xc -c - -o broken.o
MAKE
}

work() {
	measured make -s -j2
	measured ./program
	echo "the program's status: $?"
	md5sum ./*.o program
	measured make -s broken
}

filter() { cat; }
