/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what the sampler wrote (gate/sampler/capture/capture.h): one file per process image.
 * Captures are hostile input: the measured code can write to its own. Every offset, count and
 * length is checked; what is damaged is refused with a message, never followed.
 */
#ifndef FG_PROFILE_CAPTURE_READ_H
#define FG_PROFILE_CAPTURE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

struct error;

/* An executable object that was mapped. Frames refer to it by index. */
struct capture_module {
	const char *path;      /* as the loader knew it; "" unknown (JIT, anonymous), "[vdso]" */
	const char *build_id;  /* lower-case hex; "" if it has none */
	uint64_t start, limit; /* addresses it was first seen at */
	uint64_t bias;         /* link-time address = run-time address - bias */
};

#define CAPTURE_NO_MODULE UINT32_MAX

struct capture_frame {
	uint32_t module;  /* index, or CAPTURE_NO_MODULE */
	bool exact;       /* address is the instruction itself; otherwise a return address */
	uint64_t address; /* link-time address in the module's file (its ELF vaddr); absolute
			     without module */
};

struct capture_stack {
	const struct capture_frame *frames; /* leaf first */
	uint32_t depth;
	uint8_t end; /* enum fg_walk_end */
	bool complete;
};

/* What a sample counts: the sampler's enum fg_kind (gate/sampler/capture/capture.h). */
enum capture_kind {
	CAPTURE_CPU,
	CAPTURE_OFF_CPU,
	CAPTURE_HEAP,
	CAPTURE_MAPPED,
	CAPTURE_MUTEX,
	CAPTURE_RWLOCK,
	CAPTURE_CONDITION,
	CAPTURE_FUTEX,
	CAPTURE_KIND_COUNT
};

/* A region or label of the program's own, inside its parent. */
struct capture_context {
	uint32_t parent;         /* as in a sample; always an earlier one */
	const char *key, *value; /* bytes without NUL; a region's key is "region" */
};

struct capture_sample {
	enum capture_kind kind;
	uint32_t stack;
	uint32_t epoch;
	uint32_t context; /* of contexts[context - 1]; 0: none */
	uint64_t count;
	uint64_t sum;       /* of weights: ns, bytes (capture.h) */
	double sum_squares; /* of squared weights; sampled kinds */
	/*
	 * Heap and mappings: what was freed in this epoch; and the sample's share of the largest
	 * heap, which may be negative in one epoch: only sums over all of a stack's mean something.
	 * All in whole blocks and bytes, rounded where the heap was sampled.
	 */
	uint64_t gone_count, gone_sum;
	int64_t peak_count, peak_sum;
};

/* Over all of a kind's samples. */
struct capture_total {
	uint64_t count, sum, complete; /* complete: count of those with complete stacks */
};

/* The heap's size over time (capture.h). */
struct capture_moment {
	uint64_t moved, live_bytes, live_count, most_bytes, cpu_ns;
};

/* Where an epoch of the program's own begins. */
struct capture_epoch {
	uint32_t epoch;
	uint64_t iterations, cpu_ns;
};

#define CAPTURE_COUNTERS 32

/*
 * What a counter says, for people: "%llu ..." in singular and plural are the caller's; NULL past
 * the last one. harmless: nothing is missing from the profile.
 */
struct capture_counter {
	const char *text; /* "waits were ended by the sampling signal and could not be retried" */
	bool harmless;
};
const struct capture_counter *capture_counter(unsigned index);
/* The counter of processes that a debugger or tracer has started. */
#define CAPTURE_COUNTER_TRACED 16

enum capture_mechanism { CAPTURE_NONE, CAPTURE_PERF, CAPTURE_POSIX };

struct capture_process {
	int pid, ppid;
	const char *executable; /* /proc/self/exe at start */
	enum capture_mechanism mechanism;
	uint32_t rate_hz;
	/*
	 * The process's counted CPU time since the sampler started in this image (after the
	 * loader), up to one of its last eight samples or to its exit, whichever was later. Images
	 * that one process execs one after the other do not overlap.
	 */
	uint64_t cpu_ns;
	/* The process's CPU clock then: what those of moments and epochs began with. */
	uint64_t cpu_start_ns;
	uint64_t paused_ns; /* CPU time while the program had paused the counting; not in cpu_ns */
	uint64_t slowdown_ns; /* CPU time of a planted slowdown (gate/sampler/slowdown.h) */
	uint64_t period_ns;   /* CPU time between two samples of a busy thread */
	int perf_errno; /* why perf was refused when mechanism is CAPTURE_POSIX; 0: not asked for */
	int timer_errno;        /* why a thread got no timer of any kind; 0: all got one */
	bool exited;            /* the exit hook ran; false after SIGKILL, abort, _exit, exec */
	uint32_t threads;       /* ever sampled */
	uint64_t samples, lost; /* of CPU time: recorded; dropped for want of space */
	uint64_t lost_ns;       /* weight of the lost */
	uint32_t kinds;         /* mask: what was asked for */
	uint32_t machine;       /* ELF's number of the processor: EM_X86_64, EM_AARCH64 */
	bool excluded; /* not to be counted (gate/bench/run/processes.h); false when read */
	struct capture_total totals[CAPTURE_KIND_COUNT];
	uint64_t counters[CAPTURE_COUNTERS]; /* by the sampler's enum fg_counter */
	double own_seconds;         /* estimate of the CPU time that went into the sample handler */
	bool has_marks;             /* the program has called flamegate.h */
	uint64_t iterations;        /* it has told */
	uint64_t heap_period_bytes; /* 0: all allocations were counted */
	uint64_t peak_bytes, peak_count, live_bytes, live_count; /* of the heap */
	uint64_t max_rss_bytes; /* largest resident set of the image; 0: unknown (it was killed) */
	struct capture_moment *moments;
	size_t moment_count;
	struct capture_epoch *epochs;
	size_t epoch_count;
	struct capture_context *contexts;
	size_t context_count;
	struct capture_module *modules;
	size_t module_count;
	struct capture_stack *stacks;
	size_t stack_count;
	struct capture_sample *entries;
	size_t entry_count;
};

struct capture_set {
	struct arena arena;                /* owns everything below */
	struct capture_process *processes; /* sorted by file name */
	size_t process_count;
	/* CPU samples over all: share of complete stacks = complete / (samples + lost) */
	uint64_t samples, complete, lost;
	unsigned damaged; /* files that were refused; the first reason is in damage */
	char damage[256];
};

struct capture_limits {
	size_t max_files;
	size_t max_file_bytes, max_stacks, max_depth, max_modules; /* of one file */
};
extern const struct capture_limits capture_default_limits;

/*
 * Reads every *.fgcap in dir into a fresh set (what it held is not released). A damaged file is
 * counted in `damaged` and skipped; the file of a process that ended before its header was complete
 * is none. A process may still be writing: its samples so far are read. An empty dir gives an empty
 * set. ERR_NOT_FOUND without dir, ERR_LIMIT past max_files. limits NULL: the defaults. Release with
 * capture_set_release() also after an error.
 */
int capture_set_read(struct capture_set *set, const char *dir, const struct capture_limits *limits,
	struct error *err);
void capture_set_release(struct capture_set *set);

void capture_set_init(struct capture_set *set);

/*
 * One file's bytes (fuzzed). Appends to set->processes; on an error the set's contents are as
 * before. The bytes are copied where needed and need no alignment. name is for messages.
 */
int capture_read_bytes(struct capture_set *set, const void *data, size_t length, const char *name,
	const struct capture_limits *limits, struct error *err);

#endif
