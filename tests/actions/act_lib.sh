# SPDX-License-Identifier: Apache-2.0
# Workflows under act in host mode, without a network. Source it after tests/cli/lib.sh.
# shellcheck shell=bash disable=SC2154,SC2034 # variables from the test, and for it
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
stubs=$sources/tests/actions/stubs

# need_act: its path in $act
need_act() {
	act=$(sh "$sources/tests/actions/build.sh" act 2>"$work/out") && return
	if command -v go >/dev/null; then
		not_ok "act can be built"
		finish
		exit 1
	fi
	echo "1..0 # SKIP neither act nor Go is installed: the actions ran in no workflow"
	exit 0
}

# product: flamegate's repository as the runner downloads it, in $work/product: no .git, nothing built
product() {
	mkdir -p "$work/product" "$work/home" "$work/runs" "$work/programs"
	# The examples set the kernel's limit; a test must not.
	printf '#!/bin/sh\necho "sudo $*"\n' >"$work/programs/sudo" && chmod +x "$work/programs/sudo"
	memoize_build
	git -C "$sources" ls-files -z --cached --others --exclude-standard -- Makefile action.yml baseline gate report actions tests/tests.mk |
		tar -C "$sources" --null -T - -cf - | tar -C "$work/product" -xf -
}

# Publish builds flamegate each time; here what the first action has built is copied. Where .ci/run has a compiler's cache it
# is built through it, by as many options as a release (actions/dist/dist.sh; what a -ffile-prefix-map says does not
# count), so that each file is compiled once for both.
memoize_build() {
	cat >"$work/programs/make" <<M
#!/bin/sh
for word; do case \$word in BUILD=*) folder=\${word#BUILD=} ;; esac; done
[ -n "\${folder:-}" ] || exec "$(command -v make)" "\$@"
if [ -n "${FLAMEGATE_COMPILERS:-}" ]; then
	export PATH="${FLAMEGATE_COMPILERS:-}:\$PATH" CCACHE_DIR="${CCACHE_DIR:-}" CCACHE_COMPILERCHECK="${CCACHE_COMPILERCHECK:-}"
	export CFLAGS="-g0 -ffile-prefix-map=$work/product=. -ffile-prefix-map=\$folder=."
fi
[ -d "$work/built" ] || { "$(command -v make)" "\$@" && cp -r "\$folder" "$work/built"; } || exit
cp "$work/built/flamegate" "$work/built/libflamegate.so" "$work/built/libflamegate-heap.so" "$work/built/libflamegate-clock.so" "\$folder"
M
	chmod +x "$work/programs/make"
}
# Where flamegate is built from source, this is what comes of it: test_workflows.sh really builds.
built_before() { mkdir -p "$work/built" && cp "$build/flamegate" "$build/libflamegate.so" "$build/libflamegate-heap.so" "$build/libflamegate-clock.so" "$work/built/"; }

# What the actions use, as act's options: our stub for each, by the version that they name.
mapped=()
while read -r name version; do
	mapped+=(--local-repository "actions/$name@$version=$stubs/$name")
done < <(sed -n 's,^ *uses: actions/\([a-z-]*\)[a-z/]*@\([0-9a-f]*\) .*,\1 \2,p' "$sources"/actions/*/action.yml | sort -u)

# stamped COMMAND...: as it is; its lines are in $stamps too, with the second of each
stamps=
# Where releases are; nobody answers.
releases=http://127.0.0.1:1
stamped() {
	"$@" 2>&1 | perl -MTime::HiRes=time -e '$| = 1; open my $to, ">", shift; while (<STDIN>) { print; printf $to "%.2f %s", time, $_ }' "$stamps"
	return "${PIPESTATUS[0]}"
}

# workflow FILE EVENT JSON: with the repository here. The exit status in $status, act's output in $work/out
# and $log, what was uploaded and kept in $uploads, the caches' log in $work/caches.log.
workflow() {
	uploads=$work/uploads
	rm -rf "$uploads" "$work/caches.log"
	mkdir -p "$uploads" "$work/caches"
	printf '%s' "$3" >"$work/event.json"
	# By a file: everybody can read act's command line.
	echo GITHUB_TOKEN=s3cret-token >"$work/secrets"
	# A compiler that makes itself a home would change what the next build depends on: rustup keeps its own.
	# A look-up of anything that is not mapped ends at a proxy that does not exist.
	run ${stamps:+stamped} env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS HOME="$work/home" XDG_CACHE_HOME="$work/runs" \
		PATH="$work/programs:$PATH" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" \
		http_proxy=http://127.0.0.1:1 https_proxy=http://127.0.0.1:1 \
		"$act" "$2" -P ubuntu-latest=-self-hosted -W "$sources/$1" \
		-e "$work/event.json" --no-cache-server --cache-server-addr 127.0.0.1 --artifact-server-addr 127.0.0.1 \
		--env GITHUB_REPOSITORY=o/r --env GITHUB_API_URL=http://127.0.0.1:1 --env GITHUB_SERVER_URL=http://127.0.0.1:1 \
		--env STUB_CACHE="$work/caches" --env STUB_UPLOADS="$uploads" --env FLAMEGATE_CACHE="$work/builds" \
		--secret-file "$work/secrets" --env FLAMEGATE_RELEASES="$releases" --env no_proxy=127.0.0.1 \
		--local-repository flamegate/flamegate@v1="$work/product" \
		"${mapped[@]}"
	log=$work/log
	cp "$work/out" "$log"
	# For what is shown of a failure: without act's own lines.
	grep -E '^\[[a-z /]*\]   (\||❗|⚠|❌|⚙)' "$log" >"$work/said"
	cp "$work/said" "$work/out"
}

# What failed shows the end of what the workflow said.
or_show() { "$@" || ! tail -n 50 "$work/said"; }
# has_output NAME VALUE: of the action
has_output() { or_show grep -qF "\"$1\": \"$2\"" "$uploads/outputs.json"; }
# uploaded FILE: in the one artifact, whose name the outputs tell
uploaded() {
	local artifact
	artifact=$(sed -n 's/.*"artifact": "\(flamegate-[a-z0-9-]*\)".*/\1/p' "$uploads/outputs.json")
	[ "$(find "$uploads" -mindepth 1 -maxdepth 1 -type d)" = "$uploads/$artifact" ] && [ -s "$uploads/$artifact/$1" ]
}
# summary_says PATTERN: the step summaries of the last workflow
summary_says() { sed -n '/ Summary - /,/^\[/p' "$log" | or_show grep -q -- "$1"; }
# says PATTERN, silent_about PATTERN: the log of the last workflow
says() { or_show grep -q -- "$1" "$log"; }
silent_about() { [ -s "$log" ] && ! grep -- "$1" "$log"; }
