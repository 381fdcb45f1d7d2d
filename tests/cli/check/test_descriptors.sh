#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program under `flamegate run` has the descriptors that it would have without us, and none of ours.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
one() { "$flamegate" run -o "$work/run" -- perl -e 'my $n; ++$n while $n < 3e6; '"$1"; }

echo given >"$work/file"
run one 'open my $in, "<&=", 3 or die "no 3: $!\n"; print "read ", <$in>' 3<"$work/file"
expect "one that was opened for it" 0 "read given"

# make's jobserver: a pipe that an inner make takes its turns from, by descriptors in old versions
cat >"$work/Makefile" <<M
all: inner
inner:
	+@"$flamegate" run -o "$work/make" --process all -- \$(MAKE) -f "$work/Makefile.inner"
M
printf 'all: a b\na b:\n\t@perl -e '"'"'++$$n while $$n < 3e6'"'"'\n' >"$work/Makefile.inner"
run env -u MAKEFLAGS -u MAKELEVEL make -j2 -f "$work/Makefile"
expect "make's jobserver reaches an inner make" 0 "samples"
check "which does not complain" sh -c '! printf %s "$1" | grep -i jobserver' sh "$(make -j2 -f "$work/Makefile" 2>&1)"

list='opendir my $all, "/proc/self/fd"; print "has ", join(" ", sort grep { /^\d/ and $_ < 256 } readdir $all), "\n"'
wanted=$(perl -e "$list" </dev/null)
run one "$list"
cp "$work/out" "$work/said"
check "and none of flamegate's own" grep -qxF "$wanted" "$work/said"
finish
