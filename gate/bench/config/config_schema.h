/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of what .flamegate.yml may hold: it drives parsing, defaults, "did you mean", the
 * help text and the description of changes. A new key is one line in config_schema.c.
 */
#ifndef FG_BENCH_CONFIG_SCHEMA_H
#define FG_BENCH_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"
#include "gate/bench/config/config.h"
#include "gate/bench/config/config_yaml.h"

/* A kind of value. field points to where config or a benchmark keeps it. */
struct config_type {
	const char *shape; /* "a duration such as 10m" */
	int (*parse)(const struct config_reader *reader, const struct yaml_node *value,
		const char *path, void *field);
	/* Appends the value as text; equal texts mean equal values. NULL: holds keys of its own. */
	void (*show)(const void *field, struct strbuf *out);
	bool brief; /* short and harmless enough to be shown to people as it is */
};

struct config_key {
	const char *path; /* "policy.margin.total", "benchmarks[].name" */
	const struct config_type *type;
	size_t offset; /* in struct config, or below benchmarks[] in struct config_benchmark */
	const char *fallback; /* YAML; NULL: none */
	bool required;
	const char *help;
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

#define CONFIG_IN_BENCHMARK "benchmarks[]."

/* The key's last part; NULL if the path is not directly below
 * prefix ("" or "policy." and so on). */
const char *config_key_below(const struct config_key *key, const char *prefix);

/*
 * Reads a map's keys that lie directly below prefix into target; what is missing gets its default.
 * ERR_CONFIG for unknown, missing and malformed keys.
 */
int config_read_map(const struct config_reader *reader, const struct yaml_node *map,
	const char *prefix, void *target);
/* Only the defaults of all keys whose path begins with prefix, at any depth but other targets. */
int config_fill_defaults(const struct config_reader *reader, const char *prefix, void *target);

#endif
