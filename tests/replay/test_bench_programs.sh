#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What changes the programs of `make bench-verdict-real` (tests/bench/real/programs), and what reads
# callgrind's counts of them: on a program of a few lines. Nothing is fetched, and no clock.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
programs=$here/../bench/real/programs
cd "$work" || exit 1

fresh() {
	cat >a.c <<'C'
static int two(int a,
               int b);
int one(void) { return two(1, 2); }
/* of one */
static int
two(int a,
    int b)
{
	while (a < b) {
		a++;
	}
	return a;
}
int twofold = 2;
int main(void) { return one() - twofold; }
C
	echo '/* empty */' >b.c
}
edit() { run perl "$programs/edit.pl" "$@"; }
# works FILE...: what was made of it still compiles and does what it did
works() { cc -w -o program "$@" && ./program; }

fresh
edit plant two 12 a.c 3 1
expect "work is planted in a definition, not in its prototype" 0
check "the planted program does what it did" works a.c
check "it is at the entry, sixteen times its rounds" bash -c 'grep -A5 -x "{" a.c | grep -q "planted < 16 \* 12;"'
check "in every sixteenth call" grep -q "planted_calls++ % 16 == 0" a.c
check "in chains of these lengths" bash -c '[ "$(grep -o "planted_1 [^+]=\|planted_1 +=" a.c | wc -l)" -eq 3 ] &&
	[ "$(grep -o "planted_2 [^+]=\|planted_2 +=" a.c | wc -l)" -eq 1 ]'
fresh
edit plant two 12 a.c
expect "without the lengths of its chains nothing is planted" 255 "chains"
check "and the file is as it was" bash -c "! grep -q planted a.c"

fresh
edit rename two deux a.c
expect "a function is renamed" 0
check "every mention of it, and no longer name" bash -c '! grep -w two a.c && [ "$(grep -cw deux a.c)" -eq 3 ] &&
	grep -qw twofold a.c'
check "the renamed program does what it did" works a.c
edit rename deux main a.c
expect "not to a name that is there" 255 "has a main already"

fresh
edit attribute two '__attribute__((noinline))' a.c
expect "an attribute stands before the type" 0
check "which may be in a line of its own" grep -qx '__attribute__((noinline)) static int' a.c

fresh
edit apart two a.c c.c
expect "a definition goes to a file of its own" 0
check "which is included in its place" works a.c
check "and is not there any more" bash -c '! grep -q "a++" a.c && grep -q "a++" c.c'

fresh
edit move one a.c b.c
expect "a one-line definition is not taken for more than it is" 255 "one ends in its line"
fresh
sed -i 's/^static //' a.c
edit move two a.c b.c
expect "a definition moves to another file" 0
check "which is compiled with it" works a.c b.c

fresh
edit replace '^(\s+)a\+\+;' '$1a += 1;' a.c
expect "a place is replaced, with what was found there" 0
check "once" grep -qx '		a += 1;' a.c
edit replace 'return' 'exit' a.c
expect "not where there are two" 255 "a.c: 3 places"
edit plant three 1 a.c 2
expect "a function that is not there is an error" 255 "0 definitions of three"
cat a.c a.c >b.c
edit plant two 1 b.c 2
expect "one that is there twice, too" 255 "2 definitions of two"

cat >callgrind.out <<'C'
events: Ir
fl=a.c
fn=main
3 10
cfn=two
calls=3 4
3 60
fn=two
4 50
+2 5
cfn=two'2
calls=1 4
6 7
fn=two'2
4 7
summary: 77
C
sed -i '/^+2/d; s/^4 50$/4 50\n6 5/' callgrind.out
run perl "$programs/counts.pl" callgrind.out
cp out counts
expect "own instructions and calls are added up, recursive ones too" 0 "total 77" "62 4 two" "10 0 main"
check "largest first" bash -c '[ "$(sed -n 2p counts)" = "62 4 two" ]'
: >callgrind.out
run perl "$programs/counts.pl" callgrind.out
expect "what callgrind did not end is no count" 255 "no total"
finish
