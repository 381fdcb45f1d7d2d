#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one program's fixed work once, with or without the preload.
#
#   one.sh PROGRAM MODE FOLDER SCALE
#
# PROGRAM is a file of programs/. It defines
#   needs      the commands that it runs
#   prepare    writes the work's input into the current folder; the same bytes each time
#   work       the work, in a copy of the input; `measured COMMAND...` and `server COMMAND...` run what is looked at
#   filter     from stdin to stdout, line by line: takes times, rates, addresses and process ids out of the output
# and works the more the larger $scale is.
#
# MODE is plain, or KIND[-MECHANISM] with a kind of FLAMEGATE_PROFILE and perf or posix.
# In FOLDER: input/ (kept), run/ and captures/ (of this run), and of this run stdout, stderr, status, cpu (seconds).
# shellcheck disable=SC2034 # what is set here is for the files of programs/
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$1 mode=$2 folder=$3 scale=$4
# Debian's own programs, whatever else a machine has in front of them.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C TZ=UTC HOME=/nonexistent
library=${FLAMEGATE_BUILD:?}/libflamegate.so
[ "$mode" != heap ] || library=$FLAMEGATE_BUILD/libflamegate-heap.so

rm -rf "$folder/run" "$folder/captures"
mkdir -p "$folder/captures" && chmod 1777 "$folder/captures" || exit 3

preload=(env)
if [ "$mode" != plain ]; then
	preload=(env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$folder/captures"
		FLAMEGATE_PROFILE="${mode%%-*}" FLAMEGATE_RATE=997 FLAMEGATE_CAPTURE_MAX_MB=256)
	case $mode in *-*) preload+=(FLAMEGATE_MECHANISM="${mode#*-}") ;; esac
fi
measured() { "${preload[@]}" "$@" </dev/null; }
# In the background, as a child of the work; its process id is $!.
server() { exec "${preload[@]}" "$@" </dev/null; }
# Servers that refuse to run as root: another user, who may open perf if we may.
demoted=()
if [ "$(id -u)" -eq 0 ]; then
	demoted=(setpriv --reuid=nobody --regid=nogroup --clear-groups
		"--inh-caps=-all,+perfmon" "--ambient-caps=-all,+perfmon" --)
fi

# A text of $1 lines of pseudo-random words, drawn from the seed $2.
words() {
	awk -v lines="$1" -v seed="$2" 'BEGIN {
		for (n = 0; n < lines; n++) {
			line = n
			for (w = 0; w < 9; w++) {
				seed = (seed * 1103515245 + 12345) % 2147483648
				line = line " " sprintf("%c%c", 97 + seed % 26, 97 + int(seed / 64) % 26) \
					(int(seed / 8192) % 1000)
			}
			print line
		}
	}'
}

# shellcheck source=/dev/null
. "$here/programs/$program.sh"
if [ ! -d "$folder/input" ]; then
	rm -rf "$folder/input.new" && mkdir -p "$folder/input.new" || exit 3
	(cd "$folder/input.new" && prepare) && mv "$folder/input.new" "$folder/input" || exit 3
fi
cp -r "$folder/input" "$folder/run" || exit 3
cd "$folder/run" || exit 3
TIMEFORMAT='%U %S'
{ time work >"$folder/stdout.raw" 2>"$folder/stderr.raw"; } 2>"$folder/times"
echo $? >"$folder/status"
awk '{ print $1 + $2 }' "$folder/times" >"$folder/cpu"
filter <"$folder/stdout.raw" >"$folder/stdout"
filter <"$folder/stderr.raw" >"$folder/stderr"
