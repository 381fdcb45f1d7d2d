#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The actions' scripts alone, with hostile inputs, in place of flamegate a program that keeps what it was given.
# shellcheck disable=SC2016,SC1003 # what looks like an expansion must not become one
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
actions=$(cd "$(dirname "$0")/../../actions" && pwd)

mkdir "$work/bin" "$work/temp" "$work/there"
cat >"$work/bin/flamegate" <<'F'
#!/usr/bin/env bash
name=$1
[ "$1" != baseline ] || name=$1-$2
printf '<%s>\n' "$@" >"$KEEP/words.$name"
env >"$KEEP/environment"
[ -z "${MEASURED:-}" ] || . "$MEASURED"
[ -z "${MEASURED_TOO:-}" ] || . "$MEASURED_TOO"
[ "$name" != baseline-push ] || exit "${PUSH_STATUS:-0}"
[ "$name" != baseline-prune ] || exit "${PRUNE_STATUS:-0}"
[ -n "${NO_REPORT:-}" ] || for word in "$@"; do
	case $word in --output=*) mkdir -p "${word#*=}" && printf '%s\n' "${REPORT:-{\}}" >"${word#*=}/report.json" ;; esac
done
exit "${STATUS:-0}"
F
chmod +x "$work/bin/flamegate"
touch "$work/bin/libflamegate.so" "$work/bin/libflamegate-heap.so" "$work/bin/libflamegate-clock.so"
cd "$work/there" || exit 1

# The runner's files: those of the step, and of the step around it
outputs=$work/commands/set_output_2 summary=$work/commands/step_summary_2
# action SCRIPT [WORD] VARIABLE=VALUE...: as the runner starts it, from there; by the command $user
user=
action() {
	local script=$1
	shift
	rm -rf "$work/keep" "$work/commands"
	mkdir "$work/keep" "$work/commands"
	touch "$work/commands/"{set_env,add_path,set_output,save_state,step_summary}_{1,2}
	local words=()
	while [ $# -gt 0 ] && [[ $1 != *=* ]]; do words+=("$1"); shift; done
	[ -z "$user" ] || [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$work"
	# shellcheck disable=SC2086 # one word, or none
	run $user env KEEP="$work/keep" GITHUB_ENV="$work/commands/set_env_2" GITHUB_PATH="$work/commands/add_path_2" \
		GITHUB_OUTPUT="$outputs" GITHUB_STATE="$work/commands/save_state_2" GITHUB_STEP_SUMMARY="$summary" \
		RUNNER_TEMP="$work/temp" GITHUB_RUN_ID=5 GITHUB_RUN_ATTEMPT=1 GITHUB_JOB=job GITHUB_SERVER_URL=http://server \
		FG_PROGRAM="$work/bin" FG_BASE= FG_STORE= FG_BENCHMARKS= FG_ARGS= FG_OUTPUT=flamegate-report \
		FG_WORKING_DIRECTORY=. FG_PRUNE=true FG_INSTALL=false \
		FG_RECORDINGS="$work/recordings" FG_ARTIFACT=artifact FG_COMMIT=c0ffee "$@" \
		bash "$actions/$script" "${words[@]}"
}
gate() { action gate/run.sh "$@"; }
# given WORD...: the command line, of "check" unless $command says another
given() { diff <(printf '<%s>\n' "$@") "$work/keep/words.${command:-check}"; }
has() { grep -qxF -- "$1" "$outputs"; }
nothing_ran() { [ -z "$(ls "$work/keep")" ] && [ ! -e pwned ]; }

# ---- what becomes of inputs
gate
expect "without inputs" 0
check "flamegate gets the folder alone" given check "--output=$PWD/flamegate-report"
gate FG_BASE=main FG_STORE=dir:x FG_OUTPUT=out FG_BENCHMARKS=$'one\r\n\ntwo words\n' FG_ARGS=$'--seed\n7'
check "inputs become options, one for each line, the user's own first" given check --seed 7 \
	--base=main --store=dir:x --benchmark=one "--benchmark=two words" "--output=$PWD/out"
gate FG_REPORT_URL='https://pages.example/7/report.html?a=$(touch pwned)'
check "the report's address is one word" given check '--report-url=https://pages.example/7/report.html?a=$(touch pwned)' "--output=$PWD/flamegate-report"
hostile=$'"; touch pwned #\n$(touch pwned)\n`touch pwned`\n--help\n-x\n*\n\' || touch pwned\n${IFS}\n\\\n %n'
gate FG_BENCHMARKS="$hostile" FG_BASE='--upload-pack=$(touch pwned)' FG_STORE='--help;`touch pwned`'
check "what is hostile stays one word each" given check '--base=--upload-pack=$(touch pwned)' \
	'--store=--help;`touch pwned`' '--benchmark="; touch pwned #' '--benchmark=$(touch pwned)' \
	'--benchmark=`touch pwned`' --benchmark=--help --benchmark=-x '--benchmark=*' \
	"--benchmark=' || touch pwned" '--benchmark=${IFS}' '--benchmark=\' '--benchmark= %n' "--output=$PWD/flamegate-report"
check "and runs nothing" [ ! -e pwned ]
gate FG_BASE=$'a\n::error::x'
check "a line break within a word stays there" given check $'--base=a\n::error::x' "--output=$PWD/flamegate-report"

# ---- the folder: it is also the upload's pattern and an output
for bad in $'x\nstatus=pass' $'x\r' 'x*' 'x?' 'x[a]' 'x]' 'x\y' $'x\ty'; do
	gate FG_OUTPUT="$bad"
	expect "an output folder named $(printf '%q' "$bad") is refused" 2 "the report's path"
	check "before anything runs" nothing_ran
	check "and sets no output" [ ! -s "$outputs" ]
done
gate FG_OUTPUT="-rf x"
check "one that begins with a dash is a folder" given check "--output=$PWD/-rf x"
check "and is where the report is" has "report=$PWD/-rf x"
gate FG_WORKING_DIRECTORY="-P"
expect "a working directory that is none is refused" 2 "::error title=flamegate::the working-directory '-P' is no folder"
gate FG_WORKING_DIRECTORY=$'a%\r\n::set-output name=x::y ##[error]z'
expect "and cannot write commands" 2 "'a%25%0D%0A::set-output name=x::y ## [error]z'"

# ---- the outcome
for pair in 0:pass 1:regression 2:usage 3:error 139:error; do
	gate STATUS="${pair%:*}"
	expect "the step ends with ${pair%:*}, as flamegate did" "${pair%:*}"
	check "status: ${pair#*:}" has "status=${pair#*:}"
	check "exit-status: ${pair%:*}" has "exit-status=${pair%:*}"
	check "report: the folder" has "report=$PWD/flamegate-report"
done
gate REPORT=$'{\n "kind": "check",\n "status": "neutral",\n "exit_status": 0\n}'
check "a report that has nothing to compare yet is no pass" has status=neutral
check "and no failure" has exit-status=0
gate REPORT=$'{\n "status": "pass",\n "benchmarks": [\n  {\n   "status": "neutral",\n  }\n ]\n}'
check "one new benchmark beside one that passed is a pass" has status=pass
mkdir -p flamegate-report && echo old >flamegate-report/report.json
gate STATUS=3 NO_REPORT=1
expect "without a report it is said" 3 "::error title=flamegate::flamegate ended with status 3 and no report"
check "an earlier command's report is not this one's" has "report="
check "the summary says so" grep -q "No report: it ended with status 3 (error)" "$summary"
gate STATUS=0 NO_REPORT=1
expect "the step fails, too" 3
check "a pass without a report is none" has status=error
check "but a 3" has exit-status=3
gate STATUS=1 NO_REPORT=1
expect "a regression whose report could not be written stays one" 1 "flamegate ended with status 1 and no report"
check "in the outputs as well" has status=regression

# ---- the token: for git alone, and only for the server that the repository came from
git init -q . && git remote add origin http://server/o/r
basic=$(printf 'x-access-token:t0ken' | base64)
gate FG_TOKEN=t0ken
check "git gets it as a header for that server" grep -qxF "GIT_CONFIG_KEY_0=http.http://server/.extraheader" "$work/keep/environment"
check "in the form of a checkout" grep -qxF "GIT_CONFIG_VALUE_0=AUTHORIZATION: basic $basic" "$work/keep/environment"
check "one variable" grep -qxF "GIT_CONFIG_COUNT=1" "$work/keep/environment"
gate FG_TOKEN=t0ken
expect "the header is masked in the log" 0 "::add-mask::$basic"
if grep -q "t0ken" "$work/keep/environment"; then not_ok "the plain token goes no further"; else ok "the plain token goes no further"; fi
gate FG_TOKEN=t0ken GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c
check "after what is configured that way already" grep -qxF "GIT_CONFIG_KEY_1=http.http://server/.extraheader" "$work/keep/environment"
check "which stays" grep -qxF "GIT_CONFIG_KEY_0=a.b" "$work/keep/environment"
# shellcheck disable=SC2046 # words
gate FG_TOKEN=t0ken GIT_CONFIG_COUNT=08 $(printf "GIT_CONFIG_KEY_%s=a.b GIT_CONFIG_VALUE_%s=c " 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7)
check "however it is counted" grep -qxF "GIT_CONFIG_COUNT=9" "$work/keep/environment"
gate FG_TOKEN=t0ken GIT_CONFIG_COUNT='0]=$(touch pwned)'
expect "a count that is none is not evaluated" 2 "GIT_CONFIG_COUNT is no number"
check "and nothing ran" nothing_ran
no_header() { [ -s "$work/keep/environment" ] && ! grep -q "extraheader\|$basic\|t0ken" "$work/keep/environment"; }
gate FG_TOKEN=
check "no token, no header" no_header
for other in http://server.evil/o/r git@server:o/r http://evil/http://server/ http://serve; do
	git remote set-url origin "$other"
	gate FG_TOKEN=t0ken
	check "nothing for $other" no_header
done
git remote set-url origin http://server/o/r
git config http.http://server/.extraheader "AUTHORIZATION: basic Y2hlY2tvdXQ="
gate FG_TOKEN=t0ken
expect "a checkout's own credentials are warned of" 0 "::warning title=flamegate::the checkout has left its credentials on the disk"
check "and are not doubled" no_header
action record/run.sh
expect "the record action refuses to run the project's code beside them" 2 "persist-credentials: false"
check "and runs nothing" nothing_ran
git config --unset http.http://server/.extraheader
git config core.sshCommand "ssh -i key"
action record/run.sh
expect "a key for ssh is as bad" 2 "persist-credentials: false"
git config --unset core.sshCommand
for name in GITHUB_TOKEN GH_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN; do
	for script in gate record; do
		action $script/run.sh "$name=t0ken"
		expect "$script: $name in the whole job is warned of" 0 "::warning title=flamegate::$name is in the environment"
	done
done
gate
check "otherwise nothing is warned of" [ "$(grep -c warning "$work/out")" = 0 ]

# ---- what is above flamegate while it runs: no token in any environment, and all of its own in flamegate's
above='pid=$PPID; while [ "$pid" != '$$' ]; do tr "\0" "\n" <"/proc/$pid/environ"; pid=$(cut -d " " -f 4 "/proc/$pid/stat"); done >"$KEEP/above"'
printf '%s\n' "$above" >"$work/look-above"
secrets=(FG_TOKEN=t0ken FLAMEGATE_TOKEN=t0ken GITHUB_TOKEN=t0ken 'MINE=t0ken and more' $'LINES_OF=a\nt0ken')
for script in gate record; do
	action $script/run.sh MEASURED="$work/look-above" "${secrets[@]}"
	expect "$script: looked above" 0
	check "there is a shell" grep -q '^FG_PROGRAM=' "$work/keep/above"
	if grep t0ken "$work/keep/above" >"$work/out"; then not_ok "and no token with it"; else ok "and no token with it"; fi
	check "flamegate has the user's variables" grep -qx "MINE=t0ken and more" "$work/keep/environment"
	check "those with several lines as well" grep -qx "LINES_OF=a" "$work/keep/environment"
	check "and the store's credentials" grep -qx "FLAMEGATE_TOKEN=t0ken" "$work/keep/environment"
	check "but not where the runner's files are" sh -c "! grep -E '^GITHUB_(ENV|OUTPUT|PATH|STEP_SUMMARY)=' '$work/keep/environment'"
done
mkdir -p sub
gate FG_WORKING_DIRECTORY=sub
check "the folder is entered once" given check "--output=$PWD/sub/flamegate-report"
large=$(printf '%0100000d' 0)
gate LARGE="$large"
check "an environment larger than a pipe goes through" grep -q "^LARGE=0000" "$work/keep/environment"

# ---- what measured code has written for the runner: removed, ours stays
commands=$work/commands
cat >"$work/poison" <<P
for file in "$commands"/*; do echo 'BASH_ENV=/evil' >>"\$file"; done
echo exit-status=0 >>"$outputs"
ln -sf "$work/evil" "$commands/set_env_1"; rm "$commands/add_path_2"; mkfifo "$commands/add_path_2"
rm "$commands/save_state_1"; mkdir "$commands/save_state_1"
echo kept >"$commands/step_summary_0-scrubbed"
P
echo 'BASH_ENV=/evil' >"$work/evil"
for script in gate record; do
	action $script/run.sh MEASURED="$work/poison" STATUS=1
	expect "$script: ends with its status all the same" 1
	check "no variable, PATH, state or summary of measured code's is left" \
		test -z "$(find "$commands" -name '*_[12]' ! -name 'set_output_2' \( -size +0 -o ! -type f \))"
	check "outputs are ours" sh -c "! grep -q BASH_ENV '$outputs' && grep -qx exit-status=1 '$outputs'"
	check "and said once" test "$(grep -c ^exit-status= "$outputs")" = 1
	check "what the link led to is not ours to change" grep -q evil "$work/evil"
	check "another step's summary that waits to be sent stays" grep -q kept "$commands/step_summary_0-scrubbed"
done
printf 'for word; do case $word in --output=*) echo "# ours" >"${word#*=}/report.md" ;; esac; done\n' >"$work/report"
mkdir -p flamegate-report
gate MEASURED="$work/report"
check "the summary is the report" [ "$(cat "$summary")" = "# ours" ]
gate MEASURED="$work/report" STATUS=137
check "but not of a flamegate that was killed" [ ! -s "$summary" ]

# ---- measured code that prepares its files for ours: one that is empty may be another one's second name
cat >"$work/prepare" <<P
ln -f "$summary" "$commands/set_env_2"; ln -f "$outputs" "$commands/add_path_1"; chmod 0 "$commands"/save_state_*
P
gate MEASURED="$work/report" "MEASURED_TOO=$work/prepare"
expect "files that measured code has linked to each other" 0
check "what we write into one stands in no other" [ "$(cat "$summary")" = "# ours" ]
check "not in the variables of later steps" [ ! -s "$commands/set_env_2" ]
check "nor in their PATH" [ ! -s "$commands/add_path_1" ]
check "and who may not read a file of theirs may again" [ -z "$(find "$commands" ! -perm -u+rw)" ]

# ---- and closes what holds them: to a user, as root can write all the same
cat >"$work/close" <<P
for file in "$commands"/*; do echo 'BASH_ENV=/evil' >>"\$file"; done
rm "$commands/save_state_1"; mkdir -p "$commands/save_state_1/x"; touch "$commands/save_state_1/x/y"
chmod 0 "$commands/save_state_1/x"
chmod 555 "$commands"
P
cp -r "$actions" "$work/others"; chmod 755 "$work"
as_user() { "$@"; }
[ "$(id -u)" -ne 0 ] || as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
rm -rf flamegate-report
original=$actions actions=$work/others
for script in gate record; do
	user=as_user action $script/run.sh MEASURED="$work/close" STATUS=1
	expect "$script: in a folder that measured code has closed" 1
	check "nothing of measured code's is left" \
		test -z "$(find "$commands" -maxdepth 1 -name '*_[12]' ! -name 'set_output_2' \( -size +0 -o ! -type f \))"
	check "and our outputs are there" has exit-status=1
	chmod -R u+rwx "$commands"
done
# another_users COMMAND...: the folder of the runner's files is another user's, they are ours
another_users() { chown "$(id -u)" "$commands" && as_user "$@"; }
cat >"$work/poison_files" <<P
for file in "$commands"/*; do echo 'BASH_ENV=/evil' >>"\$file"; done
P
if [ "$(id -u)" -eq 0 ]; then
	user=another_users action gate/run.sh MEASURED="$work/poison_files" STATUS=1
	expect "in a folder of another user's" 1
	check "files are emptied" \
		test -z "$(find "$commands" -name '*_[12]' ! -name 'set_output_2' -size +0)"
	check "and ours written" test "$(grep -c . "$outputs")" = 3
else
	skip "only root can give a folder to another user"
fi
actions=$original
chown -R "$(id -u):$(id -g)" "$work"

# ---- a report that is not flamegate's
printf 'for word; do case $word in --output=*) mv "${word#*=}" "$KEEP/elsewhere"; ln -s "$KEEP/elsewhere" "${word#*=}"; echo "# theirs" >"$KEEP/elsewhere/report.md"; echo {} >"$KEEP/elsewhere/report.json" ;; esac; done\n' >"$work/link"
mkdir -p flamegate-report
gate MEASURED="$work/link" STATUS=1 NO_REPORT=1
check "a folder that has become a link holds no report" has report=
check "and gives no summary" sh -c "! grep -q theirs '$summary'"
check "which tells how flamegate ended" grep -qx 'No report: it ended with status 1 (regression). The log tells why.' "$summary"
rm -f flamegate-report

# ---- the action's own scripts: bash reads a script as it goes, so they may change under it
cp -r "$actions" "$work/copy"
cat >"$work/rewrite" <<'P'
for file in "$COPY"/*.sh "$COPY"/*/run.sh; do { printf '\n%.0s' $(seq 1 6000); echo "exit 0"; } >"$file"; done
P
original=$actions
for script in gate record; do
	actions=$work/copy
	action $script/run.sh MEASURED="$work/rewrite" COPY="$work/copy" STATUS=1
	expect "$script: a script that is rewritten under bash changes no status" 1
	check "nor an output" has exit-status=1
	actions=$original
	rm -rf "$work/copy" && cp -r "$actions" "$work/copy"
done

# ---- record
record() { action record/run.sh "$@"; }
record FG_BENCHMARKS=$'a\n--help' FG_ARGS=--rounds=3 FG_TOKEN=t0ken
command=record
check "record measures" given record --rounds=3 --benchmark=a --benchmark=--help "--output=$PWD/flamegate-record"
check "with the status 'recorded'" has status=recorded
check "and without the token" no_header
for event in pull_request pull_request_target pull_request_review; do
	record GITHUB_EVENT_NAME=$event
	expect "$event: not recorded" 2 "recorded by the default branch's own runs, not by a $event"
	check "$event: nothing ran" nothing_ran
done

# ---- publish
publish() { action publish/run.sh "$@"; }
publish FG_TOKEN=t0ken
expect "without recordings nothing is published" 3 "did the record action upload the artifact 'artifact'?"
check "and nothing ran" nothing_ran
mkdir -p "$work/recordings/recordings"
publish FG_STORE='--help $(touch pwned)' FG_TOKEN=t0ken
expect "publish succeeds" 0
command=baseline-push
check "what was recorded, of that commit alone" \
	given baseline push '--store=--help $(touch pwned)' --commit=c0ffee "$work/recordings"
command=baseline-prune
check "and prunes where it is worth it" given baseline prune --if-needed '--store=--help $(touch pwned)'
check "with the token" grep -q "basic $basic" "$work/keep/environment"
publish FG_PRUNE=false
check "unless it is told not to" [ ! -e "$work/keep/words.baseline-prune" ]
publish PRUNE_STATUS=2
expect "a store that is not pruned is only a warning" 0 "::warning title=flamegate::the store was not pruned (status 2)"
publish PUSH_STATUS=3
expect "a push that fails fails the step" 3 "were not pushed (status 3)"
check "and prunes nothing" [ ! -e "$work/keep/words.baseline-prune" ]
for event in pull_request pull_request_target pull_request_review; do
	publish GITHUB_EVENT_NAME=$event
	expect "$event: not published" 2 "not by a $event"
	check "$event: nothing ran" nothing_ran
done

# ---- the plan
action build.sh plan FG_CACHE=yes
expect "true and false are the only answers" 2 "the input cache is true or false, not 'yes'"
for name in UPLOAD INSTALL PRUNE; do
	action build.sh plan "FG_$name=\$(touch pwned)"
	expect "for ${name,,}, too" 2 "true or false"
done
action build.sh plan FG_CACHE=true
expect "a plan" 0
check "keeps flamegate outside the workspace" has "program=$work/temp/flamegate/bin"
check "and what publish downloads" has "recordings=$work/temp/flamegate/recordings"
check "and builds where FLAMEGATE_CACHE says" has "builds=$FLAMEGATE_CACHE"
action build.sh plan FLAMEGATE_CACHE=$'/x\nprogram=/evil'
expect "one with a line break would be another output" 2 "more than one line"
check "and is none" [ "$(grep -c ^program= "$outputs")" -le 1 ]
action build.sh plan FG_CACHE=true
check "a new key for each run" grep -qE "^builds-key=flamegate-builds-[0-9a-f]{16}-[0-9a-f]{16}-5-1-job-0$" "$outputs"
prefix=$(sed -n 's/^builds-prefix=//p' "$outputs")
check "found by its beginning" grep -q "^builds-key=${prefix:?}5" "$outputs"
key=$(sed -n 's/^program-key=//p' "$outputs")
action build.sh plan FG_CACHE=true
check "the same sources have the same key" has "program-key=$key"

action build.sh plan OSTYPE=darwin23
expect "another system than Linux is named" 3 "flamegate measures on Linux only, not on darwin23"

# ---- flamegate itself
action build.sh build
expect "one that starts is not built again" 0
if grep -q CC "$work/out"; then not_ok "nothing is compiled"; else ok "nothing is compiled"; fi

finish
