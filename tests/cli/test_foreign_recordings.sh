#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `baseline push --commit`: recordings that another job has made are data that may lie.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

repo day; program 40; config; commit first
git commit -q --allow-empty -m second
run "$flamegate" record
expect "a commit is recorded" 0
cp -r flamegate-record "$work/original"

# notes: how many commits have a baseline
notes() { git notes --ref flamegate list 2>/dev/null | wc -l; }
# refused NAME STATUS TEXT REVISION: what is in ./given is not pushed
refused() {
	run "$flamegate" baseline push --store notes:. --commit "$4" given
	expect "$1 is refused" "$2" "$3"
	check "and nothing is pushed" test "$(notes)" = 0
}
fresh() { rm -rf given && cp -r "$work/original" given; }

fresh
refused "a recording of another commit than the event's" 3 "was recorded of another commit ($(git rev-parse --short=12 HEAD))" HEAD~1
refused "one for a commit that does not exist" 2 "no-such-branch" no-such-branch
# check.json names the right commit, one recording does not.
recording=$(find given -name recording.json)
sed -i "s/$(git rev-parse HEAD)/$(git rev-parse HEAD~1)/" "$recording"
refused "a recording that names another commit than its measurements" 3 "another commit ($(git rev-parse --short=12 HEAD~1))" HEAD
fresh
printf 'TOKEN=secret\n' >"$work/environ"
ln -sf "$work/environ" given/recordings/check.json
refused "a link in the measurements' place" 3 "symbolic link" HEAD
fresh
ln -sf "$work/environ" "$recording"
refused "a link in a recording's place" 3 "nothing to push" HEAD
fresh
truncate -s 80M given/recordings/check.json
refused "measurements that have no end" 3 "larger than" HEAD

fresh
run "$flamegate" baseline push --store notes:. --commit HEAD given
expect "what was recorded of that commit is pushed" 0 "of $(git rev-parse --short=12 HEAD) pushed"
check "as its baseline" test "$(notes)" = 1
finish
