#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make bench-dist: what a release's archive takes, packed and unpacked, and how long `flamegate --version` does from it and
# from what make install puts somewhere: the median of 100 starts each, in turns. In the cell for Debian's own libcurl and
# libgit2: the same program with all that these link.
#
#   dist.sh BUILD      prints a table for tests/bench/RESULTS.md
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/flamegate-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
megabytes() { awk '{ printf "%.1f MB", $1 / 1e6 }'; }
packed() { tar --sort=name -C "$1" -cf - . | gzip -9n | wc -c | megabytes; }
unpacked() { find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }' | megabytes; }
files() { find "$1" -type f | wc -l; }
libraries() { find "$1" -name '*.so*' ! -name 'libflamegate*' | wc -l; }

archive=$(echo "$build"/dist/flamegate-*-linux-"$(uname -m)".tar.gz)
mkdir "$work/archive" && tar -xzf "$archive" -C "$work/archive" --strip-components=1
make -s -C "$root" BUILD="$build" DESTDIR="$work/installed" PREFIX= install-files >/dev/null
# What the archive would be without libraries of our own.
cp -r "$work/archive" "$work/debian" && rm "$work/debian/lib/flamegate/"* && cp "$work/installed/lib/flamegate/"* "$work/installed/bin/flamegate" "$work/debian/lib/flamegate/"
ldd "$work/installed/bin/flamegate" | sed -nE 's/.* => (\/\S+) .*/\1/p' | grep -vE '/lib(c|m|dl|pthread|rt|resolv)\.so' | xargs -I '{}' cp -L '{}' "$work/debian/lib/flamegate/"
strip --strip-unneeded "$work/debian/lib/flamegate/"*

# median PROGRAM...: of 100 starts of each, in milliseconds, in turns
median() {
	perl -MTime::HiRes=time -e '
		my %took;
		open STDOUT_KEPT, ">&", \*STDOUT; open STDOUT, ">", "/dev/null";
		for my $turn (-5 .. 99) { for (@ARGV) { my $begin = time; system($_, "--version") and die "$_: $?"; push @{$took{$_}}, time - $begin if $turn >= 0 } }
		open STDOUT, ">&", \*STDOUT_KEPT;
		for (@ARGV) { my @sorted = sort { $a <=> $b } @{$took{$_}}; printf "%.1f ms\n", 500 * ($sorted[49] + $sorted[50]) }' "$@"
}
mapfile -t times < <(median "$work/archive/bin/flamegate" "$work/installed/bin/flamegate" /bin/true)
echo "| | the archive | with Debian's libcurl and libgit2 | make install |"
echo "|---|--:|--:|--:|"
echo "| packed | $(stat -c %s "$archive" | megabytes) | $(packed "$work/debian") | |"
echo "| unpacked | $(unpacked "$work/archive") | $(unpacked "$work/debian") | $(unpacked "$work/installed") |"
echo "| files | $(files "$work/archive") | $(files "$work/debian") | $(files "$work/installed") |"
echo "| libraries of others beside it | $(libraries "$work/archive/lib") | $(libraries "$work/debian/lib") | |"
echo "| \`flamegate --version\`, median of 100 (\`true\`: ${times[2]}) | ${times[0]} | | ${times[1]} |"
