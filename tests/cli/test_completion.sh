#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completions, in the shells themselves: what the option tables have is offered, and what a repository calls its branches
# and benchmarks runs nothing. A shell that is not here is skipped by name.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
PATH=$build:$PATH
mkdir "$work/home" && export HOME=$work/home XDG_CONFIG_HOME=$work/home
shells=()
for shell in bash zsh fish; do
	run "$flamegate" completion "$shell"
	expect "$shell: the script is printed" 0 "flamegate completion $shell"
	cp "$work/out" "$work/completion.$shell"
	if command -v "$shell" >/dev/null; then shells+=("$shell"); else skip "$shell: not installed"; fi
done
for shell in "${shells[@]}"; do check "$shell: it reads the script" "$shell" -n "$work/completion.$shell"; done
if command -v shellcheck >/dev/null; then check "shellcheck has nothing to say" shellcheck "$work/completion.bash"; else skip "no shellcheck"; fi

# ---- asking a shell: what it would offer for a line that ends here, one on each line, sorted
cat >"$work/ask.bash" <<'A'
source "$1"
compopt() { :; } # there is no line to quote for
COMP_WORDS=()
rest=$2
while [ -n "$rest" ]; do # as readline parts words: "=" is one
	case $rest in
	' '*) rest=${rest# }; [ -n "$rest" ] || COMP_WORDS+=('') ;;
	=*) COMP_WORDS+=(=) rest=${rest#=} ;;
	*) word=${rest%%[ =]*}; COMP_WORDS+=("$word") rest=${rest#"$word"} ;;
	esac
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_flamegate
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
A
# A zsh with a terminal of its own, whose list of matches is taken where it would be shown.
cat >"$work/ask.zsh" <<'A'
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "PS1= PROMPT= RPROMPT= TERM=dumb; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -D -u; source $1"
zpty -w asked 'compadd() { case " $* " in *" -O "*|*" -D "*|*" -A "*) builtin compadd "$@"; return ;; esac; local -a kept; builtin compadd -O kept "$@"; print -rl -- ${kept/#/MATCH:} >>|'"$3"'; builtin compadd "$@" }'
zpty -w asked 'bindkey "^I" complete-word; zstyle ":completion:*" list-prompt ""; LISTMAX=10000'
zpty -w asked 'print READY >>|'"$3"
repeat 100; do [[ -s $3 ]] && break; sleep 0.1; done
zpty -n -w asked "$2"$'\t'
zpty -n -w asked $'\x15'
zpty -w asked ''
zpty -w asked 'print DONE >>|'"$3"
repeat 150; do grep -q DONE $3 && break; sleep 0.1; done
zpty -d asked
A
ask() { # SHELL LINE
	case $1 in
	bash) bash --norc "$work/ask.bash" "$work/completion.bash" "$2" ;;
	zsh)
		rm -f "$work/matches"
		zsh -f "$work/ask.zsh" "$work/completion.zsh" "$2" "$work/matches" >/dev/null 2>&1
		sed -n 's/^MATCH://p' "$work/matches"
		;;
	fish) fish --no-config -c "source $work/completion.fish; complete -C '$2'" | cut -f 1 ;;
	esac 2>>"$work/asked.err" | sed 's/[ =]*$//; s/^--[a-z-]*=//' | sort -u
}
# offers LINE WORD...: each shell offers these, and nothing else
offers() {
	local line=$1 shell
	shift
	printf '%s\n' "$@" | sort -u >"$work/wanted"
	for shell in "${shells[@]}"; do
		ask "$shell" "$line" >"$work/offered"
		if diff "$work/wanted" "$work/offered" >"$work/out"; then ok "$shell: '$line'"; else not_ok "$shell: '$line'"; fi
	done
}

# ---- the tables
repo place; program 5; config; mkdir folder; echo x >file.json; commit first; git tag v1; git branch topic
offers 'flamegate rep' report
offers 'flamegate ba' baseline
offers 'flamegate baseline p' prune pull push
offers 'flamegate check --rep' --replay --report-url
offers 'flamegate check --also s' sarif svg
offers 'flamegate report --format j' json junit
offers 'flamegate report -t j' json junit
offers 'flamegate check --mechanism=p' perf posix
offers 'flamegate completion z' zsh
offers 'flamegate check --base t' topic
offers 'flamegate check -b v' v1
offers 'flamegate baseline show m' main
offers 'flamegate check --benchmark b' bench
offers 'flamegate report --from fil' file.json
"$flamegate" --help | sed -nE 's/^  ([a-z]+( [a-z]+)?)  +.*/\1/p' >"$work/commands"
while read -r command; do
	# shellcheck disable=SC2046,SC2086 # words
	offers "flamegate $command --" $("$flamegate" $command --help | sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p')
done <"$work/commands"
for shell in "${shells[@]}"; do
	ask "$shell" 'flamegate check --replay fo' | sed 's|/$||' >"$work/out"
	[ "$(cat "$work/out")" = folder ] && ok "$shell: folders where a folder is wanted" || not_ok "$shell: folders where a folder is wanted"
	ask "$shell" 'flamegate run -- git' >"$work/out"
	grep -qx git "$work/out" && ok "$shell: programs to run" || not_ok "$shell: programs to run"
done
# What is offered is taken.
for word in terminal ascii markdown html svg json sarif junit codequality metrics workflow buildkite culprit; do
	run "$flamegate" report --format "$word" --from none.json
	expect "report --format $word is taken" 2 "none.json"
done
for word in cpu wall heap lock instructions; do
	run "$flamegate" run --profile "$word" -o profile -- ./no-such-program
	[ "$status" -eq 3 ] && grep -q no-such-program "$work/out" && ok "run --profile $word is taken" || not_ok "run --profile $word is taken"
done
run "$flamegate" run --profile cpus -- true
expect "another is told what there is" 2 "--profile is cpu, wall, heap, lock or instructions, not 'cpus'"
run "$flamegate" completion tcsh
expect "there is none for another shell" 2 "bash, zsh and fish, not for 'tcsh'"
run "$flamegate" completion
expect "and none for no shell" 2 "which shell?"

# ---- hostile names
cat >.flamegate.yml <<'Y'
version: 1
build: make -s
benchmarks:
  - {name: "b$(touch ran)", command: ./bench}
  - {name: "b`touch ran`", command: ./bench}
  - {name: "b;touch ran", command: ./bench}
  - {name: "b'\"touch ran", command: ./bench}
  - {name: "b\ntouch ran", command: ./bench}
Y
run "$flamegate" completion benchmarks
expect "such names are refused" 2 "is no name for a benchmark"
git branch 'b$(touch${IFS}ran)' && git branch 'b;touch${IFS}ran' && git branch 'b`touch`'
for shell in "${shells[@]}"; do
	for line in 'flamegate check --benchmark b' 'flamegate check --benchmark=b'; do
		ask "$shell" "$line" >"$work/out"
		[ ! -s "$work/out" ] && [ ! -e ran ] && ok "$shell: nothing is offered, and nothing run: $line" || not_ok "$shell: nothing is offered, and nothing run: $line"
	done
	for line in 'flamegate check --base b' 'flamegate baseline show b'; do
		ask "$shell" "$line" >"$work/out"
		[ "$(wc -l <"$work/out")" -eq 3 ] && [ ! -e ran ] && ok "$shell: hostile branches are offered and run nothing: $line" ||
			not_ok "$shell: hostile branches are offered and run nothing: $line"
	done
done
bash --norc "$work/ask.bash" "$work/completion.bash" 'flamegate check --base b' >"$work/offered" 2>/dev/null
while read -r word; do bash -c "true $word"; done <"$work/offered"
[ "$(wc -l <"$work/offered")" -eq 3 ] && [ ! -e ran ] && ok "bash: what it completes is one quoted word" || not_ok "bash: what it completes is one quoted word"

finish
