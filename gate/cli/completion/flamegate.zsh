#compdef flamegate
# SPDX-License-Identifier: Apache-2.0
# Completions of flamegate for zsh, as `flamegate completion zsh` prints them: all but the first two functions is made from
# flamegate's own tables. Names that come from the project are given to compadd, which quotes them; nothing is evaluated.

# _flamegate_ask KIND: names that the project has
_flamegate_ask() {
	local expl
	local -a names
	names=("${(@f)$(command flamegate completion --list $1 -- "${(@Q)words[2,CURRENT-1]}" </dev/null 2>/dev/null)}")
	names=(${names:#})
	_wanted $1 expl $1 compadd -a names
}

_flamegate() {
	local curcontext=$curcontext state line ret=1
	local -a names
	typeset -A opt_args
	_arguments -C '(- *)'{-h,--help}'[the commands]' '(- *)--version[which flamegate this is]' \
		'1: :->name' '*:: :->rest' && ret=0
	case $state in
	(name)
		_flamegate_names
		_describe -t commands command names -- '(help:"how a command is used")' && ret=0
		;;
	(rest)
		# "help baseline push" is completed like "baseline push"
		local help=
		if [[ $words[1] == help ]]; then
			help=1
			shift words
			((CURRENT--))
		fi
		if ((CURRENT == 1)); then
			_flamegate_names
			_describe -t commands command names && ret=0
		elif _flamegate_names $words[1] && [[ -n $words[1] ]]; then
			if ((CURRENT == 2)); then
				_describe -t commands verb names && ret=0
			elif [[ -z $help ]]; then
				words[1,2]="$words[1] $words[2]"
				((CURRENT--))
				_flamegate_command $words[1] && ret=0
			fi
		elif [[ -z $help ]]; then
			_flamegate_command $words[1] && ret=0
		fi
		;;
	esac
	return ret
}
