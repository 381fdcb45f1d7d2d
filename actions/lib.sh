#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of the actions. Source it, and end with `main "$@"; exit "$status"` on one line: what bash
# would read of a script after flamegate has returned may have been rewritten meanwhile (README.md). Until the
# step's end only builtins and programs with an absolute path are used then.
#
# Inputs arrive as variables FG_*: they are data, never evaluated, and become "--option=value" words of
# flamegate's command line, so that none of them can be taken for another option.
set -euo pipefail

# annotate KIND TEXT: an error or a warning on the run's page. "##[" begins a command wherever it stands.
annotate() {
	local text=${2//'##['/'## ['}
	text=${text//'%'/%25}
	text=${text//$'\r'/%0D}
	printf '::%s title=flamegate::%s\n' "$1" "${text//$'\n'/%0A}"
}
# fail STATUS TEXT: with flamegate's own exit statuses: 2 usage or configuration, 3 could not measure
fail() {
	annotate error "$2"
	exit "$1"
}

# output NAME VALUE: of the step. A line break would begin another output.
output() {
	case $2 in *[$'\n\r']*) fail 2 "the output $1 would have more than one line" ;; esac
	printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# require_boolean NAME VALUE
require_boolean() {
	case $2 in true | false) ;; *) fail 2 "the input $1 is true or false, not '$2'" ;; esac
}

# add_option OPTION VALUE: to $options, unless the value is empty
options=()
add_option() {
	[ -z "$2" ] || options+=("--$1=$2")
}
# add_lines PREFIX TEXT: each line that is not empty as one word of $options
add_lines() {
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		line=${line%$'\r'}
		[ -z "$line" ] || options+=("$1$line")
	done <<<"$2"
}

# enter FOLDER: where the repository is
enter() {
	cd -- "$1" || fail 2 "the working-directory '$1' is no folder"
}

# report_in FOLDER: its path in $folder. Refuses what the upload would take for a pattern or a list; what
# an earlier command reported there is not this one's.
report_in() {
	case $1 in /*) folder=$1 ;; *) folder=$PWD/$1 ;; esac
	[[ ! $folder =~ [][*?\\[:cntrl:]] ]] ||
		fail 2 "the report's path must hold none of * ? [ ] \\ and no control character: '$folder'"
	rm -f -- "$folder/report.json"
}

# For one command: lets git, and nothing else, use the token for the server that the repository came from.
# It goes by the environment, which flamegate hands to git but not to builds and benchmarks. Credentials
# that the checkout has left are used instead: a server refuses two of them.
lend_token() {
	local token=$1 server=${GITHUB_SERVER_URL:-https://github.com} count=${GIT_CONFIG_COUNT:-0} url encoded
	[ -n "$token" ] || return 0
	[[ $count =~ ^[0-9]{1,4}$ ]] || fail 2 "GIT_CONFIG_COUNT is no number: '$count'"
	count=$((10#$count)) # "010" is ten
	url=$(git remote get-url origin 2>/dev/null) || return 0
	case $url in "$server"/*) ;; *) return 0 ;; esac
	! git config --get-urlmatch http.extraheader "$url" >/dev/null || return 0
	encoded=$(printf 'x-access-token:%s' "$token" | base64 | tr -d '\n')
	echo "::add-mask::$encoded"
	export GIT_CONFIG_COUNT=$((count + 1))
	export "GIT_CONFIG_KEY_$count=http.$server/.extraheader"
	export "GIT_CONFIG_VALUE_$count=AUTHORIZATION: basic $encoded"
}

# no_pull_request WHAT: flamegate refuses it, too; but not before the project has been measured for minutes.
no_pull_request() {
	case ${GITHUB_EVENT_NAME:-} in
	pull_request*) fail 2 "baselines are $1 by the default branch's own runs, not by a $GITHUB_EVENT_NAME: use the gate action there" ;;
	esac
}

# credentials_on_disk: whether the checkout has left any for git
credentials_on_disk() {
	local url
	url=$(git remote get-url origin 2>/dev/null) || return 1
	git config --get-urlmatch http.extraheader "$url" >/dev/null 2>&1 || git config core.sshCommand >/dev/null
}
# Measured code is kept from them, but not all that a job runs is (README.md).
warn_of_tokens() {
	local name
	for name in GITHUB_TOKEN GH_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN; do
		[ -z "${!name:-}" ] ||
			annotate warning "$name is in the environment of a job that runs the project's code: give it to the steps that need it"
	done
}

# Each process of the same user can read the environment of this shell, which waits while the project's code runs. So
# the shell starts anew with these variables alone; the rest, tokens among it, goes into a pipe that the shell does
# not read: flamegate's own start empties it. FG_ENVIRONMENT is its number, and set from then on.
kept_variables=(PATH LC_ALL RUNNER_TEMP GITHUB_EVENT_NAME GITHUB_SERVER_URL
	GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY)
hide_environment() {
	local name kept=()
	exec {FG_ENVIRONMENT}< <(env -0)
	for name in "${kept_variables[@]}" "${!FG_@}"; do
		[ "$name" = FG_TOKEN ] || [ -z "${!name+set}" ] || kept+=("$name=${!name}")
	done
	exec env -i "${kept[@]}" "$BASH" -p "$0"
}
# Undoes that, in the copy of the shell that becomes flamegate. Bash's own variables and functions stay behind.
restore_environment() {
	local entry
	[ -n "${FG_ENVIRONMENT:-}" ] || return 0
	while IFS= read -r -d '' entry; do
		[[ $entry =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || continue
		case $entry in BASH* | SHELLOPTS=* | UID=* | EUID=* | PPID=* | PWD=* | OLDPWD=* | FG_ENVIRONMENT=*) continue ;; esac
		export "${entry?}"
	done <&"$FG_ENVIRONMENT"
	exec {FG_ENVIRONMENT}<&-
	unset FG_ENVIRONMENT
}

# flamegate_with TOKEN WORD...: its exit status in $status; its output goes to the runner as it is. TOKEN: the name of
# the variable with git's token, or nothing.
flamegate_with() {
	local variable=$1
	shift
	status=0
	(
		restore_environment
		[ -z "$variable" ] || lend_token "${!variable:-}"
		unset FG_TOKEN GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY
		exec "$FG_PROGRAM/flamegate" "$@" </dev/null
	) || status=$?
}

# What measured code has written for the runner does not count: variables and PATH of later steps, outputs, summaries,
# of this step and of the steps around it, whose files lie in the same folder. Each is replaced by a new one, also if it
# looks empty: it may have become a link, a pipe, or another one's second name. Other steps' summaries that wait to be
# sent ("-scrubbed") stay.
sweep() {
	local file files=${GITHUB_ENV:-} left=
	# Measured code may have closed the folder to us, who own it.
	[ -z "$files" ] || [ -w "${files%/*}" ] || /bin/chmod u+rwx -- "${files%/*}" || true
	for file in "$files" "${GITHUB_PATH:-}" "${GITHUB_OUTPUT:-}" "${GITHUB_STATE:-}" "${GITHUB_STEP_SUMMARY:-}" \
		"${files%/*}"/{set_env,add_path,set_output,save_state,step_summary}_*; do
		case $file in '' | *-scrubbed) continue ;; esac
		[ -L "$file" ] || [ -e "$file" ] || continue
		renew "$file" || left=$file
	done
	[ -z "$left" ] || fail 3 "measured code has made '$left' such that it cannot be replaced"
}
# renew FILE: what cannot be removed, such as a folder that is closed, is put aside. In another user's folder nobody of
# ours can have replaced it.
renew() {
	if [ -w "${1%/*}" ]; then
		/bin/rm -rf -- "$1" 2>/dev/null || /bin/mv -T -- "$1" "$1.$RANDOM$RANDOM" || return
		(set -C && : >"$1")
	else
		: >"$1"
	fi
}

# add_summary TEXT: to the run's page
add_summary() { printf '%s\n\n' "$1" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"; }

# write_outcome WORD_FOR_0: $status, and the report in $folder if there is one, as outputs of the step
write_outcome() {
	local word=error ended=$status report=
	# flamegate makes a folder, and refuses a link.
	[ -L "$folder" ] || [ ! -f "$folder/report.json" ] || report=$folder
	# No report, no pass: an option like --help ends well, too. A regression stays one on a full disk.
	[ -n "$report" ] || [ "$status" -ne 0 ] || status=3
	case $status in 0) word=$1 ;; 1) word=regression ;; 2) word=usage ;; esac
	# A report's own lines begin with one space; what others named stands deeper, and has no line break.
	if [ "$word" = pass ] && [[ $(<"$report/report.json") == *$'\n "status": "neutral",\n'* ]]; then word=neutral; fi
	output status "$word"
	output exit-status "$status"
	output report "$report"
	if [ -z "$report" ]; then
		annotate error "flamegate ended with status $ended and no report: see the step's log"
		add_summary "### flamegate"$'\n\n'"No report: it ended with status $ended ($word). The log tells why."
	# Killed, it cannot have written that report to the end.
	elif [ "$status" -le 3 ] && [ -f "$report/report.md" ] && [ ! -L "$report/report.md" ]; then
		add_summary "$(<"$report/report.md")"
	fi
}
