#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What make install puts somewhere works there, whatever the folder is called, by whatever name and from wherever it is
# called, and after it was moved; make uninstall takes all of it away.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
unset MAKEFLAGS MFLAGS MAKELEVEL FLAMEGATE_LIBRARY
# make_here STAGE PREFIX TARGET
make_here() { make -s -C "$root" BUILD="${build#"$root"/}" DESTDIR="$1" PREFIX="$2" "$3"; }
same() { if diff "$work/wanted" "$work/got" >"$work/out"; then ok "$1"; else not_ok "$1"; fi; }

# ---- below DESTDIR
stage=$work/stage
mkdir -p "$stage/usr/bin" "$stage/usr/share/man/man1" "$stage/usr/share/zsh/site-functions" "$stage/usr/share/flamegate"
echo mine >"$stage/usr/bin/other"; echo mine >"$stage/usr/share/man/man1/flamegate-other.1"
echo mine >"$stage/usr/share/zsh/site-functions/_other"; echo mine >"$stage/usr/share/flamegate/mine"
run make_here "$stage" /usr install-files
expect "make install puts everything below DESTDIR" 0
for file in bin/flamegate lib/flamegate/libflamegate.so lib/flamegate/libflamegate-heap.so lib/flamegate/libflamegate-clock.so include/flamegate.h share/flamegate/report.schema.json \
	share/doc/flamegate/LICENSE share/doc/flamegate/LICENSE.profile.proto share/man/man5/flamegate.yml.5 share/man/man1/flamegate.1 share/man/man1/flamegate-doctor.1; do
	[ -f "$stage/usr/$file" ] && ok "installed: $file" || not_ok "installed: $file"
done
installed=$stage/usr/bin/flamegate
while read -r shell file; do
	"$installed" completion "$shell" | cmp -s - "$stage/usr/$file" && ok "installed: $file, as it prints it" || not_ok "installed: $file, as it prints it"
done <<'F'
bash share/bash-completion/completions/flamegate
zsh share/zsh/site-functions/_flamegate
fish share/fish/vendor_completions.d/flamegate.fish
F
cd "$work" || exit 1

# works NAME PROGRAM FOLDER: profiles CPU time and the heap from that folder
works() {
	local name=$1 program=$2
	mkdir -p "$3" && cd "$3" || exit 1
	rm -rf flamegate-run
	run "$program" run -- "$program" doctor --burn 100
	expect "$name, it finds its library and profiles" 0 "Report: flamegate-run" "calibration_"
	[ -n "$(find flamegate-run -name cpu.pb.gz -size +0)" ] && ok "$name, there is a profile" || not_ok "$name, there is a profile"
	run "$program" run --profile heap -- "$program" doctor --burn 1
	expect "$name, so it does for the heap" 0 "Report: flamegate-run"
	cd "$work" || exit 1
}
works "installed" "$installed" "$work/here"
mv "$stage/usr/lib/flamegate/libflamegate.so" "$work/moved.so"
run "$installed" run -- "$installed" doctor --burn 1
expect "without it, it says where it looked" 3 "../lib/flamegate"
mv "$work/moved.so" "$stage/usr/lib/flamegate/libflamegate.so"
mv "$stage/usr/lib/flamegate/libflamegate-heap.so" "$work/moved.so"
run "$installed" run --profile heap -- "$installed" doctor --burn 1
expect "a heap profile has a library of its own, and says where it looked" 3 "libflamegate-heap.so is neither" "../lib/flamegate"
run "$installed" doctor
expect "doctor misses it too" 3 "libflamegate-heap.so is neither"
mv "$work/moved.so" "$stage/usr/lib/flamegate/libflamegate-heap.so"
run make_here "$stage" /usr uninstall
expect "make uninstall" 0
find "$stage" \( -type f -o -name flamegate \) | sed "s|^$stage/||" | sort >"$work/got"
printf '%s\n' usr/bin/other usr/share/flamegate usr/share/flamegate/mine usr/share/man/man1/flamegate-other.1 usr/share/zsh/site-functions/_other >"$work/wanted"
same "leaves nothing but what others put there"
run make_here "$stage" /usr uninstall
expect "a second time there is nothing to do" 0

# ---- a prefix that a shell would take apart
odd="$work/st age/it's \"odd\"; touch pwned"
run make_here "$work/st age" "/it's \"odd\"; touch pwned" install-files
expect "a prefix may have spaces and quotes" 0
[ ! -e "$root/pwned" ] && [ ! -e pwned ] && ok "which are not commands" || not_ok "which are not commands"
[ -f "$odd/share/man/man1/flamegate.1" ] && ok "all of it is there" || not_ok "all of it is there"
works "with an odd prefix" "$odd/bin/flamegate" "$work/here"
works "from another odd folder" "$odd/bin/flamegate" "$work/the re:"
mkdir -p "$work/links"
ln -s "$odd/bin/flamegate" "$work/links/flamegate"
ln -s flamegate "$work/links/relative"
works "through a link" "$work/links/flamegate" "$work/here"
works "through a relative link" "../links/relative" "$work/here"
PATH=$work/links:$PATH
works "by PATH" relative "$work/here"
mv "$odd" "$work/moved to:"
works "moved" "$work/moved to:/bin/flamegate" "$work/here"
"$work/moved to:/bin/flamegate" completion fish | cmp -s - "$work/moved to:/share/fish/vendor_completions.d/flamegate.fish" &&
	ok "moved, its completions are the same" || not_ok "moved, its completions are the same"
mkdir -p "$work/tmp dir"
TMPDIR="$work/tmp dir" run "$work/moved to:/bin/flamegate" run -- true
expect "where no folder is without spaces, it says what to do" 2 "set TMPDIR"
mkdir -p "$odd"
mv "$work/moved to:"/* "$odd/"
run make_here "$work/st age" "/it's \"odd\"; touch pwned" uninstall
expect "it is taken away again" 0
[ -z "$(find "$odd" -type f)" ] && ok "all of it" || not_ok "all of it"

# ---- for another processor: completions by a program that runs here
printf '#!/bin/sh\necho "by another: $2"\n' >"$work/host"; chmod +x "$work/host"
run make -s -C "$root" BUILD="${build#"$root"/}" DESTDIR="$work/cross" PREFIX=/usr FLAMEGATE_HOST="$work/host" install-files
expect "FLAMEGATE_HOST is asked" 0
grep -qx "by another: zsh" "$work/cross/usr/share/zsh/site-functions/_flamegate" && ok "for the completions" || not_ok "for the completions"
finish
