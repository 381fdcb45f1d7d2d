/* SPDX-License-Identifier: Apache-2.0 */
/* One corpus of hostile names, for the tests of every output. */
#ifndef FG_TEST_REPORT_HOSTILE_CORPUS_H
#define FG_TEST_REPORT_HOSTILE_CORPUS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/runner_grammar.h"

#define HOSTILE_MARK "EVIL"
#define HOSTILE_LONG_NAME 100000

static inline struct report_view *hostile_view(const char *name)
{
	struct result *result = fixture_hostile(name);
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	fixture_free(result);
	return view;
}

static inline void check_hostile_name(
	const char *name, void (*check)(const struct report_view *view, const char *name))
{
	struct report_view *view = hostile_view(name);

	check(view, name);
	report_view_free(view);
}

/* The corpus, each name also with a mark that says where it went, and a very long one. */
static inline void for_each_hostile_name(
	void (*check)(const struct report_view *view, const char *name))
{
	char *marked, *huge = xmalloc(HOSTILE_LONG_NAME + 1);

	for (size_t i = 0; fixture_hostile_names[i]; i++) {
		const char *name = fixture_hostile_names[i];
		size_t size = 2 * strlen(name) + sizeof(HOSTILE_MARK);

		marked = xmalloc(size);
		snprintf(marked, size, "%s" HOSTILE_MARK "%s", name, name);
		check_hostile_name(name, check);
		check_hostile_name(marked, check);
		free(marked);
	}
	for (size_t i = 0; i < HOSTILE_LONG_NAME; i++)
		huge[i] = "::`|<##["[i % 8];
	huge[HOSTILE_LONG_NAME] = '\0';
	check_hostile_name(huge, check);
	free(huge);
}

/* Nothing in it that a runner obeys. */
static inline void assert_inert(const struct strbuf *out, const char *name, const char *what)
{
	if (runner_count_commands(out->data, out->length))
		fail_msg("%s obeys \"%s\":\n%s", what, name, out->data);
}

#endif
