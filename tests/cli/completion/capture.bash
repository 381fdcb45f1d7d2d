# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC1090
# capture.bash SCRIPT <LINES: for each line what the script's function offers at its end, as readline would ask it, one
# word a line and "ARGS" behind them.
source "$1"
compopt() { echo "compopt $*"; }
while IFS= read -r line; do
	read -ra words <<<"$line"
	[[ $line != *' ' ]] || words+=('')
	COMP_WORDS=()
	for word in "${words[@]}"; do
		case $word in
		--*=?*) COMP_WORDS+=("${word%%=*}" "=" "${word#*=}") ;;
		--*=) COMP_WORDS+=("${word%%=*}" "=") ;;
		*) COMP_WORDS+=("$word") ;;
		esac
	done
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	typed=${COMP_WORDS[COMP_CWORD]}
	_flamegate flamegate "${typed#=}" "${COMP_WORDS[COMP_CWORD - 1]}"
	[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
	echo ARGS
done
