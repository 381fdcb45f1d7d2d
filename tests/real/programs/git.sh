# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# git: import of a history, packing by two threads, log, blame, grep, fsck. Many short processes.
needs=(git)

prepare() {
	words $((scale * 60 + 200)) 7 | awk -v commits=$((scale * 30)) '
	{ text[NR] = $0 }
	END {
		for (c = 1; c <= commits; c++) {
			message = "change " c "\n"
			printf "commit refs/heads/main\ncommitter a <a@example.invalid> %d +0000\n", 1700000000 + c * 60
			printf "data %d\n%s\n", length(message), message
			for (f = 0; f < 4; f++) {
				body = ""
				for (l = 1; l <= NR / 4; l++)
					body = body text[(l + f * 17 + (l % 5 == c % 5 ? c : 0)) % NR + 1] "\n"
				printf "M 100644 inline folder%d/file%d\ndata %d\n%s\n", f % 2, f + c % 9, length(body), body
			}
		}
	}' >history
}

work() {
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
	measured git init -q -b main repository && cd repository || return 1
	"${preload[@]}" git fast-import --quiet <../history || return 1
	measured git log --stat | md5sum
	measured git log -p --format=%H%n%s -n 40 | md5sum
	measured git repack -a -d -f -q --threads=2 --window=50
	measured git rev-list --objects --all | md5sum
	measured git checkout -q -f
	measured git fsck --full --strict
	measured git blame folder0/file0 | md5sum
	measured git grep -c 'a[b-m]1' -- folder1
	measured git shortlog -sn main
	measured git diff --stat HEAD~20
	measured git show nothing-of-this-name
}

filter() { cat; }
