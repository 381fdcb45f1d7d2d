#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make demo-lua: a real interpreter with real history. Lua 5.3.6 against 5.4.7, both from the crate
# lua-src, on three scripts of ours: what flamegate says, and beside its ten largest differences what
# callgrind counts for the same functions. What is there from an earlier run is kept: delete the folder
# to begin again.
#
#   lua.sh FLAMEGATE FOLDER
set -eu
flamegate=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
demo=$here/../../testdata/demo-lua
crate=lua-src
crate_version=547.0.0
base=v5.3.6 head=v5.4.7
benchmarks="strings tables closures"
part=10 # callgrind runs a tenth of the work: it is fifty times slower
cache=${XDG_CACHE_HOME:-$HOME/.cache}/flamegate-demo-lua
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF # a demonstration, not the gate of this run
export FLAMEGATE_CACHE=$folder/cache
mkdir -p "$folder" "$cache"

# ---- the sources: fetched by cargo, which checks them against the registry's checksum --------------
if [ ! -d "$cache/vendor/$crate" ]; then
	mkdir -p "$cache/fetch/src"
	printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' \
		$crate $crate_version >"$cache/fetch/Cargo.toml"
	: >"$cache/fetch/src/lib.rs"
	(cd "$cache/fetch" && cargo vendor -q "$cache/vendor.new" >/dev/null)
	mv "$cache/vendor.new" "$cache/vendor"
fi
if [ ! -e "$folder/repo.done" ]; then
	sh "$demo/make-repo.sh" "$cache/vendor/$crate" "$folder/repo"
	: >"$folder/repo.done"
fi

# ---- flamegate's word ---------------------------------------------------------------------------
for benchmark in $benchmarks; do
	[ ! -e "$folder/$benchmark/done" ] || continue
	echo "=== $benchmark"
	rm -rf "${folder:?}/$benchmark"
	status=0
	"$flamegate" check -C "$folder/repo" --base $base --head $head --benchmark "$benchmark" \
		--output "$folder/$benchmark" >"$folder/$benchmark.txt" || status=$?
	# A regression is an answer like another here; what could not be measured is not.
	[ $status -le 1 ] || { cat "$folder/$benchmark.txt"; exit 3; }
	: >"$folder/$benchmark/done"
done

# ---- callgrind's --------------------------------------------------------------------------------
# Both versions are built in the same folder: their files have the same names.
for version in $base $head; do
	[ ! -e "$folder/callgrind-$version.done" ] || continue
	rm -rf "$folder/build"
	git clone -q -b $version "$folder/repo" "$folder/build" 2>/dev/null
	make -s -C "$folder/build"
	cp "$folder/build/host" "$folder/host-$version"
	for benchmark in $benchmarks; do
		rounds=$(sed -n "s/.*bench\/$benchmark.lua \([0-9]*\)$/\1/p" "$folder/build/.flamegate.yml")
		echo "=== callgrind: $benchmark, $version"
		(cd "$folder/build" && valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no \
			--compress-strings=no --callgrind-out-file="$folder/callgrind-$benchmark-$version.out" \
			./host "bench/$benchmark.lua" $((rounds / part)))
	done
	: >"$folder/callgrind-$version.done"
done

# ---- side by side --------------------------------------------------------------------------------
for benchmark in $benchmarks; do
	cat "$folder/$benchmark.txt"
	echo
done
perl "$here/lua_table.pl" "$folder" $base $head $benchmarks | tee "$folder/table.md"
