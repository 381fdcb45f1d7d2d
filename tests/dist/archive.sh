# shellcheck shell=bash disable=SC2016
# SPDX-License-Identifier: Apache-2.0
# For the tests of a release's archives, after lib.sh: what holds for each program and library in one, for whatever processor.

floor() { bash "$root/actions/dist/floor.sh" "$@"; }

# unpack ARCHIVE: into $place; $elves: the programs and libraries in it
unpack() {
	local name
	name=$(basename "$1" .tar.gz)
	rm -rf "$work/place" && mkdir "$work/place" && tar -xf "$1" -C "$work/place"
	place=$work/place/$name
	mapfile -t elves < <(find "$place" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && echo "$1"' sh {} \;)
	[ "${#elves[@]}" -gt 10 ] && ok "there are programs and libraries in it" || not_ok "there are programs and libraries in it"
}

# check_elf FILE MACHINE
check_elf() {
	local short=${1#"$place"/} limit=2.35 elf=$1
	[ "$short" != bin/flamegate ] || limit=0
	check "$short needs no glibc above $limit" floor "$limit" "$elf"
	readelf -hW "$elf" | grep -q "Machine: *.*$2" && ok "$short is for $2" || not_ok "$short is for $2"
	readelf -SW "$elf" | grep -E '\.gnu_debuglink|\.debug_|\.symtab' >"$work/out" && not_ok "$short: no debug information, and nothing that leads to it" ||
		ok "$short: no debug information, and nothing that leads to it"
	readelf -SW "$elf" | grep -qF .eh_frame || [ "$short" = bin/flamegate ] && ok "$short can be unwound" || not_ok "$short can be unwound"
	readelf -dW "$elf" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | while read -r library; do
		case $library in
		libc.so.6 | libm.so.6 | ld-linux*) ;;
		*) [ -f "$place/lib/flamegate/$library" ] || echo "$library is not there" ;;
		esac
	done >"$work/out"
	[ ! -s "$work/out" ] && ok "$short: what it links lies beside it" || not_ok "$short: what it links lies beside it"
	readelf -dW "$elf" | grep -E 'RPATH|RUNPATH' | grep -vF '[$ORIGIN]' >"$work/out" && not_ok "$short: no other place" || ok "$short: no other place"
}

# The loader takes DT_RPATH, and not DT_RUNPATH, before LD_LIBRARY_PATH, and for the libraries' libraries.
has_rpath() { readelf -dW "$place/lib/flamegate/flamegate" | grep -q '(RPATH)'; }

# check_elves MACHINE: as readelf names it
check_elves() {
	local elf library
	for elf in "${elves[@]}"; do check_elf "$elf" "$1"; done
	check "the program's libraries are sought beside it first" has_rpath
	for library in libflamegate.so libflamegate-heap.so libflamegate-clock.so; do
		readelf -dW "$place/lib/flamegate/$library" | grep NEEDED | grep -vF -e '[libc.so.6]' -e '[ld-linux' >"$work/out"
		[ ! -s "$work/out" ] && ok "$library, preloaded into others, needs libc alone" || not_ok "$library, preloaded into others, needs libc alone"
	done
}
