/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed between two commits, as JSON without the changed text:
 *   [{"old_path", "new_path", "binary", "hunks": [[old_start, old_lines, new_start, new_lines]]}]
 */
#ifndef FG_BENCH_DIFF_JSON_H
#define FG_BENCH_DIFF_JSON_H

#include "gate/base/arena.h"
#include "gate/net/json.h"
#include "gate/vcs/repo.h"

struct error;

/* As the member `key` of the object at hand. */
void diff_write_json(struct json_writer *json, const char *key, const struct repo_diff *diff);
/*
 * From hostile text: at most 100,000 files, and as many hunks each, in order. The arena owns what
 * is read. ERR_CORRUPT with the place of what is wrong; out may then hold a part.
 */
int diff_read_json(const struct json *object, const char *key, struct arena *arena,
	struct repo_diff *out, struct error *err);

#endif
