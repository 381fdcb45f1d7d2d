#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is compared in each of GitHub's events, and that nothing is green because there was nothing to compare.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../loop_lib.sh"

# A comment: another commit that executes the same files, so that a check needs no pairs.
comment() { echo "/* $1 */" >>main.c; commit "$1"; }
# event NAME JSON COMMAND...: as a run that this event has started
event() {
	local name=$1
	printf '%s' "$2" >"$work/event.json"
	shift 2
	CI=true GITHUB_EVENT_NAME=$name GITHUB_EVENT_PATH=$work/event.json run "$@"
}
# push BRANCH BEFORE [OPTION...]
push() {
	local payload="{\"ref\": \"refs/heads/$1\", \"before\": \"$2\", \"repository\": {\"default_branch\": \"main\"}}"
	shift 2
	event push "$payload" "$flamegate" check --no-baseline "$@"
}
zeros=0000000000000000000000000000000000000000

repo hub; program 20; config; commit one; one=$(git rev-parse HEAD)
comment two; two=$(git rev-parse HEAD)
comment three; three=$(git rev-parse HEAD)
remote hub

# ---- one commit is not compared with itself
event pull_request_target '{}' "$flamegate" check
expect "pull_request_target checks out the base: nothing to compare is no pass" 2 \
	"nothing to compare" "${three:0:10}" "run on pull_request"
if [ -e flamegate-report/report.json ]; then not_ok "there is no report then"; else ok "there is no report then"; fi
event workflow_dispatch '{}' "$flamegate" check
expect "workflow_dispatch on the default branch neither" 2 "nothing to compare" "--base"
CI=true run "$flamegate" check
expect "nor in another CI" 2 "nothing to compare" "check out the pull request's head"
event workflow_dispatch '{}' "$flamegate" check --base "$one" --no-baseline
expect "a base that is named is compared with" 0 "base ${one:0:10}"
event workflow_dispatch '{}' "$flamegate" check --base main --no-baseline
expect "even where it is head, which is a warning" 0 "WARN" "base and head are the same commit"
run "$flamegate" check --no-baseline
expect "at a desk one may try a configuration on the default branch: a note" 0 "PASS" "base and head are the same commit"
git commit -q --allow-empty -m "the same tree"
CI=true GITHUB_BASE_REF=main run "$flamegate" check --no-baseline
expect "another commit with the same tree passes" 0 "PASS" "same files"
git reset -q --hard "$three"

# ---- push
push main "$one"
expect "a push is compared with what the branch was before" 0 "base ${one:0:10} (main before the push)" "policy origin/main:.flamegate.yml"
push main "$zeros"
expect "a push that makes the default branch has nothing to compare" 2 "nothing to compare" "the push names no earlier commit"
push main "$three"
expect "nor has one that changes nothing" 2 "nothing to compare"
git checkout -qb topic "$two"; comment four
push topic "$zeros"
expect "a new branch is compared with where it left the default branch" 0 "base ${two:0:10} (origin/main)"
push topic "$three"
expect "so is one whose earlier commit head does not descend from: a force push" 0 \
	"head does not descend from ${three:0:10}" "base ${two:0:10} (origin/main)"
push topic 1234567812345678123456781234567812345678
expect "and one whose earlier commit is nowhere" 0 "base ${two:0:10} (origin/main)"
push topic "$zeros" --base "$one"
expect "a base that is named comes before the event's" 0 "base ${one:0:10}"
git checkout -q --orphan lonely; git commit -qm "a history of its own"
push lonely "$zeros"
expect "a branch that has nothing in common with the default branch has nothing to compare" 2 "nothing to compare" "no common ancestor"
git checkout -q topic
git tag -a -m annotated release "$one"
event push "{\"ref\": \"refs/tags/release\", \"before\": \"$(git rev-parse release)\", \"repository\": {\"default_branch\": \"main\"}}" \
	"$flamegate" check --no-baseline
expect "a tag that was moved is compared with the commit that it named before" 0 "base ${one:0:10} (the tag before the push)"
push topic '--upload-pack=touch x'
expect "an event that names no commit is refused" 3 "GITHUB_EVENT_PATH: before"
event push '{}' "$flamegate" check --no-baseline
expect "a push that says nothing is compared with the merge base" 0 "base ${two:0:10} (origin/main)"

git remote rename origin elsewhere; git branch -qm main other; git checkout -q --detach; git branch -qD topic
push topic "$zeros"
expect "a push in a clone without a default branch has nothing to compare" 2 "nothing to compare" "--base"
git branch -qm other main; git remote rename elsewhere origin; git checkout -qb topic

# ---- a shallow clone, as actions/checkout makes it
# shallow BRANCH: one commit of it, under the name of the remote's branch
shallow() {
	rm -rf "$work/clone" && git init -q -b none "$work/clone" && cd "$work/clone" || exit 1
	git remote add origin "file://$work/hub.git"
	git fetch -q --no-tags --depth=1 origin "+refs/heads/$1:refs/remotes/origin/$1" && git checkout -q --detach "origin/$1"
}
git push -q origin topic
shallow main
push main "$one"
expect "in a shallow clone the earlier commit is fetched" 0 "fetched the missing history" "base ${one:0:10} (main before the push)"
shallow topic
push topic "$three"
expect "a force push there is compared with the merge base" 0 "base ${two:0:10} (origin/main)"
shallow main
git remote set-url origin "file://$work/nowhere.git"
push main "$one"
expect "without a server there is nothing to compare, which is no pass" 2 "could not fetch more history" "nothing to compare"
finish
