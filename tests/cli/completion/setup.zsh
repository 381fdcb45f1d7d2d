# SPDX-License-Identifier: Apache-2.0
# Read by an interactive zsh -f: what compadd is given goes to $CAPTURE, one word a line.
PS1='READY> '
setopt no_auto_menu no_auto_list no_list_beep
unsetopt zle_bracketed_paste
fpath=($COMPLETIONS $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
	# What only fills an array offers nothing.
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	local -a given
	builtin compadd -A given "$@"
	(($#given)) && print -rl -- $given >>$CAPTURE
	builtin compadd "$@"
}
