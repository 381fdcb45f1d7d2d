/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes: exact environment, output to a file or a bounded buffer (never inherited: a
 * benchmark's output may hold workflow commands), own session (so no terminal to stop or type on),
 * time limit, CPU set, and the CPU time of the whole tree.
 *
 * The caller becomes a child subreaper, so that every orphaned descendant is waited for here: the
 * rusage of the children that we reap holds that of theirs, so nothing is missed and nothing
 * counted twice (a process that ignores SIGCHLD loses its children's; the capture shows that as
 * more samples than CPU time).
 *
 * Whose child is it? Children that we had before process_run() belong to others (such as the
 * symbolizer): they are never waited for or signalled here. Every child that is new belongs to the
 * run, so nobody may fork while a process_run() is under way.
 */
#ifndef FG_BASE_PROCESS_H
#define FG_BASE_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate/base/strbuf.h"

struct error;

struct process_options {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in env's PATH, absolute
				    entries only */
	const char *const *env;  /* NULL-terminated "NAME=value"; NULL: our own environment */
	const char *directory;   /* NULL: ours */
	const char *output_path; /* stdout and stderr go here (O_TRUNC, O_NOFOLLOW); NULL: see
				    capture */
	const char *error_path;  /* stderr goes here instead, in the same way; NULL: it does not */
	struct strbuf *capture;  /* if output_path is NULL: stdout is appended, up to capture_limit;
				    NULL: discarded */
	size_t capture_limit;    /* bytes; 0 = 16 MiB. Past it the child is killed: ERR_LIMIT */
	struct strbuf *capture_stderr; /* NULL: stderr goes where stdout goes */
	const void *input;             /* written to stdin; NULL: /dev/null */
	size_t input_length;
	bool inherit_stdio;  /* run: the user's own terminal, and the descriptors below 256 that
				we were started with; overrides the above */
	uint64_t timeout_ns; /* 0: none. Then SIGTERM to the group, grace_ns later SIGKILL to all
				descendants */
	uint64_t grace_ns;   /* 0: 2 s; what outlives the child has as long to end by itself */
	/* 0: none. As timeout_ns for one that talks to a server and has been silent for so long
	 * (process_silence.h). */
	uint64_t silence_ns;
	/* 0: none. The child has been stopped by a signal for so long: all is killed,
	 * ERR_BENCHMARK. For a child that nobody but its own processes can continue. */
	uint64_t stopped_ns;
	const cpu_set_t *cpus; /* NULL: ours */
	bool keep_descendants; /* do not wait for and do not kill what outlives the child */
	bool ignore_interrupt; /* for cleaning up: runs to its end also after an interruption */
	/* Who wants this run: when the other end of this descriptor closes, all of it is killed at
	 * once: ERR_INTERRUPTED. NULL: nobody but us. */
	const int *lifeline;
	void (*prepare)(void *); /* in the child before exec, async-signal-safe; e.g. rlimits */
	void *prepare_data;
};

/* For stopped_ns: longer than a program may want to wait for another that continues it. */
#define PROCESS_STOPPED_NS 10000000000ULL

struct process_result {
	int exit_status; /* 0..255, or -1 when killed by a signal */
	int signal;      /* 0, or the signal that ended it */
	bool timed_out;
	bool silent;     /* ended after silence_ns */
	uint64_t cpu_ns; /* user + system of the child and of all descendants that were reaped */
	uint64_t user_ns, system_ns;
	uint64_t switches; /* how often one of them left a processor, to wait or not */
	uint64_t wall_ns;
	uint64_t max_rss_bytes; /* the largest single process, or what we had at the fork */
	unsigned reaped;        /* processes reaped here: the child and orphans */
	unsigned killed; /* descendants that outlived the child by more than the grace: killed */
};

/*
 * Runs to the end. A non-zero exit is not an error here; not being able to start it is (ERR_TOOL
 * for "not found", else ERR_IO). After process_interrupted() turns true the child's group and all
 * descendants are killed and ERR_INTERRUPTED is returned. result is filled on ERR_OK, and on
 * ERR_LIMIT and ERR_INTERRUPTED as far as it is known. wall_ns ends with the child, not with what
 * outlives it.
 */
int process_run(
	const struct process_options *options, struct process_result *result, struct error *err);

/* First of all in main(): notes which descriptors are from outside, installs handlers for SIGINT,
 * SIGTERM, SIGHUP that set a flag; ignores SIGPIPE; sets the subreaper. */
void process_init(void);
bool process_interrupted(void);
/* The signal that interrupted us, or 0. */
int process_interrupt_signal(void);
/* Readable from the interruption on: for those who poll; -1: none. Not to be read or closed. */
int process_interrupt_fd(void);

/* Human text such as "exited with status 3" or "was killed by SIGKILL (9)"; static thread-local
 * buffer. */
const char *process_result_text(const struct process_result *result);

#endif
