#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One suite's sources as they were published, by their registry's ordinary client and against the checksum in the suite's
# file, and what their build needs from the same registry, so that the build itself needs no network. Prints the folder
# that has them; what is there already is not fetched again. Nothing of a package is run.
#
#   fetch.sh SUITE FOLDER      exit 3: the registry does not have it, or has something else
set -eu
suite=$(cd "$1" && pwd) folder=$2
value() { sed -n "s/^$1: *//p" "$suite/suite"; }
registry=$(value registry) package=$(value package) version=$(value version) checksum=$(value checksum)
# The client's words are kept: of a refusal they are all that is known.
die() {
	echo "fetch.sh: $package $version: $*" >&2
	[ ! -s "$new/log" ] || tail -n 5 "$new/log" | sed 's/^/    /' >&2
	rm -rf "$new"
	exit 3
}
case $package$version in *[!A-Za-z0-9.+~:/_-]* | */..* | ..* | '') echo "fetch.sh: no package's name: $package" >&2; exit 2 ;; esac
place=$folder/$registry-$(printf '%s' "$package-$version" | tr -c 'a-zA-Z0-9.\n-' _)
new=$place.new

# Debian's places are the machine's own, asked for sources, and of the release that has the version. The .dsc has the
# checksums of all else; dpkg-source compares them.
fetch_debian() {
	local release dsc apt
	release=$(value release)
	mkdir -p "$new/apt" "$new/lists/partial" "$new/cache/archives/partial" "$new/download"
	apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$new/apt" -o "Dir::State::lists=$new/lists"
		-o "Dir::Cache=$new/cache" -o APT::Sandbox::User=root)
	# shellcheck source=/dev/null
	. /etc/os-release
	[ "${ID:-}" = debian ] || die "only a Debian machine knows where Debian's sources are" # on Ubuntu it is untried
	{ cat /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
		sed "s/^Types:.*/Types: deb-src/; /^Suites:/s/${VERSION_CODENAME:?}/$release/g" >"$new/apt/source.sources"
	{ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
		sed -n "s/ $VERSION_CODENAME / $release /; s/^deb /deb-src /p" >"$new/apt/source.list"
	(cd "$new/download" && "${apt[@]}" update && "${apt[@]}" source --download-only "$package=$version") >"$new/log" 2>&1 ||
		die "the archive does not have it"
	dsc=$new/download/${package}_${version#*:}.dsc
	echo "$checksum  $dsc" | sha256sum -c --quiet >&2 || die "another checksum"
	dpkg-source --no-check -x "$dsc" "$new/package" >"$new/log" 2>&1 || die "dpkg-source does not accept it"
	rm -rf "$new/apt" "$new/lists" "$new/cache" "$new/download"
}

# cargo proves an archive by the checksum of its index; is that the suite's? The package's own Cargo.lock, or the one
# beside the suite, pins what its benchmarks need; that goes to cargo's own cache.
fetch_crates() {
	mkdir -p "$new/src"
	printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' \
		"$package" "$version" >"$new/Cargo.toml"
	: >"$new/src/lib.rs"
	(cd "$new" && cargo vendor -q vendor) >"$new/log" 2>&1 || die "cargo does not get it"
	grep -q "\"package\":\"$checksum\"" "$new/vendor/$package/.cargo-checksum.json" || die "another checksum"
	mv "$new/vendor/$package" "$new/package"
	# cargo's mark of a vendored copy: it is no part of what was published.
	rm -rf "$new/vendor" "$new/package/.cargo-checksum.json" "$new/src" "$new/Cargo.toml" "$new/Cargo.lock"
	(cd "$new/package" && cargo fetch -q --locked) >"$new/log" 2>&1 || die "cargo does not get what its benchmarks need"
}

fetch_go() { # go proves it by its checksum database; is that the suite's?
	mkdir -p "$new"
	(cd "$new" && GOMODCACHE=$new/mod GOFLAGS=-modcacherw go mod download -json "$package@$version") >"$new/said" 2>"$new/log" ||
		die "go does not get it"
	grep -q "\"Sum\": \"$checksum\"" "$new/said" || die "another checksum"
	mv "$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' "$new/said")" "$new/package"
	rm -rf "$new/mod" "$new/said"
	chmod -R u+w "$new/package"
	(cd "$new/package" && go mod download) >"$new/log" 2>&1 || die "go does not get what its benchmarks need"
}

if [ ! -d "$place/package" ]; then
	rm -rf "$place" "$new"
	mkdir -p "$folder" "$new"
	case $registry in
	debian | crates | go) "fetch_$registry" ;;
	*) die "no registry is called '$registry'" ;;
	esac
	rm -f "$new/log"
	mv "$new" "$place"
fi
echo "$place/package"
