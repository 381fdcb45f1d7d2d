/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config_benchmarks.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/bench/config/config_values.h"

#define RESERVED_SLUG "check.json"
#define MAX_BENCHMARKS 1000
#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* ---- name --------------------------------------------------------------------------------- */

static int parse_name(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	const char *text;
	int rc = config_text(reader, value, path, &text);

	if (rc)
		return rc;
	if (!strchr(LETTERS_AND_DIGITS, *text) || text[strspn(text, LETTERS_AND_DIGITS "._+/-")] ||
		strlen(text) > CONFIG_MAX_NAME_BYTES)
		return config_fail(reader, value,
			"%s is no name for a benchmark: use at most %d letters, digits and ._+/-, "
			"with a letter or a digit first",
			config_quote(reader, text), CONFIG_MAX_NAME_BYTES);
	*(const char **)field = text;
	return ERR_OK;
}

static void show_name(const void *field, struct strbuf *out)
{
	strbuf_addstr(out, *(const char *const *)field);
}

/* ---- command ------------------------------------------------------------------------------ */

static bool needs_quotes(const char *argument)
{
	return !*argument || argument[strspn(argument, LETTERS_AND_DIGITS "._+/-=:,@%")];
}

void config_add_argument(struct strbuf *line, const char *argument)
{
	if (line->length)
		strbuf_addch(line, ' ');
	if (!needs_quotes(argument)) {
		strbuf_addstr(line, argument);
		return;
	}
	strbuf_addch(line, '\'');
	for (; *argument; argument++)
		if (*argument == '\'')
			strbuf_addstr(line, "'\\''");
		else
			strbuf_addch(line, *argument);
	strbuf_addch(line, '\'');
}

static const char *command_line(const struct config_reader *reader, const char *const *argv)
{
	struct strbuf line = STRBUF_INIT;
	const char *text;

	for (; *argv; argv++)
		config_add_argument(&line, *argv);
	text = arena_strndup(reader->arena, line.data, line.length);
	strbuf_release(&line);
	return text;
}

static int parse_shell(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, struct config_benchmark *benchmark)
{
	const char **argv = arena_array(reader->arena, 4, sizeof(*argv));
	int rc = config_text(reader, value, path, &argv[2]);

	if (rc)
		return rc;
	argv[0] = "sh";
	argv[1] = "-c";
	benchmark->argv = argv;
	benchmark->shell = true;
	benchmark->command_text = argv[2];
	return ERR_OK;
}

static int parse_arguments(const struct config_reader *reader, const struct yaml_node *value,
	struct config_benchmark *benchmark)
{
	const char **argv = arena_array(reader->arena, value->count + 1, sizeof(*argv));
	size_t count = 0;

	for (const struct yaml_node *item = value->first; item; item = item->next) {
		if (item->kind != YAML_SCALAR || yaml_is_null(item))
			return config_fail(
				reader, item, "an argument must be a text (\"\" for an empty one)");
		argv[count++] = item->text;
	}
	if (!count || !*argv[0])
		return config_fail(reader, value, "'command' has no program to run");
	benchmark->argv = argv;
	benchmark->shell = false;
	benchmark->command_text = command_line(reader, argv);
	return ERR_OK;
}

static int parse_command(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	if (value->kind == YAML_MAP)
		return config_fail(reader, value,
			"'command' must be a text for the shell, or a list of arguments");
	if (value->kind == YAML_LIST)
		return parse_arguments(reader, value, field);
	return parse_shell(reader, value, path, field);
}

static void show_command(const void *field, struct strbuf *out)
{
	const struct config_benchmark *benchmark = field;

	config_show_list(benchmark->argv, out);
}

/* ---- work --------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum config_work work;
} works[] = {{"auto", CONFIG_WORK_AUTO}, {"fixed", CONFIG_WORK_FIXED},
	{"replayed", CONFIG_WORK_REPLAYED}, {"stepped", CONFIG_WORK_STEPPED},
	{"iterations", CONFIG_WORK_MARKS}};
#define WORKS (sizeof(works) / sizeof(works[0]))

static int parse_work(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	struct config_benchmark *benchmark = field;

	if (value->kind == YAML_MAP) {
		benchmark->work = CONFIG_WORK_ITERATIONS;
		return config_read_map(
			reader, value, arena_printf(reader->arena, "%s.", path), field);
	}
	for (size_t i = 0; i < WORKS && value->kind == YAML_SCALAR; i++)
		if (strcmp(value->text, works[i].word) == 0) {
			benchmark->work = works[i].work;
			return ERR_OK;
		}
	return config_fail(reader, value,
		"'work' must be auto, fixed, replayed (by base's clock) or stepped (by a clock "
		"that goes on by one step at each call), {iterations: FILE} with the file into "
		"which the benchmark writes how many iterations it did, or iterations if it calls "
		"flamegate_iteration()");
}

static void show_work(const void *field, struct strbuf *out)
{
	const struct config_benchmark *benchmark = field;

	if (benchmark->work == CONFIG_WORK_ITERATIONS)
		strbuf_addstr(out, "iterations from a file");
	for (size_t i = 0; i < WORKS; i++)
		if (works[i].work == benchmark->work)
			strbuf_addstr(out, works[i].word);
}

static int check_globs(const struct config_reader *reader, const struct yaml_node *node,
	const struct config_benchmark *benchmark)
{
	bool has_globs = benchmark->include[0] || benchmark->exclude[0];

	if (!has_globs || (benchmark->harness != CONFIG_HARNESS_NONE &&
				  benchmark->harness != CONFIG_HARNESS_NANOBENCH))
		return ERR_OK;
	return config_fail(reader, node,
		"benchmark %s has 'include' or 'exclude', but 'harness: %s' lists no benchmarks: "
		"take them away, or name a harness that does",
		benchmark->name, config_harness_names[benchmark->harness]);
}

/* ---- the list ----------------------------------------------------------------------------- */

static char *slug_of(const struct config_reader *reader, const char *name)
{
	char *slug = arena_strdup(reader->arena, name);

	for (char *at = slug; *at; at++) {
		if (!strchr(LETTERS_AND_DIGITS "._-", *at))
			*at = '_';
	}
	return slug;
}

/* "a/b" and "a+b" need different files; "a_b-2" may be somebody's name too. */
static const char *unique_slug(
	const struct config_reader *reader, struct map *slugs, const char *name)
{
	const char *slug = slug_of(reader, name), *base = slug;

	/* Their folders stand beside the measurements' own file. */
	map_put_str(slugs, RESERVED_SLUG, 0);
	for (unsigned number = 2; map_get_str(slugs, slug) != MAP_NONE; number++)
		slug = arena_printf(reader->arena, "%s-%u", base, number);
	map_put_str(slugs, slug, 0);
	return slug;
}

static int check_unique(const struct config_reader *reader, const struct yaml_node *node,
	const struct config_benchmark *benchmark, struct map *names)
{
	uint32_t line = map_get_str(names, benchmark->name);

	if (line != MAP_NONE)
		return config_fail(reader, node,
			"there are two benchmarks %s (the first in line %u)", benchmark->name,
			line);
	map_put_str(names, benchmark->name, node->line);
	return ERR_OK;
}

static int parse_benchmark(const struct config_reader *reader, const struct yaml_node *node,
	struct config_benchmark *benchmark, struct map *names)
{
	int rc = config_fill_defaults(reader, CONFIG_IN_BENCHMARK, benchmark);

	benchmark->line = node->line;
	if (!rc)
		rc = config_read_map(reader, node, CONFIG_IN_BENCHMARK, benchmark);
	if (!rc)
		rc = check_globs(reader, node, benchmark);
	return rc ? rc : check_unique(reader, node, benchmark, names);
}

static int parse_list(const struct config_reader *reader, const struct yaml_node *list,
	struct config *config, struct map *names, struct map *slugs)
{
	config->benchmarks = arena_array(reader->arena, list->count, sizeof(*config->benchmarks));
	config->benchmark_count = 0;
	for (const struct yaml_node *node = list->first; node; node = node->next) {
		struct config_benchmark *benchmark = &config->benchmarks[config->benchmark_count++];
		int rc = parse_benchmark(reader, node, benchmark, names);

		if (rc)
			return rc;
	}
	/* After all names are known to be good, in the file's order. */
	for (size_t i = 0; i < config->benchmark_count; i++)
		config->benchmarks[i].slug = unique_slug(reader, slugs, config->benchmarks[i].name);
	return ERR_OK;
}

static int parse_benchmarks(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, void *field)
{
	struct map names, slugs;
	int rc;

	(void)path;
	if (value->kind != YAML_LIST || !value->count || value->count > MAX_BENCHMARKS)
		return config_fail(reader, value,
			"'benchmarks' must be a list of 1 to %d benchmarks, "
			"each with name, command and work",
			MAX_BENCHMARKS);
	map_init(&names);
	map_init(&slugs);
	rc = parse_list(reader, value, field, &names, &slugs);
	map_release(&names);
	map_release(&slugs);
	return rc;
}

const struct config_type config_type_name = {"a name", parse_name, show_name, false};
const struct config_type config_type_command = {
	"a text for the shell, or a list of arguments", parse_command, show_command, false};
const struct config_type config_type_work = {
	"fixed, {iterations: FILE}, or iterations", parse_work, show_work, true};
const struct config_type config_type_benchmarks = {"a list", parse_benchmarks, NULL, false};
