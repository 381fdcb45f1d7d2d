#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The source of a culprit: recordings of the demo program, replayed where its repository is at hand, and where it
# is not. No clock and no build: the repository is made anew, the recordings are stored ones.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$here/../cli/lib.sh"
mutate=$build/tests/replay/mutate
data=$here/../../testdata
# shellcheck source=testdata/demo/expected.sh
. "$data/demo/expected.sh"
cd "$work" || exit 1
sh "$data/demo/make-repo.sh" "$work/demo" || exit 1

# fresh: slow2's recordings, said to be of the repository's commits
fresh() {
	rm -rf "$work/copy" && cp -r "$data/replay/slow2" "$work/copy"
	perl -pi -e 'BEGIN { ($base, $head) = splice @ARGV, 0, 2; @ids = ($base, $head) } s/"id": "[0-9a-f]{40}"/"\"id\": \"" . shift(@ids) . "\""/e' \
		"$(git -C demo rev-parse base)" "$(git -C demo rev-parse slow2)" "$work/copy/check.json"
}
# replay FOLDER: there
replay() { rm -rf "$work/report"; cd "$work/$1" && run "$flamegate" check --replay "$work/copy" -o "$work/report"; cd "$work" || exit 1; }
# lines: of the first culprit's source, its file, and for each of its lines: base head kind text|cost cost
lines() {
	perl -MJSON::PP -e '
		local $/;
		my $benchmark = decode_json(<STDIN>)->{benchmarks}[0];
		my $source = $benchmark->{culprits}[0]{source} or exit;
		my $l = $source->{lines};
		print "$source->{file}\n";
		for my $i (0 .. $l->{count} - 1) {
			my $text = $benchmark->{strings}[$l->{text}[$i]];
			$text =~ s/^\t+//;
			printf "%d %d %d %s|%.4f %.4f\n", $l->{base}[$i], $l->{head}[$i], $l->{kind}[$i], $text,
				$l->{cost_base}[$i], $l->{cost_head}[$i];
		}' <"$work/report/report.json"
}
no_source() { [ "$status" -eq 1 ] && [ -z "$(lines)" ] && ! grep -q '<details class="source"' "$work/report/report.html"; }

fresh; replay demo
expect "with its repository a replay decides as without" 1 "FAIL" "$SLOW_FUNCTION"
lines | cut -d'|' -f1 | sed -n '1,12p' >"$work/got"
cat >"$work/wanted" <<'T'
src/hash.c
4 4 0 uint64_t hash_text(const char *text, size_t length)
5 5 0 {
6 6 0 uint64_t hash = 0xcbf29ce484222325u;
7 7 0 
8 8 0 for (size_t i = 0; i < length; i++) {
T
head -n "$(wc -l <"$work/wanted")" "$work/got" >"$work/begin"
check "the report has the function's lines" diff "$work/wanted" "$work/begin"
check "the lines that were put in are marked" grep -q '^0 11 2 hash += i;$' "$work/got"
check "both of them" grep -q '^0 12 2 hash ^= hash >> 29;$' "$work/got"
check "those that stand below keep both numbers" grep -q '^11 13 0 }$' "$work/got"
costliest() { lines | sed 1d | awk -F'|' '{ split($2, c, " "); if (c[2] > best) { best = c[2]; line = $1 } } END { print line }'; }
check "the line that costs head most is the planted one" test "$(costliest)" = '0 11 2 hash += i;'
check "the page shows it without scripts" grep -qF '<td class="mark">+</td><td class="text"><code>        hash += i;</code>' "$work/report/report.html"
check "the Markdown has the changed lines" grep -qE '^\+ 1[12]  [0-9.]+ .?s  ' "$work/report/report.md"
cp "$work/report/report.json" "$work/first.json"
"$flamegate" report --from "$work/first.json" --format html >"$work/again.html"
check "rendered again it is the same page" cmp "$work/report/report.html" "$work/again.html"

# What lies in the working tree is not what was measured.
echo 'the working tree' >demo/src/hash.c; replay demo
check "the text comes from the commits, not from the folder" cmp "$work/first.json" "$work/report/report.json"
git -C demo checkout -q -- src/hash.c

# ---- none
fresh; replay .
expect "without a repository it decides as before" 1 "$SLOW_FUNCTION"
check "and shows no source" no_source
git init -q other; git -C other commit -q --allow-empty -m other; replay other
check "nor in another repository" no_source
for id in HEAD base "--output=$work/x" ""; do
	fresh; id=$id perl -pi -e 's/"id": "[0-9a-f]{40}"/"id": "$ENV{id}"/' "$work/copy/check.json"; replay demo
	check "measurements that name no whole commit id ('$id') get none" no_source
done

# ---- a submodule, whose files the tree does not know
git init -q above
git -C above update-index --add --cacheinfo "160000,$(git -C demo rev-parse base),src"
git -C above -c user.name=t -c user.email=t@example.org commit -qm base
git -C above update-index --add --cacheinfo "160000,$(git -C demo rev-parse slow2),src"
git -C above -c user.name=t -c user.email=t@example.org commit -qm slow2
fresh
perl -pi -e 'BEGIN { @ids = splice @ARGV, 0, 2 } s/"id": "[0-9a-f]{40}"/"\"id\": \"" . shift(@ids) . "\""/e' \
	"$(git -C above rev-parse HEAD^)" "$(git -C above rev-parse HEAD)" "$work/copy/check.json"
replay above
expect "a function of a submodule keeps its place" 1 "$SLOW_FUNCTION takes longer in"
check "without its source" no_source

# ---- hostile debug information: the culprit's file is named anew in the recordings
echo 'TOP SECRET' >secret
git -C demo checkout -q slow2
for i in $(seq 20); do cat secret; done >demo/untracked.c
(cd demo && ln -s ../secret link.c && ln -s .. up && seq 20 | sed 's/$/ \x00 TOP SECRET/' >binary.c && git init -q sub &&
	cp untracked.c sub/x.c && git -C sub add . && git -C sub commit -qm sub && git add link.c up binary.c sub 2>/dev/null && git commit -qm traps)
for file in /proc/self/environ "$work/secret" ../secret ../../secret link.c up/secret binary.c sub sub/x.c untracked.c .git/config; do
	fresh
	perl -pi -e 'BEGIN { ($old, $new) = splice @ARGV, 0, 2 } s/\Q$old\E/$new/' "$(git -C demo rev-parse slow2^)" "$(git -C demo rev-parse slow2)" "$work/copy/check.json"
	for version in base head; do "$mutate" file "$work/copy/logstat/$version" "$SLOW_FUNCTION" "$file" || not_ok "the recording is crafted"; done
	export PLANTED=TOP-SECRET; replay demo; unset PLANTED
	# Who calls it is of the tree: that is what stands there instead.
	case $(lines | head -n 1) in src/*.c) shown=caller ;; *) shown= ;; esac
	if [ "$status" -eq 1 ] && [ -n "$shown" ] && ! grep -rqE 'TOP.SECRET|repositoryformatversion' "$work/report"; then ok "a culprit in $file shows nothing of it"; else not_ok "a culprit in $file shows nothing of it"; fi
done
fresh
for version in base head; do "$mutate" file "$work/copy/logstat/$version" "$SLOW_FUNCTION" src/ip.c; done
replay demo
check "while a file of the tree is shown" test "$(lines | head -n 1)" = src/ip.c
# A partial clone has the trees and none of the texts. The report says so, and fetches nothing.
git -C demo config uploadpack.allowFilter true
git -C demo config uploadpack.allowAnySHA1InWant true
git clone -q --no-checkout --filter=blob:none "file://$work/demo" partial 2>"$work/out" || not_ok "a partial clone"
objects() { (cd "$work/partial/.git/objects" && find . -type f | sort); }
lacks() { git -C partial rev-list --objects --missing=print slow2 2>/dev/null | grep -c '^?'; }
git -C partial fetch -q origin slow2:refs/heads/slow2 2>"$work/out"
check "it lacks texts" [ "$(lacks)" -gt 0 ]
fresh
objects >"$work/before"
replay partial
expect "in a partial clone it decides as anywhere" 1 "FAIL" "$SLOW_FUNCTION" "no source of src/hash.c is shown: this clone is"
check "without the source" no_source
objects >"$work/after"
check "and without fetching anything" cmp "$work/before" "$work/after"
# A clone that is damaged is no partial one: each has its words.
git -C demo checkout -q slow2
for damage in missing garbage; do
	rm -rf damaged && cp -r demo damaged
	blob=$(git -C damaged rev-parse slow2:src/hash.c)
	object=damaged/.git/objects/$(printf %s "$blob" | cut -c1-2)/$(printf %s "$blob" | cut -c3-)
	check "its text is an object of its own" test -f "$object"
	rm -f "$object"
	case $damage in
	missing) words="git object $(printf %.12s "$blob"), its text, is missing, though this is no partial clone" ;;
	garbage) echo garbage >"$object"; words="git object $(printf %.12s "$blob"), its text, is damaged" ;;
	esac
	fresh; replay damaged
	expect "a $damage text stops nothing" 1 "FAIL" "$SLOW_FUNCTION"
	check "and is not shown" test "$(lines | head -n 1)" != src/hash.c
	check "and the report says why" grep -qF "no source of src/hash.c is shown: $words" "$work/report/report.md"
done
# With the texts there the same clone shows them.
git -C partial checkout -q slow2 && git -C partial checkout -q base 2>"$work/out" || git -C partial checkout -q "$(git -C demo rev-parse base)"
replay partial
check "once they were fetched, they are shown" [ -n "$(lines)" ]
check "and nothing is said" sh -c "! grep -q 'no source of' '$work/report/report.md'"
finish
