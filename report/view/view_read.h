/* SPDX-License-Identifier: Apache-2.0 */
/* Private to view*.c: the parts of reading report.json. */
#ifndef FG_REPORT_VIEW_READ_H
#define FG_REPORT_VIEW_READ_H

#include <stddef.h>

#include "gate/net/json.h"
#include "report/json/schema.h"

struct error;
struct result_benchmark;
struct result_label;
struct result_source;

/* ERR_LIMIT with a message that names node. */
int view_too_many(const struct json *node, struct error *err, size_t limit);
/*
 * Refuses an object with a key that comes twice (of which other readers take the other one) or with
 * absurdly many.
 */
int view_check_keys(const struct json *root, struct error *err);
/* The member `key`, a list of at most `limit` strings, into the reader's arena. */
int view_read_strings(struct schema_reader *reader, const struct json *object, const char *key,
	size_t limit, const char *const **out, size_t *count);
/* The member `key`, columns of at most `limit` elements of `size` bytes. */
int view_read_columns(struct schema_reader *reader, const struct json *object, const char *key,
	const struct field *fields, size_t limit, size_t size, void **out, size_t *count);
/* A culprit's member "source"; *out is untouched if it is absent. */
int view_read_source(
	struct schema_reader *reader, const struct json *culprit, const struct result_source **out);
/* Each node has its place below an earlier one, and its function; object: where "nodes" stands. */
int view_check_tree(struct schema_reader *reader, const struct json *object,
	const struct result_benchmark *benchmark);
/*
 * The member "labels" of what has these nodes; none if it is absent. Every value and node exists.
 */
int view_read_labels(struct schema_reader *reader, const struct json *object, size_t node_count,
	const struct result_label **out, size_t *count);
/* The member "profiles"; none if it is absent. After reader->strings. */
int view_read_profiles(struct schema_reader *reader, const struct json *object,
	struct result_benchmark *benchmark);
/* The member "metrics"; none if it is absent, as in older reports. */
int view_read_metrics(struct schema_reader *reader, const struct json *object,
	struct result_benchmark *benchmark);
/* The members "memory_base" and "memory_head"; without moments if they are absent. */
int view_read_memory(struct schema_reader *reader, const struct json *object,
	struct result_benchmark *benchmark);
/* The member "matches"; none if it is absent: all names are the same. */
int view_read_matchings(struct schema_reader *reader, const struct json *object,
	struct result_benchmark *benchmark);
/* The member "inlinings"; none if it is absent. */
int view_read_inlinings(struct schema_reader *reader, const struct json *object,
	struct result_benchmark *benchmark);
/* The member "references"; none if it is absent, as in older reports. */
int view_read_references(struct schema_reader *reader, const struct json *object,
	struct result_benchmark *benchmark);

#endif
