/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small YAML document as a tree of nodes with positions: libyaml's events, without what a
 * configuration needs not: anchors, aliases, tags, several documents, keys that are no scalars.
 */
#ifndef FG_BENCH_CONFIG_YAML_H
#define FG_BENCH_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"

struct error;

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	unsigned line, column;   /* 1-based */
	const char *text;        /* of a scalar; holds no NUL */
	bool plain;              /* written without quotes */
	struct yaml_node *first; /* of a list: the items; of a map: key, value, key, value ... */
	struct yaml_node *next;
	size_t count; /* children */
};

/* What a message points into. */
struct config_reader {
	struct arena *arena;
	const char *origin;
	struct error *err;
};

/* ERR_CONFIG, "origin:line:column: message". */
int config_fail(const struct config_reader *reader, const struct yaml_node *at, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* The tree, in the reader's arena; duplicate keys are refused. */
int yaml_read(const struct config_reader *reader, const char *text, size_t length,
	struct yaml_node **root);

/* Nothing, "~" or "null", unquoted. */
bool yaml_is_null(const struct yaml_node *node);

/* What somebody wrote, fit for a message: in quotes, short, inert. */
const char *config_quote(const struct config_reader *reader, const char *text);

#endif
