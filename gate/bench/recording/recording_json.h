/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.json: the text of a recording without its profile. For recording.c and its tests, and
 * for other texts that carry a recording (baseline/line/line.h).
 */
#ifndef FG_BENCH_RECORDING_JSON_H
#define FG_BENCH_RECORDING_JSON_H

#include <stddef.h>

#include "gate/base/strbuf.h"
#include "gate/net/json.h"

struct error;
struct recording;

#define RECORDING_MAX_WARNINGS 256
#define RECORDING_MAX_ACCEPTANCES 1000
#define RECORDING_MAX_STRING_BYTES 65536

void recording_encode(const struct recording *recording, struct strbuf *out);

/*
 * Fills everything but the profile, from hostile bytes; recording->arena owns it, also after an
 * error. ERR_CORRUPT with the value's place: "recording.json: rounds[3].cpu_seconds: expected a
 * number".
 */
int recording_decode(
	const void *data, size_t length, struct recording *recording, struct error *err);

/* recording_code.c: the functions' code, and which functions there are, as members of the object at
 * hand. */
void recording_write_code(struct json_writer *writer, const struct recording *recording);
int recording_read_code(const struct json *root, struct recording *recording, struct error *err);
/* recording_memory.c: the heap over time; without one there is no member. */
void recording_write_memory(struct json_writer *writer, const struct recording *recording);
int recording_read_memory(const struct json *root, struct recording *recording, struct error *err);
/* recording_calls.c: the culprits' call counts; where nobody asked for any there is no member. */
void recording_write_calls(struct json_writer *writer, const struct recording *recording);
int recording_read_calls(const struct json *root, struct recording *recording, struct error *err);
/* Whether all functions that it tells of are in the profile. */
int recording_check_code(const struct recording *recording, struct error *err);

/* All but policy, rounds, code and profile, as members of the object at hand: what both texts
 * share. */
void recording_write_members(struct json_writer *writer, const struct recording *recording);
/* The same from hostile text; as recording_decode(). */
int recording_read_members(const struct json *root, struct recording *recording, struct error *err);

#endif
