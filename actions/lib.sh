#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of both actions. Source it.
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

# flamegate_with TOKEN WORD...: its exit status in $status; its output goes to the runner as it is
flamegate_with() {
	local token=$1
	shift
	status=0
	(
		lend_token "$token"
		unset FG_TOKEN token
		exec "$FG_PROGRAM/flamegate" "$@" </dev/null
	) || status=$?
}

# write_outcome WORD_FOR_0: $status, and the report in $folder if there is one, as outputs of the step
write_outcome() {
	local word=error report=
	[ ! -f "$folder/report.json" ] || report=$folder
	# No report, no verdict: an option like --help ends well, too.
	[ -n "$report" ] || [ "$status" -ge 2 ] || status=3
	case $status in 0) word=$1 ;; 1) word=regression ;; 2) word=usage ;; esac
	output status "$word"
	output exit-status "$status"
	output report "$report"
	if [ -z "$report" ]; then
		annotate error "flamegate ended with status $status and no report: see the step's log"
		printf '### flamegate\n\nNo report: it ended with status %s (%s). The log tells why.\n' \
			"$status" "$word" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
	fi
}
