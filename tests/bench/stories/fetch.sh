#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One version of a row's package, by its registry's ordinary client and against the checksum that the row's story
# names. Prints the folder that has it; what is there already is not fetched again. Nothing of a package is run.
#
#   fetch.sh ROW VERSION FOLDER
set -eu
row=$1 version=$2 folder=$3
value() { sed -n "s/^$1: *//p" "$row/story"; }
registry=$(value registry) package=$(value package) checksum=$(value "checksum-$version")
place=$folder/$registry-$(printf '%s' "$package-$version" | tr -c 'a-zA-Z0-9.\n-' _)
die() { echo "fetch.sh: $package $version: $*" >&2; exit 3; }
[ -n "$checksum" ] || die "the story has no checksum-$version"

fetch_cargo() { # cargo proves the archive by the checksum that it writes down; is that the story's?
	mkdir -p "$1/src"
	printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' \
		"$package" "$version" >"$1/Cargo.toml"
	: >"$1/src/lib.rs"
	(cd "$1" && cargo vendor -q vendor >/dev/null)
	grep -q "\"package\":\"$checksum\"" "$1/vendor/$package/.cargo-checksum.json" || die "another checksum"
	mv "$1/vendor/$package" "$1/package"
	rm -rf "$1/vendor"
}

fetch_npm() {
	local archive
	mkdir -p "$1"
	archive=$(cd "$1" && npm pack --silent --ignore-scripts "$package@$version" | tail -n 1)
	echo "$checksum  $1/$archive" | sha256sum -c --quiet >&2 || die "another checksum"
	tar -xzf "$1/$archive" -C "$1"
}

fetch_go() { # go proves it by its checksum database; is that the story's?
	mkdir -p "$1"
	(cd "$1" && GOMODCACHE=$1/mod GOFLAGS=-modcacherw go mod download -json "$package@$version") >"$1/said" ||
		die "not fetched"
	grep -q "\"Sum\": \"$checksum\"" "$1/said" || die "another checksum"
	mv "$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' "$1/said")" "$1/package"
	rm -rf "$1/mod"
}

if [ ! -d "$place/package" ]; then
	rm -rf "$place" "$place.new"
	"fetch_$registry" "$place.new"
	mv "$place.new" "$place"
fi
echo "$place/package"
