/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function of one version is which of the other: by name and file; then, of what is left over
 * on both sides, by a name that moved to another file, by equal machine code, by a name with other
 * template arguments or parameters, by a similar name with the same callers, callees and size.
 * Everything else has samples in one version alone, which does not say that the other lacks it: a
 * wrong match is worse than none, since the shift finder deals with what is unmatched. So
 * two names are never one function where a version has both, sampled or not, and by their
 * surroundings only where it is known that neither version has both. Compiler clones (.part.N,
 * .constprop.N, .isra.N, .cold, .lto_priv.N) count as the function they were cloned from.
 */
#ifndef FG_COMPARE_MATCH_H
#define FG_COMPARE_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/profile/code/function_names.h"
#include "gate/profile/profile.h"

#define COMPARE_NONE UINT32_MAX
enum { COMPARE_BASE, COMPARE_HEAD, COMPARE_VERSIONS };

enum match_kind {
	MATCHED_SAME,
	MATCHED_MOVED,
	MATCHED_NEW,      /* samples of head's alone have it */
	MATCHED_VANISHED, /* samples of base's alone have it */
	MATCHED_RENAMED,
	MATCHED_INSTANCE, /* of a template, or another signature */
};

/* A function's code apart from its callees' names, and these (gate/profile/code/code_callee.h). */
struct code_shape {
	const char *shape, *callees; /* NULL or "": none */
};

/* What is known of the machine code of one version. */
struct code_of_version {
	const struct profile *profile;
	/* [profile function]: NULL or "": unknown. Equal hashes are equal code. */
	const char *const *hash;
	const uint32_t *bytes;           /* [profile function]: 0 unknown */
	const struct code_shape *shapes; /* [profile function]; NULL: none is known */
};

/* A function of either version, or of both. Strings are owned by the matches' arena. */
struct matched_function {
	const char *name;                   /* for people */
	const char *key[COMPARE_VERSIONS];  /* by which it was matched; where it is not there, the
					       other's */
	const char *file[COMPARE_VERSIONS]; /* "" unknown or not there */
	int64_t line[COMPARE_VERSIONS];     /* of the definition; 0 unknown */
	enum match_kind kind;
	const char *base_name; /* where kind says that it was another; else name */
	const char *reason;    /* of the match, for people; "" the names are the same */
	double similarity;     /* 1: certain */
};

struct function_matches {
	struct arena arena;
	struct matched_function *functions; /* sorted by name, then file */
	size_t count;
	uint32_t *of[COMPARE_VERSIONS]; /* profile function index -> matched function */
};

/*
 * Matches the functions of both profiles. code, names: of base and head, or NULL. Same input, same
 * order. Release with function_matches_release().
 */
void function_matches_build(struct function_matches *matches, const struct profile *base,
	const struct profile *head, const struct code_of_version *code,
	const struct function_names *names);
void function_matches_release(struct function_matches *matches);

/* The name without clone suffixes and without an address:
 * the key by which functions are matched. */
const char *function_key_name(struct arena *arena, const struct profile_function *function);

#endif
