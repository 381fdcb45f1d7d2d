#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A suite's repository: the sources as they were published, as the tag `base`. Author, dates and content are fixed.
#
#   repo.sh make SUITE SOURCES FOLDER         the repository in FOLDER, with the one commit
#   repo.sh start SUITE FOLDER                what `flamegate init --try` wrote there, as a commit and the tag `start`
#   repo.sh change SUITE FOLDER KIND FROM     a commit on FROM, as the tag KIND: comment (a comment more), planted-10 and
#                                             planted-30 (the function has that much more work, in per cent)
set -eu
# Nobody's configuration, hooks or signing key may change the commits.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME=suites GIT_AUTHOR_EMAIL=suites@example.org GIT_AUTHOR_DATE=2024-03-04T09:00:00Z
export GIT_COMMITTER_NAME=suites GIT_COMMITTER_EMAIL=suites@example.org GIT_COMMITTER_DATE=2024-03-04T09:00:00Z
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_NAMESPACE || true
umask 022
value() { sed -n "s/^$1: *//p" "$suite/suite"; }

# What a package ships is its content, also where it ships a .gitignore that names it.
make() { # sources folder
	rm -rf "$2" "$2.new"
	mkdir -p "$2.new"
	cp -R "$1/." "$2.new/"
	cd "$2.new"
	git init -q
	git symbolic-ref HEAD refs/heads/main
	git config core.autocrlf false
	git add -A -f
	git commit -q --no-verify -m "$(value package) $(value version)"
	git tag base
	mv "$2.new" "$2"
}

# Of what is new there the configuration and the workflows, and nothing that was built on the way.
start() { # folder
	local written
	cd "$1"
	for written in .flamegate.yml .github; do
		[ ! -e "$written" ] || git add -f "$written"
	done
	git commit -q --no-verify --allow-empty -m 'flamegate init --try'
	git tag -f start >/dev/null
	git clean -q -d -f -x
}

# How often the planted loop runs stands in the suite's file, once for each size.
patch_of() { # kind
	case $1 in
	comment) cat "$suite/comment.patch" ;;
	planted-10 | planted-30) sed "s/@ROUNDS@/$(value "rounds-${1#planted-}")/" "$suite/planted.patch" ;;
	*) echo "repo.sh: no change is called '$1'" >&2; exit 2 ;;
	esac
}

change() { # folder kind from
	cd "$1"
	git checkout -q -f --detach "$3"
	patch_of "$2" | git apply --index
	git commit -q --no-verify -m "$2"
	git tag -f "$2" >/dev/null
	git checkout -q -f main
}

order=$1 suite=$(cd "$2" && pwd)
case $order in
make) make "$3" "$4" ;;
start) start "$3" ;;
change) change "$3" "$4" "$5" ;;
*) echo "repo.sh: make, start or change" >&2; exit 2 ;;
esac
