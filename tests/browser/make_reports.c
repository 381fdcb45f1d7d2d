/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reports of hand-built results for the browser test: make_reports DIR. */
#include <stdio.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "report/write.h"
#include "tests/unit/report/fixture.h"

static int write_case(const char *dir, const char *name, struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};
	char path[1024];
	int code;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	code = report_view_of(result, &view, &err);
	if (!code)
		code = report_write_view(view, path, NULL, &err);
	report_view_free(view);
	if (code)
		fprintf(stderr, "%s: %s\n", path, err.message);
	fixture_free(result);
	return code;
}

static int write_hostile(const char *dir)
{
	struct strbuf all = STRBUF_INIT;
	int code;

	for (size_t i = 0; fixture_hostile_names[i]; i++)
		strbuf_addstr(&all, fixture_hostile_names[i]);
	code = write_case(dir, "hostile", fixture_hostile(all.data));
	strbuf_release(&all);
	return code ? code : write_case(dir, "script", fixture_hostile(fixture_hostile_names[0]));
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc != 2)
		return 2;
	for (const struct fixture_case *one = fixture_cases; one->name; one++)
		failed |= write_case(argv[1], one->name, one->make());
	failed |= write_case(argv[1], "large", fixture_large(60000, 900));
	failed |= write_hostile(argv[1]);
	return failed ? 1 : 0;
}
