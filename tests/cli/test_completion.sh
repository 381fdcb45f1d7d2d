#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What bash, zsh and fish complete of a flamegate command line: all that --help has, names of the project, files; and
# nothing that a project calls its benchmarks, branches or files is ever run.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)/completion
real=$(realpath "$flamegate")
shells=
for shell in bash zsh fish; do
	if command -v "$shell" >/dev/null; then shells="$shells $shell"; else skip "$shell is not installed"; fi
done

# ---- the scripts
mkdir -p "$work/site" "$work/bin" "$work/home"
"$flamegate" completion bash >"$work/site/flamegate"
"$flamegate" completion zsh >"$work/site/_flamegate"
"$flamegate" completion fish >"$work/site/flamegate.fish"
check "bash can read its script" bash -n "$work/site/flamegate"
command -v zsh >/dev/null && check "zsh can read its script" zsh -n "$work/site/_flamegate"
command -v fish >/dev/null && check "fish can read its script" fish --no-config -n "$work/site/flamegate.fish"
if command -v shellcheck >/dev/null; then
	check "shellcheck has nothing to say" shellcheck "$work/site/flamegate"
else
	skip "shellcheck is not installed"
fi
run "$flamegate" completion
expect "a shell must be named" 2 "bash, zsh or fish"
run "$flamegate" completion tcsh
expect "and be one of three" 2 "not for 'tcsh'"
run "$flamegate" completion --list branches
expect "a list that there is not is a usage error" 2 "--list is benchmarks or revisions, not 'branches'"

# A flamegate that is asked for names is the real one (or prints $work/names); any other is only told what it was given.
cat >"$work/bin/flamegate" <<S
#!/bin/sh
if [ "\$1 \$2" = "completion --list" ]; then
	[ -e '$work/names' ] && cat '$work/names' || exec '$real' "\$@"
	exit
fi
for word; do printf '<%s>' "\$word"; done >>'$work/typed'
echo >>'$work/typed'
[ -z "\${CAPTURE:-}" ] || echo ARGS >>"\$CAPTURE"
echo ARGS
S
chmod +x "$work/bin/flamegate"
export PATH="$work/bin:$PATH" HOME="$work/home" XDG_CONFIG_HOME="$work/home" XDG_DATA_HOME="$work/home" COMPLETIONS="$work/site"
cat >"$work/bashrc" <<S
PS1='READY> '
bind 'set enable-bracketed-paste off'
bind 'set completion-query-items 0'
bind 'set page-completions off'
source '$work/site/flamegate'
S
cat >"$work/zshrc" <<S
source '$here/setup.zsh'
S

# type_into SHELL <LINES: what flamegate was given, a line each, is in $work/typed
type_into() {
	local lines
	lines=$(cat)
	: >"$work/typed"
	case $1 in
	bash) printf '%s\n' "$lines" | python3 "$here/type.py" bash --noprofile --rcfile "$work/bashrc" -i >"$work/out" 2>&1 ;;
	zsh)
		cp "$work/zshrc" "$work/home/.zshrc"
		printf '%s\n' "$lines" | CAPTURE="$work/capture" ZDOTDIR="$work/home" python3 "$here/type.py" zsh -d -i >"$work/out" 2>&1
		;;
	fish)
		printf '%s\n' "$lines" | python3 "$here/type.py" fish --no-config -i -C "source '$work/site/flamegate.fish'
			set -g fish_greeting
			function fish_prompt; echo -n 'READY> '; end" >"$work/out" 2>&1
		;;
	esac
}
# offers SHELL <LINES >WORDS: what is offered at each line's end, "ARGS" behind each
offers() {
	case $1 in
	bash) bash --norc "$here/capture.bash" "$work/site/flamegate" ;;
	zsh)
		: >"$work/capture"
		type_into zsh
		cat "$work/capture"
		;;
	fish)
		fish --no-config -c "source '$work/site/flamegate.fish'
			while read -l line; complete -C \"\$line\"; echo ARGS; end" | sed 's/\t.*//'
		;;
	esac
}
# block N: the Nth line's words, sorted
block() { awk -v wanted="$1" '/^ARGS$/ { at++; next } at == wanted - 1' "$work/offers" | sort -u; }

# ---- a project
repo project
: >one; commit one; git tag v1.2; git branch feature/größe
cat >.flamegate.yml <<'Y'
version: 1
build: touch was-built
benchmarks:
  - {name: parse-small, command: touch was-run, work: fixed}
  - {name: parse/large, command: touch was-run, work: fixed}
  - {name: hash, command: touch was-run, work: fixed}
Y
commit two
mkdir -p sub/deep results
: >report-one.json

# ---- every command and every option of its help
"$flamegate" --help | sed -nE 's/^  ([a-z]+( [a-z]+)?)  +.*/\1/p' >"$work/commands"
{
	echo 'flamegate '
	sed 's/.*/flamegate & -/' "$work/commands"
} >"$work/lines"
for shell in $shells; do
	offers "$shell" <"$work/lines" >"$work/offers"
	block 1 >"$work/out"
	missing=$({ sed 's/ .*//' "$work/commands"; echo help; } | sort -u | comm -23 - "$work/out")
	[ -z "$missing" ] && ok "$shell: every command is offered" || not_ok "$shell: every command is offered, not $missing"
	number=1
	wrong=
	while read -r command; do
		number=$((number + 1))
		# shellcheck disable=SC2086 # "baseline push" is two words
		"$real" $command --help | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z-]+).*/\1\2/p' | tr -d ' ' | tr , '\n' | sort -u >"$work/wanted"
		# zsh knows "-" for a command, which may begin behind run.
		block "$number" | grep -vx -e - >"$work/out"
		cmp -s "$work/wanted" "$work/out" || wrong="$wrong $command: $(diff "$work/wanted" "$work/out" | tr '\n' ' ')"
	done <"$work/commands"
	[ -z "$wrong" ] && ok "$shell: every option of every command's help, and no other" || not_ok "$shell: options:$wrong"
done

# ---- a case a line: LINE | words that are offered, all of them; "compopt" is bash's way to leave it to readline
cat >"$work/cases" <<'C'
flamegate che|check
flamegate baseline |help list prune pull push show verify --help -h
flamegate baseline pu|pull push
flamegate help baseline p|prune pull push
flamegate help repo|report
flamegate check --measure|--measure-identical
flamegate check --benchmark |hash parse-small parse/large
flamegate check -B parse|parse-small parse/large
flamegate check -B hash --benchmark=pa|parse-small parse/large
flamegate record --benchmark h|hash
flamegate baseline show -B h|hash
flamegate check --base |HEAD feature/größe main v1.2
flamegate check --head v|v1.2
flamegate baseline list f|feature/größe
flamegate baseline list HEAD f|
flamegate record -C nowhere --benchmark |
flamegate record -C sub --benchmark h|hash
flamegate report --format ma|markdown
flamegate report --format=s|sarif svg
flamegate report -t ju|junit
flamegate check --also |codequality junit metrics sarif svg
flamegate check --also svg --also sa|sarif
flamegate run --profile |cpu heap instructions lock wall
flamegate run --mechanism p|perf posix
flamegate compare --type alloc|alloc_bytes alloc_objects
flamegate completion |bash fish zsh
flamegate completion --list=b|benchmarks
flamegate check --seed |
flamegate check -- --|
flamegate compare one two --str|--strict
C
cut -d'|' -f1 "$work/cases" >"$work/lines"
# Whether -h beside --help, or an option prefix of a value, is spelled out is the shell's own way.
tidy() { sed -E 's/^--[a-z-]+=//; s/ $//; /^(--help|-h|help)$/d' | grep -v '^$' | sort -u; }
for shell in $shells; do
	LC_ALL=C.UTF-8 offers "$shell" <"$work/lines" >"$work/offers"
	number=0
	while IFS='|' read -r line words; do
		number=$((number + 1))
		# shellcheck disable=SC2086 # words
		printf '%s\n' $words | tidy >"$work/wanted"
		# The colour of quotes: bash writes what is no ASCII as it sees fit.
		block "$number" | tidy >"$work/out"
		if cmp -s "$work/wanted" "$work/out"; then ok "$shell: $line"; else not_ok "$shell: '$line' wants '$words'"; fi
	done <"$work/cases"
done

# ---- typed into a terminal: what one TAB makes of it, with names that need quotes
: >'with space.json'
mkdir 'other folder' 'c$(touch pwned)'
: >'d`touch pwned`.json'
cat >"$work/cases" <<'C'
flamegate report --schem|<report><--schema>
flamegate check --benchmark parse-|<check><--benchmark><parse-small>
flamegate report --format=mark|<report><--format=markdown>
flamegate report --from report-|<report><--from><report-one.json>
flamegate report --from with|<report><--from><with space.json>
flamegate report --from d|<report><--from><d`touch pwned`.json>
flamegate check --output res|<check><--output><results>
flamegate check --output oth|<check><--output><other folder>
flamegate baseline push c|<baseline><push><c$(touch pwned)>
flamegate compare report-one.json with|<compare><report-one.json><with space.json>
flamegate run --profile heap -- tou|<run><--profile><heap><--><touch>
flamegate run cat with|<run><cat><with space.json>
C
cut -d'|' -f1 "$work/cases" >"$work/lines"
for shell in $shells; do
	type_into "$shell" <"$work/lines" || not_ok "$shell can be typed into"
	# zsh takes a folder's last "/" away again.
	while IFS='|' read -r line wanted <&3 && IFS= read -r got <&4; do
		got=${got//\/>/>}
		printf '%s\n' "$got" >"$work/out"
		[ "$got" = "$wanted" ] && ok "$shell, typed: $line" || not_ok "$shell, typed: $line is $wanted"
	done 3<"$work/cases" 4<"$work/typed"
done

# ---- behind run the other command's own completions go on; bash has them where bash-completion is, which loads ours by name
bash_completion=/usr/share/bash-completion/bash_completion
if [ -r "$bash_completion" ]; then
	mkdir -p "$work/home/bash-completion/completions"
	cp "$work/site/flamegate" "$work/home/bash-completion/completions/"
	sed -i "s|^source .*|source $bash_completion|" "$work/bashrc"
else
	skip "bash-completion is not installed"
fi
for shell in $shells; do
	[ "$shell" != bash ] || [ -r "$bash_completion" ] || continue
	printf '%s\n' 'flamegate report --schem' 'flamegate run -p cpu -- flamegate report --schem' | type_into "$shell"
	printf '%s\n' '<report><--schema>' '<run><-p><cpu><--><flamegate><report><--schema>' | diff - "$work/typed" >"$work/out" &&
		ok "$shell: behind run another command is completed" || not_ok "$shell: behind run another command is completed"
done

# ---- names that would be commands
hostile=('evil$(touch pwned)' 'evil`touch pwned`' 'evil;touch pwned' 'evil space' 'evil&touch pwned&' "evil'\$(touch pwned)" 'evil"$(touch pwned)' '$(touch pwned)' '`touch pwned`'
	'${x:=$(touch pwned)}' '*' '~root' 'evil\' '|touch pwned' '<(touch pwned)' '(touch pwned)' 'evil[$(touch pwned)]' 'evil:$(touch pwned)')
for name in "${hostile[@]}" 'e'$'\t''touch pwned'; do
	printf 'version: 1\nbuild: touch pwned\nbenchmarks:\n  - {name: "%s", command: touch pwned, work: fixed}\n' \
		"$(printf %s "$name" | sed 's/[\\"]/\\&/g; s/\t/\\t/g')" >.flamegate.yml
	"$real" completion --list benchmarks
done >"$work/out" 2>/dev/null
[ -s "$work/out" ] && not_ok "no such name of a benchmark is listed" || ok "no such name of a benchmark is listed"
printf 'version: 1\nbenchmarks:\n  - {name: "a\\ntouch pwned", command: touch pwned, work: fixed}\n' >.flamegate.yml
run "$real" completion --list benchmarks
expect "nor one of two lines" 2
git branch -f 'evil$(touch${IFS}pwned)' 2>/dev/null; git branch -f 'evil`id`' 2>/dev/null; git branch -f 'evil;id' 2>/dev/null
run "$real" completion --list revisions
expect "revisions are listed" 0 HEAD v1.2
grep -q evil "$work/out" && not_ok "but none that a shell would run" || ok "but none that a shell would run"
git config core.fsmonitor "touch $PWD/pwned"; git config core.hooksPath "$PWD"; git config alias.for-each-ref '!touch pwned'
run "$real" completion --list revisions
[ -e pwned ] && not_ok "nor does git run anything of the project" || ok "nor does git run anything of the project"

# The scripts do not trust their own program either. Each name gets a number to begin with, by which one TAB finds it.
: >"$work/names"; : >"$work/lines"; : >"$work/wanted"
for i in "${!hostile[@]}"; do
	name=n$((i + 10))${hostile[i]}
	printf '%s\n' "$name" >>"$work/names"
	echo "flamegate check --benchmark n$((i + 10))" >>"$work/lines"
	printf '<check><--benchmark><%s>\n' "$name" >>"$work/wanted"
done
printf '%s\n' "${hostile[@]}" >>"$work/names"
printf 'flamegate check --benchmark %s\n' '' n e >"$work/prefixes"
for shell in $shells; do
	offers "$shell" <"$work/prefixes" >"$work/offers"
	grep -q evil "$work/offers" && ok "$shell: hostile names are offered as words" || not_ok "$shell: hostile names are offered as words"
	type_into "$shell" <"$work/lines"
	diff "$work/wanted" "$work/typed" >"$work/out" && ok "$shell: and typed as words" || not_ok "$shell: and typed as words"
	[ -e pwned ] && not_ok "$shell: nothing was run" || ok "$shell: nothing was run"
	rm -f pwned
done
rm "$work/names"
[ -e was-built ] || [ -e was-run ] && not_ok "the project was neither built nor run" || ok "the project was neither built nor run"

finish
