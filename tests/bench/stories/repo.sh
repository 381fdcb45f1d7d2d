#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes one row's repository, with the tags `base` and `head`. Author, dates and content are fixed.
#
#   repo.sh ROW FOLDER SOURCES     ROW is a folder with a story: rows/NAME (a program of ours and a patch) or
#                                  releases/NAME (a package's two versions, fetched into SOURCES, and our driver), or
#                                  lies elsewhere and names a repository that has both tags
set -eu
here=$(cd "$(dirname "$0")" && pwd)
row=$(cd "$1" && pwd) folder=$2 sources=$3
# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=stories GIT_AUTHOR_EMAIL=stories@example.org GIT_AUTHOR_DATE=2024-03-04T09:00:00Z
export GIT_COMMITTER_NAME=stories GIT_COMMITTER_EMAIL=stories@example.org GIT_COMMITTER_DATE=2024-03-04T09:00:00Z
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE || true
umask 022

value() { sed -n "s/^$1: *//p" "$row/story"; }
commit() { git add -A && git commit -q --no-verify --allow-empty -m "$1" && git tag "$2"; }

begin() { # the work tree, empty
	rm -rf "$folder.new"
	mkdir -p "$folder.new"
	cd "$folder.new"
	git init -q
	git symbolic-ref HEAD refs/heads/main
	git config core.autocrlf false
}

ours() {
	cp -R "$here/programs/$(value program)/." .
	[ "$(value reverse)" != yes ] || git apply "$row/change.patch"
	commit "$(value program)" base
	if [ "$(value reverse)" = yes ]; then git apply -R "$row/change.patch"; else git apply "$row/change.patch"; fi
	commit "$(value message)" head
}

# From a package's folder what the row takes of it; `sources` is a function of its script.
release() { # version tag
	local package
	package=$(bash "$here/fetch.sh" "$row" "$1" "$sources")
	find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
	sources "$package"
	cp "$here/text.h" .
	find "$row" -mindepth 1 -maxdepth 1 ! -name story ! -name sources.sh -exec cp -R {} . \;
	commit "$(value package) $1" "$2"
}

if [ -n "$(value repository)" ]; then # somebody's, with both tags
	rm -rf "$folder.new"
	git clone -q "$(value repository)" "$folder.new"
	git -C "$folder.new" rev-parse -q --verify base >/dev/null
	git -C "$folder.new" rev-parse -q --verify head >/dev/null
	mv "$folder.new" "$folder"
	exit
fi
begin
if [ -f "$row/change.patch" ]; then
	ours
else
	# shellcheck source=/dev/null
	. "$row/sources.sh"
	release "$(value base-version)" base
	release "$(value head-version)" head
fi
rm -rf "$folder"
mv "$folder.new" "$folder"
