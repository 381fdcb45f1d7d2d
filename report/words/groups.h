/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many benchmarks, as those that one program lists: grouped by what stands before the first slash
 * of their names, what matters most first.
 */
#ifndef FG_REPORT_GROUPS_H
#define FG_REPORT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"
#include "gate/check/status.h"

struct result;
struct result_benchmark;

#define GROUPS_FROM 20 /* benchmarks: fewer are shown one by one */
#define GROUP_STATUSES (RESULT_NEUTRAL + 1)

struct benchmark_group {
	const char *name; /* hostile; not terminated: the first name_length bytes */
	size_t name_length;
	const size_t *members; /* of result->benchmarks: the worst first, then the largest increase
				*/
	size_t count;
	size_t with[GROUP_STATUSES]; /* by status */
};

struct benchmark_groups {
	struct benchmark_group *items; /* with the worst first, then by name */
	size_t count;
	size_t *order; /* of all benchmarks, group by group */
};

/* They are to be grouped. */
bool groups_are_worth_it(const struct result *result);
void groups_make(const struct result *result, struct benchmark_groups *out);
void groups_release(struct benchmark_groups *groups);

/* "67 benchmarks: 1 FAIL, 2 WARN, 64 PASS"; the words of word_status(). */
void group_add_counts(struct strbuf *out, const struct benchmark_group *group);
/* "parse: 67 benchmarks: ..."; hostile. */
void group_add_title(struct strbuf *out, const struct benchmark_group *group);
/* What is behind the slash; the whole name where the group has no other. */
const char *group_member_name(
	const struct benchmark_group *group, const struct result_benchmark *benchmark);

#endif
