/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that were split, merged, inlined or outlined between the versions. An inlining is a
 * pair (host, part) of matched functions: where the host calls the part directly, the part's frame
 * counts as the host's, in both versions. Below the part's frame the host is still the caller, so
 * inlinings chain. Elsewhere the part is a function of its own. No cost is lost by an inlining: it
 * is compared with the host's of the other version.
 *
 * What shows how the versions are built makes an inlining; what something costs can only prevent
 * one:
 *   inlined, outlined   samples of both versions show the part below the host, and by debug
 *                       information all of one version's inlined, all of the other's as a frame of
 *                       its own (a twentieth may disagree)
 *   split, merged       the part is there in one version alone (but for a twentieth), where nobody
 *                       but the host (or another part of it) calls it; both are in one file, as far
 *                       as files are known; without its parts the host has as much more machine
 *                       code as they have together, and it costs itself more by half of what they
 *                       do at least, and by more than chance makes its samples differ: a function
 *                       that was hardly called before looks new, too, where samples tell what is
 *                       there. Where the other version's host called it as well (a twentieth as
 *                       much at most), it is as large as its code has grown, and no part if it has
 *                       not: what was there is none of the host's. Without code of its name there
 *                       the sample was a stray one. Or the part was inlined by the host, whose
 *                       machine code is the same: its own, or that of all that it is inlined into.
 * A function that a matched one replaces (renamed, moved) is no part. What one version takes away
 * and the other adds at one host is neither a split nor a merge. No function is its own host's
 * host.
 */
#ifndef FG_COMPARE_INLINING_H
#define FG_COMPARE_INLINING_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/map.h"
#include "gate/compare/match.h"
#include "gate/profile/profile.h"

#define INLINING_NONE UINT32_MAX
#define INLININGS_MAX 1000 /* of one comparison: those with the most samples */

enum inlining_kind {
	INLINING_INLINED,  /* inlined in head, a function of its own in base */
	INLINING_OUTLINED, /* inlined in base, a function of its own in head */
	INLINING_SPLIT,    /* in head only: what was the host's code */
	INLINING_MERGED,   /* in base only: what is the host's code now */
};

struct inlining {
	uint32_t host, part; /* matched functions */
	enum inlining_kind kind;
	const char *reason; /* for people; static storage */
	double similarity;  /* 1: certain; else of the sizes of what the host lost and the parts */
	double samples;     /* that the decision rests on */
	bool is_chance; /* the host's code is the same: one version's samples alone show the part */
};

struct inlining_map {
	struct inlining *items; /* by samples, the most first; then by host and part */
	size_t count;
	struct map index; /* (host, part) -> items */
	bool *is_part;    /* [matched function] */
};

/*
 * code: of base and head, or NULL: then nothing is known to be split or merged. Same input, same
 * inlinings. Release with inlinings_release().
 */
void inlinings_find(struct inlining_map *inlinings, const struct function_matches *matches,
	const struct profile *const profiles[COMPARE_VERSIONS], const struct code_of_version *code);
void inlinings_release(struct inlining_map *inlinings);

/*
 * The inlining by which `part` is no frame of its own, or INLINING_NONE. caller: the frame that
 * calls it, maybe a part itself; host: the one that the caller counts as.
 */
uint32_t inlinings_at(
	const struct inlining_map *inlinings, uint32_t host, uint32_t caller, uint32_t part);

#endif
