/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by match.c (names and files) and match_*.c, one for each further reason why two functions
 * are one.
 */
#ifndef FG_COMPARE_MATCH_INTERNAL_H
#define FG_COMPARE_MATCH_INTERNAL_H

#include "gate/base/map.h"
#include "gate/compare/match.h"

/* One (name, file) of one or both sides, before what was moved or renamed is joined. */
struct candidate {
	const char *name, *display, *file;
	int64_t line[COMPARE_VERSIONS];
	bool present[COMPARE_VERSIONS];
	bool is_common; /* in a file of the system that both run: nothing in it has another name */
	const char *hash[COMPARE_VERSIONS]; /* of its code; NULL unknown, "" of two bodies */
	uint32_t bytes[COMPARE_VERSIONS];   /* 0 unknown */
	/* By its name, and by that and its file, where names are known. */
	char entry[FUNCTION_NAME_DIGITS + 1], place[FUNCTION_NAME_DIGITS + 1];
	uint32_t joined;   /* base candidate: the head candidate it became; or itself */
	uint32_t position; /* in the sorted result */
	/* of a head candidate that a base one was joined to */
	enum match_kind kind;
	uint32_t from;
	const char *reason;
	double similarity;
};

struct candidates {
	struct candidate *items;
	size_t count, capacity;
	struct map index; /* "name\0file" */
	uint32_t *of[COMPARE_VERSIONS];
	struct arena *arena; /* of the result */
	const struct profile *profile[COMPARE_VERSIONS];
	const struct function_names *names; /* of base and head, or NULL */
};

/* Still without a counterpart, in this version. */
bool candidate_is_left(const struct candidates *all, uint32_t id, int version);
/* match_names.c. */
void candidate_note_names(struct candidate *item);
/* The other version's objects have no function of this name, and that is known. */
bool candidate_is_replaced(const struct candidates *all, uint32_t id, int version);
/* False where a version's objects have both: under their names or, if these are one, in their
 * files. */
bool candidates_may_join(const struct candidates *all, uint32_t base, uint32_t head);
/* Does nothing where they may not be one. reason: static storage. */
void candidates_join(struct candidates *all, uint32_t base, uint32_t head, enum match_kind kind,
	const char *reason, double similarity);

/* Called with each candidate that is left; the key by which to match it, or NULL. */
typedef const char *candidate_key(const struct candidates *all, uint32_t id, int version);
/* Joins what has the same key, if it is one candidate in each version. */
void candidates_join_unique(struct candidates *all, candidate_key *key, enum match_kind kind,
	const char *reason, double similarity);

/* match_moved.c: the same name in another file. */
void match_moved(struct candidates *all);
/* match_code.c: another name, the same machine code. */
void match_code(struct candidates *all);
/* match_instance.c: the same name with other template arguments or parameters. */
void match_instances(struct candidates *all);
/* match_renamed.c: a similar name in the same surroundings. */
void match_renamed(struct candidates *all);

#endif
