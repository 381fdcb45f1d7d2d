#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A build changes what git does: its configuration, or the program that PATH finds. Where flamegate calls git after
# that, git runs the change's commands: they get no token, and nothing of them outlives flamegate.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../loop_lib.sh"

# Root's folders of PATH are an ordinary user's to change nowhere; what is kept from a user is tried by one.
mkdir "$work/bin" "$work/home" "$work/home/bin" && cp "$flamegate" "$build"/libflamegate*.so "$work/bin"
as_user() { HOME=$work/home PATH=$work/home/bin:$PATH "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	as_user() { HOME=$work/home PATH=$work/home/bin:$PATH setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
fi
give() { [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$work"; }
chmod 755 "$work"

# What a command of the change's leaves: the environment that it got, and a process that waits for flamegate to be gone.
cat >"$work/command" <<C
{ env; echo ran; } >>"$work/loot"
setsid sh -c 'echo \$\$ >>"$work/daemons"; exec sleep 1000' >/dev/null 2>&1 </dev/null &
C
# by_filter, by_program: what the build does
# shellcheck disable=SC2016 # the build expands them
printf '%s\n' "git config filter.evil.smudge 'sh \"$work/command\"; cat'" \
	'folder=$(git rev-parse --git-common-dir)/info; mkdir -p "$folder"; echo "* filter=evil" >"$folder/attributes"' >"$work/by_filter"
printf '%s\n' "printf '#!/bin/sh\nsh \"$work/command\"\nexec \"$(command -v git)\" \"\$@\"\n' >\"$work/home/bin/git\"" \
	"chmod +x \"$work/home/bin/git\"" >"$work/by_program"

# attacked HOW: the change's own benchmarks need a second build, and so a second checkout
attacked() {
	rm -rf "$work/cache" "$work/loot" "$work/daemons" "$work/home/bin/git" "${work:?}/day.git"
	touch "$work/daemons"
	repo day; program 40; config; commit base; remote day
	git checkout -qb topic
	printf '\tsh %s\n' "$work/$1" >>Makefile
	{ printf 'environment:\n  OF_HEAD: "1"\n'; cat .flamegate.yml; } >changed && mv changed .flamegate.yml
	printf '  - name: fresh\n    command: ./bench\n    work: fixed\n' >>.flamegate.yml
	commit topic; give
	CI=true GITHUB_BASE_REF=main run as_user env FLAMEGATE_TOKEN=t0ken-of-the-server GIT_CONFIG_COUNT=1 \
		GIT_CONFIG_KEY_0=http.http://server/.extraheader GIT_CONFIG_VALUE_0="AUTHORIZATION: t0ken-of-git" \
		FLAMEGATE_CACHE="$work/cache" "$work/bin/flamegate" check
}
no_token() { grep -q ran "$work/loot" && ! grep t0ken "$work/loot"; }
none_lives() {
	local pid
	[ -s "$work/daemons" ] || return
	while read -r pid; do ! kill -0 "$pid" 2>/dev/null || { echo "$pid lives"; return 1; }; done <"$work/daemons"
}
for how in by_filter by_program; do
	attacked $how
	expect "$how: the check goes on" 0 "fresh: one run of head alone"
	check "$how: the change's command runs, without a token" no_token
	check "$how: and what it has started is killed" none_lives
	while read -r pid; do kill "$pid" 2>/dev/null; done <"$work/daemons"
done
finish
