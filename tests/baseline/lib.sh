# SPDX-License-Identifier: Apache-2.0
# For tests of the notes store: a bare remote, and writers that leave out.N, err.N and status.N.
# shellcheck shell=bash
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
records=$build/tests/baseline/push_records
# shellcheck disable=SC2034 # for who sources this
writers=${RACE_WRITERS:-30}
notes=refs/notes/flamegate

# scene NAME: $work/NAME/repo with a bare remote beside it
scene() {
	mkdir -p "$work/$1" && cd "$work/$1" || exit 1
	git init -q --bare remote.git
	git -C remote.git config uploadpack.allowFilter true
	git init -q repo && git -C repo remote add origin "$PWD/remote.git"
}
# commit_of N: ten commits that nobody has
commit_of() { printf '%040x' $(($1 % 10 + 1)); }
# put I: two commits, each of them also others' business
put() { "$records" put repo notes: "$1" "$(commit_of "$1")" "$(commit_of $(($1 + 1)))"; }
# writer I CACHE
writer() {
	FLAMEGATE_CACHE=$2 put "$1" >"out.$1" 2>"err.$1"
	echo $? >"status.$1"
}
# note_of COMMIT
note_of() { git -C remote.git cat-file blob "$notes:${1:0:2}/${1:2}" 2>/dev/null; }
has_both() {
	[ "$(note_of "$(commit_of "$1")" | grep -c "\"bench-$1\"")" = 1 ] &&
		[ "$(note_of "$(commit_of $(($1 + 1)))" | grep -c "\"bench-$1\"")" = 1 ]
}
all_there() {
	local i
	for i in "$@"; do
		if ! has_both "$i"; then echo "record $i is missing: $(cat "out.$i" "err.$i")"; return 1; fi
	done
}
none_failed() { ! grep -v '^0$' status.* && ! cat err.* | grep .; }
at_most_20() { ! sed -n 's/^attempts //p' out.* | awk '$1 > 20' | grep .; }
valid() { git -C remote.git fsck --strict && git -C remote.git notes --ref=flamegate list; }
totals() {
	echo "# $1: $(git -C remote.git rev-list --count $notes) commits on the ref, attempts: $(
		sed -n 's/^attempts //p' out.* | sort -n | awk '{ s += $1; a[NR] = $1 }
			END { printf "%d in all, median %d, most %d", s, a[int((NR + 1) / 2)], a[NR] }'), $SECONDS s"
}
