# shellcheck shell=bash disable=SC2034,SC2154 # shared with the scripts that read this file
# SPDX-License-Identifier: Apache-2.0
# What run.sh and test_real.sh share: which programs, in which modes, and whether two runs are alike.
# Needs $here (this folder), $build and $state (a folder for input and results).

go_programs=$(sh "$here/go.sh" kept)
export go_programs

programs() { for file in "$here"/programs/*.sh; do basename "$file" .sh; done; }

# What of the program's needs is not to be found; nothing if all is there.
missing() { # program
	(
		PATH=/usr/sbin:/usr/bin:/sbin:/bin
		# shellcheck source=/dev/null
		. "$here/programs/$1.sh"
		for command in "${needs[@]}"; do
			command -v "$command" >/dev/null || { echo "$command"; break; }
		done
	)
}

perf_opens() {
	local folder perf
	folder=$(mktemp -d) || return 1
	LD_PRELOAD=$build/libflamegate.so FLAMEGATE_CAPTURE_DIR=$folder FLAMEGATE_MECHANISM=perf \
		"$build/tests/sampler/target" busy 20 >/dev/null
	"$build/tests/sampler/dump_capture" "$folder" | grep -q ' mechanism perf '
	perf=$?
	rm -rf "$folder"
	return "$perf"
}

# The modes that these libraries have: CPU time by each timer, and each further kind that has its interposers.
modes() {
	local symbols
	symbols=$(nm "$build/libflamegate.so" "$build/libflamegate-heap.so")
	perf_opens && echo cpu-perf
	echo cpu-posix
	grep -q ' T malloc$' <<<"$symbols" && echo heap
	grep -q ' T pthread_mutex_lock$' <<<"$symbols" && echo lock
	grep -q ' t fg_off_cpu' <<<"$symbols" && echo wall
	return 0
}

one() { # program mode
	bash "$here/one.sh" "$1" "$2" "$state/$1" "$scale"
}

# The run without the preload that others are compared with.
keep_plain() { # program
	local part
	for part in stdout stderr status; do
		cp "$state/$1/$part" "$state/$1/plain.$part" || return 1
	done
}

# Are the last run's output and status those of the run without the preload? The first differences on stdout.
alike() { # program
	local part same=0
	for part in status stdout stderr; do
		diff "$state/$1/plain.$part" "$state/$1/$part" >"$state/$1/difference" && continue
		echo "$part:" && head -n 8 "$state/$1/difference"
		same=1
	done
	return "$same"
}

# A "name value" line of the last run's captures.
value() { # program name
	sed -n "s/^$2 //p" "$state/$1/dump" 2>/dev/null
}
read_captures() { # program
	"$build/tests/sampler/dump_capture" "$state/$1/captures" >"$state/$1/dump" 2>&1
}
