#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# benchstat as it is published: one version of its module, by go and against the checksum below. Prints the program's path;
# what is there already is not built again.
#
#   benchstat.sh FOLDER      exit 3: go is not here or too old for it, or does not get it
set -eu
module=golang.org/x/perf version=v0.0.0-20260908200009-22c9c6c9d4da
checksum=h1:TPnyATEEkYepRH6lv4RlUtMfeOSFw4B6fAee/M3OldI=
place=$1/benchstat-${version##*-}
new=$place.new
die() {
	echo "benchstat.sh: $module $version: $*" >&2
	[ ! -s "$new/log" ] || tail -n 5 "$new/log" | sed 's/^/    /' >&2
	rm -rf "$new"
	exit 3
}

if [ ! -x "$place/benchstat" ]; then
	rm -rf "$place" "$new"
	mkdir -p "$new"
	cd "$new"
	export GOBIN=$new GOMODCACHE=$new/mod GOFLAGS=-modcacherw GOTOOLCHAIN=local
	command -v go >/dev/null || die "go is not installed"
	go mod download -json "$module@$version" >said 2>log || die "go does not get it"
	grep -qF "\"Sum\": \"$checksum\"" said || die "another checksum"
	go install "$module/cmd/benchstat@$version" >log 2>&1 || die "it does not build"
	rm -rf mod said log
	mv "$new" "$place"
fi
echo "$place/benchstat"
