/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings rewritten sample by sample, for the tools here. Errors end the program. */
#ifndef FG_TESTS_REPLAY_REWRITE_H
#define FG_TESTS_REPLAY_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct profile;
struct profile_location;
struct recording;

/* Which of the profile's values are what. */
struct columns {
	int samples, cpu, squares;
};
struct columns columns_of(const struct profile *profile);

void die(const char *what, const struct error *err) __attribute__((noreturn));
void load(const char *folder, struct recording *recording);
void save(const char *folder, const struct recording *recording);

/* splitmix64: the same everywhere. */
uint64_t next_random(uint64_t *state);

/* An empty profile with the same value types. */
struct profile *profile_like(const struct profile *from);
/* A location of `from`, with its functions and mapping, as `to` has it; arena-owned by `to`. */
struct profile_location location_in(
	struct profile *to, const struct profile *from, const struct profile_location *location);

/* The rounds' sampled time and samples become what the profile holds. */
void recount(struct recording *recording);

#define PIECE_TYPES 3 /* samples, cpu, squares */

/* A sample that may be changed; its functions are those of the profile that is made. */
struct piece {
	struct profile *to;
	struct profile_location *frames; /* leaf first; room for one more */
	uint32_t depth;
	int64_t values[PIECE_TYPES];
	const struct profile_sample *from; /* its labels */
};

/* What the innermost function of this frame is called; "" unknown. */
const char *piece_name(const struct piece *piece, uint32_t frame);
/*
 * The frame that is its own, with what is inlined into it, nearest to the leaf (0); UINT32_MAX if
 * there is none.
 */
uint32_t piece_find_own(const struct piece *piece, const char *name);
/* It is on the stack, in a frame of its own or inlined, or with others inlined into it. */
bool piece_has(const struct piece *piece, const char *name);
/* As a sample of the profile that is made; nothing without samples. */
void piece_emit(const struct piece *piece);
/* Leaves that many of its samples, and the values' share of them. */
void piece_take(struct piece *piece, int64_t samples);

/*
 * Makes the profile again: change() emits what becomes of each sample. What the rounds gain or lose
 * of sampled time they gain or lose of CPU time.
 */
void rewrite(
	struct recording *recording, void (*change)(void *data, struct piece *piece), void *data);

#endif
