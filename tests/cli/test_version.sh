#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which commit a flamegate says that it is of: a clone's, an archive's, a packager's; and what is compiled for another one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
place=gate/cli/version

run "$flamegate" --version
expect "the version is told" 0 "flamegate $(sed -n 's/.*FLAMEGATE_VERSION "\(.*\)".*/\1/p' "$root/gate/check/version.h") ("
grep -qxE 'flamegate [0-9.]+ \(commit [0-9a-zA-Z.-]+, (x86_64|aarch64|unknown processor), (gcc|clang) [0-9]+\.[0-9]+\.[0-9]+\)' "$work/out" &&
	[ "$(wc -l <"$work/out")" -eq 1 ] && ok "in one line: commit, processor, compiler; no date, no folder" || not_ok "in one line: commit, processor, compiler"
commit=$(sed -n 's/.*"\(.*\)"/\1/p' "$build/gen/commit.h")
grep -qF "(commit $commit, " "$work/out" && ok "the commit is that of the last make" || not_ok "the commit is that of the last make"
run "$flamegate" doctor --quick --offline -C "$work"
grep -qF "commit $commit" "$work/out" && ok "doctor says it too" || not_ok "doctor says it too"

# ---- commit.sh: tells NAME WANTED [FOLDER]
tells() {
	env -u FLAMEGATE_COMMIT sh "${3:-.}/$place/commit.sh" >"$work/out" 2>&1
	[ "$(cat "$work/out")" = "$2" ] && ok "$1" || not_ok "$1 (wanted $2)"
}
repo sources
mkdir -p "$place"
cp "$root/$place/commit.sh" "$root/$place/commit.txt" "$place/"
cp "$root/.gitattributes" .
grep -q 'Format' "$place/commit.txt" || not_ok "these sources are of an archive: the rest is not what git would have"
tells "without a commit it is unknown" unknown
commit one
head=$(git rev-parse HEAD | cut -c1-12)
tells "a clone's is git's" "$head"
: >untracked
tells "an untracked file changes nothing" "$head"
git tag -a -m x v9
tells "nor does a tag" "$head"
echo >>.gitattributes
tells "a tracked file that differs is told" "$head-dirty"
git checkout -q .gitattributes
GIT_DIR=/nowhere tells "another repository's variables change nothing" "$head"
git config core.fsmonitor "touch $work/pwned"
tells "a watcher of the clone's is not run" "$head"
[ -e "$work/pwned" ] && not_ok "indeed" || ok "indeed"
mkdir "$work/archive"
git archive HEAD | tar -x -C "$work/archive"
tells "an archive knows its commit" "$head" "$work/archive"
repo other; : >file; commit other; cp -r "$work/archive" inside
tells "also where it lies in somebody's repository" "$head" inside
mkdir "$work/copy"
cp -r "$work/sources/gate" "$work/copy/"
tells "a copy without git does not know it" unknown "$work/copy"
# given NAME VALUE WANTED
given() {
	FLAMEGATE_COMMIT=$2 sh "$work/sources/$place/commit.sh" >"$work/out" 2>&1
	[ "$(cat "$work/out")" = "$3" ] && ok "$1" || not_ok "$1 (wanted $3)"
}
given "FLAMEGATE_COMMIT decides" 0.1.0-2debian1 0.1.0-2debian1
given "of a whole id twelve digits are taken" 0123456789abcdef0123456789abcdef01234567 0123456789ab
given "what would not be a string of C's is not taken" '", system("x"), "' unknown

# ---- make: in a copy of what is built
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir "$work/built"
(cd "$build" && find . -path ./tests -prune -o -type f \( -name '*.[aoch]' -o -path ./flamegate \) -print0 | tar --format=posix -c --null -T -) | tar -x -C "$work/built"
make_there() { run make -C "$root" V=1 BUILD="$work/built" FLAMEGATE_COMMIT="$1" "$work/built/flamegate"; }
make_there abcdefabcdef
if [ "$status" -eq 0 ]; then
	expect "another commit is built" 0
	grep -o -- '-c -o [^ ]*' "$work/out" >"$work/compiled"
	printf -- '-c -o %s\n' "$work/built/$place/build_info.o" | cmp -s - "$work/compiled" && ok "by one object" || not_ok "by one object"
	run "$work/built/flamegate" --version
	expect "and told" 0 "(commit abcdefabcdef, "
	make_there abcdefabcdef
	grep -qE -- ' -o |ar rcs' "$work/out" && not_ok "the same one builds nothing" || ok "the same one builds nothing"
else
	not_ok "another commit is built"
fi

finish
