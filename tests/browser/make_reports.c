/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the reports of hand-built results for the browser test: make_reports DIR. With --names in
 * front of it, Markdown in which every name is hostile, one file for each name and one that is not;
 * "linked-..." with links into a page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "report/markdown/markdown.h"
#include "report/write.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

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

/* The failure's functions, and `more` that main calls, each cheaper than the one before it. */
static struct result *make_functions(size_t more)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	size_t functions = benchmark->function_count, nodes = benchmark->node_count;
	struct result_function *all = arena_array(&result->arena, functions + more, sizeof(*all));
	struct result_node *tree = arena_array(&result->arena, nodes + more, sizeof(*tree));

	memcpy(all, benchmark->functions, functions * sizeof(*all));
	memcpy(tree, benchmark->nodes, nodes * sizeof(*tree));
	for (size_t i = 0; i < more; i++) {
		double cost = 1e-4 * (double)(more - i) / (double)more;

		all[functions + i] = (struct result_function){
			.name = arena_printf(&result->arena, "step_%05zu", i),
			.file = "src/steps.c",
			.module = "logstat",
			.line = (int64_t)i + 1,
			.self = {.base = cost, .head = cost, .state = STATE_INELIGIBLE},
			.total = {cost, cost}};
		tree[nodes + i] = (struct result_node){.parent = 1,
			.function = (uint32_t)(functions + i),
			.self = {cost, cost},
			.self_state = STATE_INELIGIBLE,
			.state = STATE_INELIGIBLE};
	}
	benchmark->functions = all;
	benchmark->function_count += more;
	benchmark->nodes = tree;
	benchmark->node_count += more;
	for (size_t i = 0; i < benchmark->node_count; i++)
		tree[i].total[0] = tree[i].total[1] = 0;
	build_totals(benchmark);
	return result;
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

#define PAGE "https://pages.example/7/report.html"

/* ---- --names -------------------------------------------------------------------------------- */

static int write_text(const char *dir, const char *file, const char *name, const char *page_url)
{
	struct result *result = fixture_hostile(name);
	struct report_view *view = NULL;
	struct strbuf text = STRBUF_INIT;
	struct error err = {0};
	char *path = file_join(dir, file);
	int code = report_view_of(result, &view, &err);

	if (!code) {
		view->page_url = page_url;
		report_markdown(view, 0, &text);
		code = file_write(path, text.data, text.length, &err);
	}
	if (code)
		fprintf(stderr, "%s: %s\n", path, err.message);
	report_view_free(view);
	fixture_free(result);
	strbuf_release(&text);
	free(path);
	return code;
}

static int write_markdown(const char *dir, const char *file, const char *name)
{
	struct strbuf linked = STRBUF_INIT;
	int code = write_text(dir, file, name, NULL);

	strbuf_addf(&linked, "linked-%s", file);
	if (!code)
		code = write_text(dir, linked.data, name, PAGE);
	strbuf_release(&linked);
	return code;
}

/* As it is, and around a mark. A name that may change the structure is in a file that says so. */
static int write_name(const char *dir, size_t number, const char *name)
{
	const char *lines = strpbrk(name, "\r\n") || !*name ? "-lines" : "";
	struct strbuf marked = STRBUF_INIT;
	char file[64];
	int code;

	strbuf_addf(&marked, "%sEVIL%s", name, name);
	snprintf(file, sizeof(file), "name-%zu%s.md", number, lines);
	code = write_markdown(dir, file, name);
	snprintf(file, sizeof(file), "name-%zu-marked%s.md", number, lines);
	if (!code)
		code = write_markdown(dir, file, marked.data);
	strbuf_release(&marked);
	return code;
}

static int write_names(const char *dir)
{
	struct error err = {0};
	int code = file_mkdirs(dir, &err);

	if (!code)
		code = write_markdown(dir, "harmless.md", "x");
	for (size_t i = 0; fixture_hostile_names[i] && !code; i++)
		code = write_name(dir, i, fixture_hostile_names[i]);
	return code ? 1 : 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc == 3 && strcmp(argv[1], "--names") == 0)
		return write_names(argv[2]);
	if (argc != 2)
		return 2;
	for (const struct fixture_case *one = fixture_cases; one->name; one++)
		failed |= write_case(argv[1], one->name, one->make());
	failed |= write_case(argv[1], "large", fixture_large(60000, 900));
	failed |= write_case(argv[1], "functions", make_functions(2000));
	failed |= write_case(argv[1], "deep", fixture_large(4000, 3500));
	failed |= write_hostile(argv[1]);
	return failed ? 1 : 0;
}
