# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Completions of flamegate for bash, as `flamegate completion bash` prints them: the table at the end is made from
# flamegate's own. Names that come from the project are inserted as words and never expanded: no compgen -W, no eval.

# _flamegate_offer PREFIX WORD...: those that begin with what was typed
_flamegate_offer() {
	local prefix=$1 word
	shift
	for word; do
		[[ $word != "$cur"* ]] || COMPREPLY+=("$prefix$word")
	done
}

# _flamegate_ask PREFIX KIND: names that the project has
_flamegate_ask() {
	local prefix=$1 name
	local -a names
	mapfile -t names < <(command flamegate completion --list "$2" -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" </dev/null 2>/dev/null)
	for name in "${names[@]}"; do
		[[ -n $name && $name == "$cur"* ]] || continue
		printf -v name %q "$name"
		COMPREPLY+=("$prefix$name")
	done
}

# _flamegate_value PREFIX KIND WORD...: what stands where an argument is wanted; files are readline's business
_flamegate_value() {
	local prefix=$1 kind=$2
	shift 2
	case $kind in
	words) _flamegate_offer "$prefix" "$@" ;;
	benchmarks | revisions) _flamegate_ask "$prefix" "$kind" ;;
	file) compopt -o default 2>/dev/null ;;
	folder) compopt -o dirnames -o nospace 2>/dev/null ;;
	esac
}

# _flamegate_find COMMAND NAME: sets names, kind and choices of an option, or of the operands
_flamegate_find() {
	local command
	while IFS='|' read -r command names kind choices; do
		[[ $command == "$1" && " $names " == *" $2 "* ]] && return
	done <<<"$_flamegate_table"
	names='' kind='' choices=''
	return 1
}

# _flamegate_names PREFIX: what the table's commands have at the next word: commands, or verbs behind "baseline "
_flamegate_names() {
	local command rest last=''
	while IFS='|' read -r command rest; do
		[[ -n $command && $command == "$1"* ]] || continue
		command=${command#"$1"}
		command=${command%% *}
		[[ $command == "$last" ]] || _flamegate_offer '' "$command"
		last=$command
	done <<<"$_flamegate_table"
}

_flamegate_options() {
	local command names name
	while IFS='|' read -r command names _; do
		[[ $command == "$1" ]] || continue
		for name in $names; do
			[[ $name != -* ]] || _flamegate_offer '' "$name"
		done
	done <<<"$_flamegate_table"
}

# _flamegate_foreign INDEX: the rest of the line, from there, is another command's
_flamegate_foreign() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)) && [[ $cur != */* ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		compopt -o default 2>/dev/null
	fi
}

# readline's: $2 is what was typed of the word
_flamegate() {
	local cur=$2 word command='' pending='' ended='' operands=0 i names='' kind='' choices=''
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ -z $command || $command == *' ' ]]; then
			# A word that only begins commands waits for its verb.
			command+=$word
			[[ $_flamegate_table != *$'\n'"${command#help } "* && $command != help ]] || command+=' '
		elif [[ $word == = ]]; then
			: # bash parts --option=value there
		elif [[ -n $pending ]]; then
			pending=''
		elif [[ -z $ended && $word == -- ]]; then
			ended=1
		elif [[ -z $ended && $word == -?* ]]; then
			[[ $word == --*=* ]] || ! _flamegate_find "$command" "$word" || pending=$kind
			[[ -z $pending ]] || pending+=" $choices"
		else
			_flamegate_find "$command" operand
			if [[ $kind == command ]]; then
				_flamegate_foreign "$i"
				return
			fi
			((operands += 1))
		fi
	done
	if [[ -z $command ]]; then
		_flamegate_names ''
		_flamegate_offer '' help --help -h --version
	elif [[ $command == *' ' ]]; then
		_flamegate_names "${command#help }"
		[[ $command == help* ]] || _flamegate_offer '' help --help -h
	elif [[ -n $pending ]]; then
		# shellcheck disable=SC2086 # words of the table
		_flamegate_value '' $pending
	elif [[ -z $ended && $cur == --*=* ]] && _flamegate_find "$command" "${cur%%=*}"; then
		word=${cur%%=*}=
		cur=${cur#*=}
		# shellcheck disable=SC2086
		_flamegate_value "$word" $kind $choices
	elif [[ -z $ended && $cur == -* ]]; then
		_flamegate_options "$command"
	elif _flamegate_find "$command" operand && [[ $kind == command ]]; then
		_flamegate_foreign "$COMP_CWORD"
	elif [[ $kind == none ]]; then
		[[ -n $ended || -n $cur ]] || _flamegate_options "$command"
	elif [[ -n $kind ]] && ((operands < ${names#operand })); then
		# shellcheck disable=SC2086
		_flamegate_value '' $kind $choices
	fi
}
complete -F _flamegate flamegate
