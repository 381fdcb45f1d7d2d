/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON: a bounded, strict reader over cJSON, and a writer into a strbuf. Nothing else includes
 * cJSON.
 *
 * Reader. A parsed text is a read-only tree of nodes, owned by its root. Getters take NULL for
 * "absent" and say in their errors where the value is: "report.json: benchmarks[3].name: expected a
 * string". Members and elements are stored as arrays: json_at(), json_next() and json_length() are
 * O(1), json_get() is O(members).
 */
#ifndef FG_NET_JSON_H
#define FG_NET_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

struct error;

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json;

struct json_limits {
	size_t max_bytes;
	size_t max_depth; /* arrays and objects within each other; at most 512 */
	/* Elements and members, about; 0: as many as there are. A short one takes two bytes of text
	 * and about 110 of memory. */
	size_t max_values;
};
extern const struct json_limits json_default_limits; /* 64 MiB, 64, 8 million */

/*
 * Parses one JSON text (RFC 8259), without anything but white space behind it. `name` begins every
 * message about the text, also later ones. *out is new (json_free() it) and untouched on failure.
 * ERR_LIMIT past a limit (limits may be NULL: the defaults); ERR_CORRUPT with the byte offset for
 * invalid JSON, which here includes invalid UTF-8, lone surrogates, the character NUL (also as
 * "\u0000"), and numbers that are too large for a double. Where a key comes twice, json_get() finds
 * the first.
 */
int json_parse(const void *data, size_t length, const char *name, const struct json_limits *limits,
	struct json **out, struct error *err);
void json_free(struct json *root);

/* ---- walking; node may be NULL: then JSON_NULL, 0, NULL ---- */
enum json_type json_type(const struct json *node);
/* The key of an object's member; NULL for other nodes. */
const char *json_key(const struct json *node);
/* Elements of an array or members of an object; 0 for others. */
size_t json_length(const struct json *node);
const struct json *json_first(const struct json *container);
const struct json *json_next(const struct json *node);
const struct json *json_at(const struct json *array, size_t index);
const struct json *json_get(const struct json *object, const char *key);

/*
 * ---- typed values: ERR_CORRUPT with the node's path if it is of another type; *out is untouched
 * then. Strings belong to the tree. json_int64 takes whole numbers up to 2^53 in size, where
 * doubles are exact, and strings of decimal digits up to the whole range (as servers send int64).
 */
int json_string(const struct json *node, const char **out, struct error *err);
int json_number(const struct json *node, double *out, struct error *err);
int json_int64(const struct json *node, int64_t *out, struct error *err);
int json_bool(const struct json *node, bool *out, struct error *err);
/* ERR_CORRUPT unless node is of this type, or absent (NULL) and type is JSON_NULL. */
int json_expect(const struct json *node, enum json_type type, struct error *err);

/* ---- an object's member that must be there: as above, and the message names it if it is missing
 * ---- */
int json_get_string(
	const struct json *object, const char *key, const char **out, struct error *err);
int json_get_number(const struct json *object, const char *key, double *out, struct error *err);
int json_get_int64(const struct json *object, const char *key, int64_t *out, struct error *err);
int json_get_bool(const struct json *object, const char *key, bool *out, struct error *err);
int json_get_array(
	const struct json *object, const char *key, const struct json **out, struct error *err);
int json_get_object(
	const struct json *object, const char *key, const struct json **out, struct error *err);

/* An error about this node with its path, e.g. for a value out of range. Returns ERR_CORRUPT. */
int json_error(const struct json *node, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Writer. Appends to a strbuf as it is called; the same calls give the same bytes in every locale.
 * Commas are its business; that keys and values alternate and begins and ends match is the
 * caller's.
 *
 * Strings may hold anything: control characters, quotes, < > & and U+2028/9 are escaped (so the
 * text can stand in HTML and in a script), bytes that are not UTF-8 become U+FFFD.
 */
struct json_writer {
	struct strbuf *out;
	unsigned pretty_depth; /* containers nested up to this deep have a line for each element */
	unsigned depth;
	size_t values;   /* so far, as json_limits counts them: keys are none */
	bool has_before; /* the next element needs a comma */
	bool after_key;
};

void json_writer_init(struct json_writer *writer, struct strbuf *out, unsigned pretty_depth);

void json_object_begin(struct json_writer *writer);
void json_object_end(struct json_writer *writer);
void json_array_begin(struct json_writer *writer);
void json_array_end(struct json_writer *writer);
void json_write_key(struct json_writer *writer, const char *key);
/* NULL is written as null. */
void json_write_string(struct json_writer *writer, const char *string);
void json_write_bytes(struct json_writer *writer, const void *data, size_t length);
void json_write_int64(struct json_writer *writer, int64_t number);
void json_write_uint64(struct json_writer *writer, uint64_t number);
/* The fewest of 15, 16 or 17 digits that read back as the same double;
 * NaN and infinity are null. */
void json_write_double(struct json_writer *writer, double number);
void json_write_bool(struct json_writer *writer, bool value);
void json_write_null(struct json_writer *writer);

/* key and value in one. */
void json_member_string(struct json_writer *writer, const char *key, const char *string);
void json_member_int64(struct json_writer *writer, const char *key, int64_t number);
void json_member_uint64(struct json_writer *writer, const char *key, uint64_t number);
void json_member_double(struct json_writer *writer, const char *key, double number);
void json_member_bool(struct json_writer *writer, const char *key, bool value);
void json_member_object(struct json_writer *writer, const char *key); /* begins it */
void json_member_array(struct json_writer *writer, const char *key);  /* begins it */

#endif
