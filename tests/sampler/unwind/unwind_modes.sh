# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # shared with the scripts that read this file, and with lib.sh
# SPDX-License-Identifier: Apache-2.0
# The modes of unwind_target, and how their stacks must look; sourced behind lib.sh. The caller sets
# folder (of unwind_target), symbols (the command that lists them), ms (of CPU time for each mode), and
# may have replaced sampled().

# Of the samples whose leaf is one of these (a regular expression), 99 % must have that chain.
chain_of() { # mode: prints LEAF CHAIN
	library='[^;]*(libc|ld|vdso|\?)[^;]*;'
	case $1 in
	aligned) echo '^burn_step;' '^burn_step;(aligned_frames;){6}mode_aligned;main;' ;;
	variable) echo '^burn_step;' '^burn_step;(variable_frames;){6}mode_variable;main;' ;;
	large) echo '^burn_step;' '^burn_step;(large_frames;){5}mode_large;main;' ;;
	tail) echo '^burn_step;' '^burn_step;tail_last;tail_caller;mode_tail;main;' ;;
	deep) echo '^burn_step;' '^burn_step;(deep_frames;)*deep_frames;$' ;;
	jump) echo '^burn_step;' '^burn_step;jump_back;(jump_from;){9}jump_caller;mode_jump;main;' ;;
	bare) echo '^burn_step;' '^burn_step;under_bare;bare_inner;bare_outer;mode_bare;main;' ;;
	signals | alternate | fault)
		echo '^burn_step;' "^burn_step;in_inner_handler;on_inner;($library)+in_outer_handler;on_outer;($library)+(run_handlers[^;]*;)?mode_$1;main;"
		;;
	clock) echo 'ask_clock;|vdso' ';mode_clock;main;' ;;
	stubs) echo '^unwind_lazy' '^unwind_lazy.so;.*(use_lazy[^;]*|open_lazy);mode_stubs;main;' ;;
	reopen) echo '^(ld-|libc|unwind_lazy)' ';mode_reopen;main;' ;;
	library) echo '^(libc|compare)' ';mode_library;main;' ;;
	thread) echo '^burn_step;' "^burn_step;thread_work;thread_main;($library)+\$" ;;
	throw) echo '^(libgcc|libstdc)' 'catch_thrown[^;]*;mode_throw;main;' ;;
	ucontext) echo '^burn_step;' "^burn_step;(coroutine_work;){6}coroutine;($library)*\$" ;;
	switch) echo '^burn_step;' '^burn_step;(switched_work;){6}switched_main;$' ;;
	setcontext) echo '^burn_step;' "^burn_step;(coroutine_work;){6}context_main;($library)*\$" ;;
	generated) echo '^burn_step;' '^burn_step;under_generated;\?;between_generated;\?;mode_generated;main;' ;;
	goroutine) echo '^burn_step;' '^burn_step;(unwind_go.so;){5}$' ;;
	goleaves) echo '^unwind_go.so;' '^(unwind_go.so;){7}$' ;;
	esac
}
unwind_modes="aligned variable large tail deep jump bare signals alternate fault clock stubs reopen library
 thread throw ucontext switch setcontext generated goroutine"

# Sampled, all stacks but one of a hundred complete (deep: or cut with the mark), and the chain is there.
# An emulator's start-up is long: its share of the samples may be without the chain.
# Where libgcc takes a thrown exception to its handler it has left its own frame behind: some three samples of a
# thousand have no caller there. Nor has one of a thousand where the C library has changed half of the registers for
# another context's. One of a hundred is asked for, so there must be hundreds.
mode_is_walked() { # mode
	length=$ms
	case $1 in
	throw | ucontext | setcontext) length=$((ms * 4)) ;;
	stubs) length=$((ms * 2)) ;; # a fifth of the time is spent in them
	esac
	sampled "$folder/unwind_target" "$1" "$length"
	"$dump" -s "$captures" >"$scratch/stacks" 2>&1
	$symbols -S "$folder/unwind_target" >"$scratch/symbols"
	perl "${sampler_tests:-$here}/stack_names.pl" unwind_target "$scratch/symbols" "$scratch/stacks" |
		sed 's/$/;/' >"$scratch/names"
	# shellcheck disable=SC2046 # two words
	set -- "$1" $(chain_of "$1")
	wanted_end='^[01]$'
	[ "$1" != deep ] || wanted_end='^[012]$'
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0 && between lost 0 0 &&
		LEAF=$2 CHAIN=$3 END=$wanted_end SHARE=${chain_share:-99} ENDED=${end_share:-99} judge_names
}

judge_names() {
	perl -e 'my ($all, $ended, $leaves, $chains, %wrong) = (0, 0, 0, 0);
		while (<>) {
			my ($count, $end, $names) = split " ";
			$all += $count;
			$ended += $count if $end =~ /$ENV{END}/;
			next unless $names =~ /$ENV{LEAF}/;
			$leaves += $count;
			if ($names =~ /$ENV{CHAIN}/) { $chains += $count } else { $wrong{"$end $names"} += $count }
		}
		print "samples $all ended $ended leaves $leaves chains $chains\n";
		print substr("wrong $wrong{$_} $_", 0, 400), "\n"
			for (sort { $wrong{$b} <=> $wrong{$a} } keys %wrong)[0 .. ($#{[keys %wrong]} < 4 ? $#{[keys %wrong]} : 4)];
		exit !($leaves >= 30 && $ended * 100 >= $all * $ENV{ENDED} && $chains * 100 >= $leaves * $ENV{SHARE})' \
		"$scratch/names" >"$scratch/dump"
}
