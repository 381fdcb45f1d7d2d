/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer. Two processes: the parent (symbolize.c, symbolize_profile.c) keeps the
 * cache and builds profiles; the child (symbolize_child.c around module_reader.h) reads the files.
 * symbolize_worker.c is the parent's end of the line between them. The parent believes nothing that
 * the child says: the child is as hostile as what it reads.
 */
#ifndef FG_PROFILE_SYMBOLIZE_INTERNAL_H
#define FG_PROFILE_SYMBOLIZE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/profile/reader/module_reader.h"
#include "gate/profile/reader/symbolize_wire.h"
#include "gate/profile/symbolize/symbolize.h"

struct error;

#define SYMBOL_CHUNK_ADDRESSES 16384 /* in one request, so that a reply stays bounded */
#define SYMBOL_MAX_REPLY_BYTES ((size_t)256 << 20)

/* ---- the child ------------------------------------------------------------------------------- */

struct symbolizer_limits {
	uint64_t max_memory_bytes, max_cpu_seconds, max_wait_seconds;
	uint64_t max_code_units; /* code_budget.h */
};

#define SYMBOL_LINE_FD 3
/*
 * Gives up what the child does not need: fd becomes SYMBOL_LINE_FD and all other files are closed,
 * the environment is emptied, resources are limited, and system calls that reach outside are
 * refused.
 */
void symbolizer_confine(int fd, const struct symbolizer_limits *limits);
/* Serves requests on fd until it is closed; never returns. */
void symbolizer_child_main(int fd, const struct symbolizer_limits *limits)
	__attribute__((noreturn));

/* For tests: called in the child with each module's path before it is read. */
extern void (*symbolizer_child_hook)(const char *path, int fd);

/* ---- the parent's end ------------------------------------------------------------------------ */

struct symbol_worker {
	struct symbolizer_limits limits;
	pid_t pid; /* 0: not running */
	int fd;
	unsigned lost; /* children that died, hung or talked nonsense */
};

void symbol_worker_init(struct symbol_worker *worker, const struct symbolizer_limits *limits);
/*
 * Sends the request (starting a child if none runs) and appends the reply's bytes to reply, reading
 * while it writes. On ERR_TOOL the child is gone and the message says how; ERR_INTERRUPTED after a
 * signal to us.
 */
int symbol_worker_ask(struct symbol_worker *worker, const struct strbuf *request,
	struct strbuf *reply, struct error *err);
/* Ends the child because its reply made no sense. */
void symbol_worker_fire(struct symbol_worker *worker);
/* Ends the child in good order: none may be left when somebody else waits for processes. */
void symbol_worker_stop(struct symbol_worker *worker);

/* ---- the cache (parent) ---------------------------------------------------------------------- */

struct symbol_module {
	const char *path, *build_id;
	unsigned flags;
	bool failed;         /* not to be asked about again */
	bool code_failed;    /* nor about its code */
	bool listed;         /* its functions are among the symbolizer's names */
	const char *warning; /* NULL: none */
};

struct symbol_address {
	const struct symbol_frame *frames; /* functions are indices into symbolizer->functions */
	uint32_t count;                    /* 0: no symbol */
};

struct symbolizer {
	struct arena arena;
	struct symbol_worker worker;
	struct symbol_module *modules;
	size_t module_count, module_capacity;
	struct map module_index; /* path, NUL, build id -> module */
	struct symbol_address *addresses;
	size_t address_count, address_capacity;
	struct map address_index; /* struct symbol_key -> address */
	struct symbol_function *functions;
	size_t function_count, function_capacity;
	const char **strip_prefixes; /* longest first, without the slashes at their ends */
	size_t prefix_count;
	bool hash_code;
	struct symbolized_code *codes;
	size_t code_count, code_capacity;
	struct map code_index; /* what a profile says of a function -> codes */
	/* Of the modules below the prefixes: entries as function_names.h has them, as they came */
	struct strbuf names;
	bool names_complete; /* of the modules that were listed */
	bool names_failed;   /* a child was lost over them: no other is asked */
};

/* The module of a captured frame, or MAP_NONE where there is nothing to look up. */
uint32_t symbolizer_module(struct symbolizer *symbolizer, const struct capture_module *module);
/* The address to look up for a frame: in the call, not behind it. */
uint64_t symbolizer_lookup_address(const struct capture_frame *frame);
/* What is known of it; NULL if it was never asked for. */
const struct symbol_address *symbolizer_cached(
	const struct symbolizer *symbolizer, uint32_t module, uint64_t lookup);
/* The captured module of a frame, or NULL. */
const struct capture_module *symbolizer_frame_module(
	const struct capture_process *process, const struct capture_frame *frame);
/* file without the longest of the prefixes that it is under. */
const char *symbolizer_strip(const struct symbolizer *symbolizer, const char *file);

/* What is asked of a module. */
enum symbol_question { SYMBOL_ASK_NAMES, SYMBOL_ASK_CODE, SYMBOL_ASK_LISTING };
/* symbolize.c: the head of a request, whose length is still 0, and its end. */
void symbolizer_begin_request(
	struct strbuf *request, const struct symbol_module *module, enum symbol_question question);
void symbolizer_end_request(struct strbuf *request);

/* symbolize_codes.c: what the child says of the code behind frames[count - 1]. */
void symbolizer_take_code(struct symbolizer *symbolizer, struct symbol_cursor *reply,
	const struct symbol_address *address);

/* Everything is in the cache: adds mappings, functions, locations, samples and warnings. */
int symbolizer_build_profile(const struct symbolizer *symbolizer, const struct capture_set *set,
	const struct profile_kind *kind, int64_t round, struct profile *profile, struct error *err);

#endif
