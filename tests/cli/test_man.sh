#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The man pages say what the option tables, the list of commands and the configuration's schema say, no less
# and no more.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
pages=$root/gate/cli/man

# plain: scdoc's source without its marks
plain() { sed 's/[*_\\]//g'; }
# same NAME: $work/page and $work/tool hold the same lines
same() {
	if [ -s "$work/tool" ] && diff "$work/tool" "$work/page" >"$work/out"; then ok "$1"; else not_ok "$1"; fi
}
# options_of COMMAND...: the heads of its options, as --help shows them
options_of() { "$flamegate" "$@" --help | sed -nE 's/^ +(-.*)/\1/p' | sed -E 's/  +.*//' | sort; }
# section FILE TITLE: what stands there under "# TITLE"
section() { awk -v title="# $2" '/^# / { on = ($0 == title); next } on' "$pages/$1"; }
heads() { grep '^\*-' | plain | sort; }
usage_of() { "$flamegate" "$@" --help | sed -n 's/^usage: //p' | sed 's/ *$//'; }

# ---- commands
"$flamegate" --help | sed -nE 's/^  ([a-z]+( [a-z]+)?)  +(.*)/\1|\3/p' >"$work/commands"
section flamegate.1.scd COMMANDS | awk '/^\*/ { head = $0; next } /^\t/ && head { sub(/^\t/, ""); print head "|" $0; head = "" }' |
	plain | sed 's/, see flamegate-.*//' >"$work/page"
cp "$work/commands" "$work/tool"
same "flamegate(1) lists the commands, each with its own words"
while IFS='|' read -r command summary; do
	file=flamegate-${command%% *}.1.scd
	if [ ! -e "$pages/$file" ]; then
		not_ok "$command has a page"
		continue
	fi
	# shellcheck disable=SC2086 # "baseline push" is two words
	usage_of $command >"$work/usage"
	section "$file" SYNOPSIS | plain >"$work/out"
	grep -qxF -f "$work/usage" "$work/out" && ok "$command: the synopsis is the usage" || not_ok "$command: the synopsis is the usage"
	case $command in
	*' '*) section "$file" "$(printf '%s' "${command#* }" | tr '[:lower:]' '[:upper:]')" | heads >"$work/page" ;;
	*)
		section "$file" NAME | grep -v '^$' >"$work/page"
		printf 'flamegate-%s - %s\n' "$command" "$summary" >"$work/tool"
		same "$command: the page's name says what the overview says"
		section "$file" OPTIONS | heads >"$work/page"
		;;
	esac
	# shellcheck disable=SC2086
	options_of $command >"$work/tool"
	same "$command: the page has the options that there are, spelled alike"
done <"$work/commands"
(cd "$pages" && ls -- *.1.scd) | sed 's/\.1\.scd$//' | sort >"$work/page"
{ echo flamegate; sed 's/|.*//; s/ .*//; s/^/flamegate-/' "$work/commands" | sort -u; } | sort >"$work/tool"
same "every page is one of a command that exists"
grep -c '^\*-' "$pages/flamegate-baseline.1.scd" >"$work/page"
sed -n 's/|.*//; /^baseline /p' "$work/commands" | while read -r first verb; do options_of "$first" "$verb"; done | wc -l >"$work/tool"
same "the verbs' page has no options elsewhere"


# ---- help: every way to ask for it is answered on standard output
# answers NAME WORD... -- WORD...: both command lines print the same usage to standard output alone, and exit with 0
answers() {
	local name=$1 first=()
	shift
	while [ "$1" != -- ]; do first+=("$1"); shift; done
	shift
	if "$flamegate" "${first[@]}" >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] && grep -q '^usage: flamegate' "$work/out" &&
		"$flamegate" "$@" >"$work/page" 2>&1 && cmp -s "$work/out" "$work/page"; then
		ok "$name"
	else
		not_ok "$name"
	fi
}
answers "help is --help" help -- --help
answers "and -h" -h -- --help
answers "help on help is help" help help -- --help
while IFS='|' read -r command _; do
	# shellcheck disable=SC2086 # "baseline push" is two words
	answers "help $command is $command --help" help $command -- $command --help
done <"$work/commands"
sed -n 's/ .*//p' <<<"$(cut -d'|' -f1 "$work/commands")" | sort -u >"$work/groups"
while read -r group; do
	answers "help $group is $group --help" help "$group" -- "$group" --help
	answers "and $group help" "$group" help -- "$group" -h
	verb=$(sed -n "s/^$group \([a-z]*\)|.*/\1/p" "$work/commands" | head -n 1)
	answers "$group help $verb is $group $verb --help" "$group" help "$verb" -- "$group" "$verb" --help
	"$flamegate" help "$group" | sed -nE "s/^  ($group [a-z]+)  +(.*)/\\1|\\2/p" >"$work/page"
	grep "^$group " "$work/commands" >"$work/tool"
	same "it lists the commands that begin with $group"
	run "$flamegate" "$group"
	expect "$group alone is no command" 2 "usage: flamegate $group VERB"
	run "$flamegate" "$group" no-such-verb
	expect "$group has no other verb" 2 "unknown command 'no-such-verb'" "usage: flamegate $group VERB"
done <"$work/groups"
[ -s "$work/groups" ] && ok "there are commands of two words" || not_ok "there are commands of two words"
run "$flamegate" help no-such-command
expect "help on nothing is a usage error" 2 "unknown command 'no-such-command'"
run "$flamegate" help check no-such-word
expect "and so is a word too many" 2 "unknown command 'no-such-word'"
run "$flamegate" baseline help push no-such-word
expect "also behind a verb" 2 "unknown command 'no-such-word'"

# ---- the configuration
"$build/tests/cli/config_keys" >"$work/keys"
cut -d'|' -f1 "$work/keys" >"$work/tool"
section flamegate.yml.5.scd KEYS | sed -n 's/^\*\(.*\)\*$/\1/p' >"$work/page"
same "flamegate.yml(5) has every key of the schema, in its order, and no other"
section flamegate.yml.5.scd KEYS | sed 's/\\//g' | awk '
	/^\*/ { if (key) print key "|" text; key = $0; gsub(/\*/, "", key); text = ""; next }
	NF { sub(/^\t/, ""); text = text " " $0 }
	END { print key "|" text }' >"$work/entries"
bad=
while IFS='|' read -r key kind value; do
	entry=$(awk -v key="$key|" 'index($0, key) == 1' "$work/entries")
	case $kind in
	required) case $entry in *" Required"*) ;; *) bad="$bad $key" ;; esac ;;
	default) case $entry in *" Default: $value"[.,]* | *" Default: $value") ;; *) bad="$bad $key" ;; esac ;;
	*) case $entry in *" Default: "*) bad="$bad $key" ;; esac ;;
	esac
done <"$work/keys"
echo "$bad" >"$work/out"
[ -z "$bad" ] && ok "the defaults are those of the schema" || not_ok "the defaults are those of the schema"
awk '/^```/ { on = !on; next } on' "$pages/flamegate.yml.5.scd" >"$work/example.yml"
repo example; cp "$work/example.yml" .flamegate.yml; commit example
run "$flamegate" check --base HEAD --benchmark no-such-benchmark
expect "the example is a configuration" 2 "no-such-benchmark"

# ---- the rendered pages
for page in "$build"/man/*.[15]; do
	name=${page##*/}
	groff -man -ww -z -Tutf8 "$page" >"$work/out" 2>&1
	[ -s "$work/out" ] && not_ok "$name: groff has nothing to say" || ok "$name: groff has nothing to say"
	if command -v mandoc >/dev/null; then
		# scdoc begins each section with a paragraph of its own.
		mandoc -Tlint -W warning "$page" 2>&1 | grep -v 'skipping paragraph macro' >"$work/out"
		[ -s "$work/out" ] && not_ok "$name: mandoc neither" || ok "$name: mandoc neither"
	fi
done
groff -man -Tascii -P-cbou "$build/man/flamegate.yml.5" >"$work/rendered" 2>&1
cut -d'|' -f1 "$work/keys" | while read -r key; do grep -qxF "       $key" "$work/rendered" || echo "$key"; done >"$work/out"
[ -s "$work/out" ] && not_ok "every key can be read as it is written" || ok "every key can be read as it is written"
grep -q '@VERSION@' "$build"/man/* && not_ok "the version is in every page" || ok "the version is in every page"

finish
