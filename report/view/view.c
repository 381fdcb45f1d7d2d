/* SPDX-License-Identifier: Apache-2.0 */
#include "report/view/view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/json.h"
#include "report/json/report_json.h"
#include "report/json/schema.h"
#include "report/view/view_read.h"

#define MAX_JSON_DEPTH 16

static const struct json_limits limits = {REPORT_MAX_BYTES, MAX_JSON_DEPTH, REPORT_MAX_VALUES};

int view_too_many(const struct json *node, struct error *err, size_t limit)
{
	json_error(node, err, "more than %zu elements", limit);
	if (err)
		err->code = ERR_LIMIT;
	return ERR_LIMIT;
}

/* ---- plain lists ----------------------------------------------------------------------------- */

int view_read_strings(struct schema_reader *reader, const struct json *object, const char *key,
	size_t limit, const char *const **out, size_t *count)
{
	const struct json *array;
	const char **strings;
	size_t i = 0;
	int code = json_get_array(object, key, &array, reader->err);

	if (code)
		return code;
	if (json_length(array) > limit)
		return view_too_many(array, reader->err, limit);
	strings = arena_array(reader->arena, json_length(array), sizeof(*strings));
	for (const struct json *node = json_first(array); node; node = json_next(node)) {
		code = json_string(node, &strings[i], reader->err);
		if (code)
			return code;
		strings[i] = arena_strdup(reader->arena, strings[i]);
		i++;
	}
	*out = strings;
	*count = i;
	return ERR_OK;
}

/* Places in a table of `limit` elements. */
static int read_indices(struct schema_reader *reader, const struct json *object, const char *key,
	size_t limit, const uint32_t **out, size_t *count)
{
	const struct json *array;
	uint32_t *indices;
	size_t i = 0;
	int code = json_get_array(object, key, &array, reader->err);

	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	indices = arena_array(reader->arena, json_length(array), sizeof(*indices));
	for (const struct json *node = json_first(array); node; node = json_next(node)) {
		int64_t index;

		code = json_expect(node, JSON_NUMBER, reader->err);
		if (!code)
			code = json_int64(node, &index, reader->err);
		if (!code && (index < 0 || (uint64_t)index >= limit))
			code = json_error(node, reader->err, "no such function");
		if (code)
			return code;
		indices[i++] = (uint32_t)index;
	}
	*out = indices;
	*count = i;
	return ERR_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

int view_read_columns(struct schema_reader *reader, const struct json *object, const char *key,
	const struct field *fields, size_t limit, size_t size, void **out, size_t *count)
{
	const struct json *columns;
	int64_t wanted = 0;
	void *items;
	int code = json_get_object(object, key, &columns, reader->err);

	if (!code)
		code = json_get_int64(columns, "count", &wanted, reader->err);
	if (!code)
		code = json_expect(json_get(columns, "count"), JSON_NUMBER, reader->err);
	if (code)
		return code;
	if (wanted < 0 || (uint64_t)wanted > limit)
		return view_too_many(columns, reader->err, limit);
	/* A short file cannot make us allocate much: a column must really have that many. */
	if (json_length(json_get(columns, fields->name)) != (size_t)wanted)
		return json_error(columns, reader->err, "\"%s\" does not have \"count\" elements",
			fields->name);
	items = arena_array(reader->arena, (size_t)wanted, size);
	code = schema_read_columns(reader, columns, fields, items, (size_t)wanted, size);
	if (code)
		return code;
	*out = items;
	*count = (size_t)wanted;
	return ERR_OK;
}

/* Of the columns. */
static int read_table_strings(struct schema_reader *reader, const struct json *object)
{
	const char *const *strings;
	int code = view_read_strings(reader, object, "strings", REPORT_MAX_FUNCTIONS * 3, &strings,
		&reader->string_count);

	if (code)
		return code;
	reader->strings = (const char **)strings;
	for (size_t i = 0; i < reader->string_count; i++) {
		if (strlen(strings[i]) <= REPORT_MAX_STRING)
			continue;
		json_error(json_get(object, "strings"), reader->err,
			"string %zu has more than %u bytes", i, REPORT_MAX_STRING);
		return reader->err ? reader->err->code = ERR_LIMIT : ERR_LIMIT;
	}
	return ERR_OK;
}

static int read_tables(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	void *pairs, *functions, *nodes;
	int code = read_table_strings(reader, object);

	if (!code)
		code = view_read_columns(reader, object, "pairs", schema_pair, REPORT_MAX_LIST,
			sizeof(struct result_pair), &pairs, &benchmark->pair_count);
	if (!code)
		code = view_read_columns(reader, object, "functions", schema_function,
			REPORT_MAX_FUNCTIONS, sizeof(struct result_function), &functions,
			&benchmark->function_count);
	if (!code)
		code = view_read_columns(reader, object, "nodes", schema_node, REPORT_MAX_NODES,
			sizeof(struct result_node), &nodes, &benchmark->node_count);
	if (code)
		return code;
	benchmark->pairs = pairs;
	benchmark->functions = functions;
	benchmark->nodes = nodes;
	return ERR_OK;
}

/* ---- culprits and shifts: after the tables that they point into ------------------------------ */

static bool is_function(const struct result_benchmark *benchmark, uint32_t index)
{
	return index < benchmark->function_count;
}

static bool is_function_or_none(const struct result_benchmark *benchmark, uint32_t index)
{
	return index == RESULT_NONE || is_function(benchmark, index);
}

static int read_production(struct schema_reader *reader, const struct json *culprit,
	const struct result_production **out)
{
	const struct json *object;
	struct result_production *production;
	int code;

	if (!json_get(culprit, "production"))
		return ERR_OK;
	code = json_get_object(culprit, "production", &object, reader->err);
	if (code)
		return code;
	production = arena_alloc(reader->arena, sizeof(*production));
	code = schema_read(reader, object, schema_production, production);
	if (!code && (production->share < 0 || production->share > 1))
		code = json_error(object, reader->err, "no share of a whole");
	if (!code)
		*out = production;
	return code;
}

static int read_culprit(struct schema_reader *reader, const struct json *node,
	const struct result_benchmark *benchmark, struct result_culprit *culprit)
{
	int code = schema_read(reader, node, schema_culprit, culprit);

	if (code)
		return code;
	if (culprit->node >= benchmark->node_count || !is_function(benchmark, culprit->function) ||
		!is_function_or_none(benchmark, culprit->caller) ||
		(link_has_function(culprit->link) &&
			culprit->linked >= benchmark->function_count) ||
		(culprit->claim != RESULT_NONE && culprit->claim >= benchmark->claim_count))
		return json_error(node, reader->err, "no such function, node or claim");
	code = read_indices(reader, node, "path", benchmark->function_count, &culprit->path,
		&culprit->path_length);
	if (!code)
		code = read_production(reader, node, &culprit->production);
	if (!code)
		code = view_read_source(reader, node, &culprit->source);
	if (!code && culprit->source && !is_function(benchmark, culprit->source->function))
		code = json_error(node, reader->err, "no such function");
	return code;
}

static int read_culprits(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_culprit *culprits;
	size_t i = 0;
	int code = json_get_array(object, "culprits", &array, reader->err);

	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	culprits = arena_array(reader->arena, json_length(array), sizeof(*culprits));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_culprit(reader, node, benchmark, &culprits[i++]);
	benchmark->culprits = culprits;
	benchmark->culprit_count = i;
	return code;
}

static int read_consequence(struct schema_reader *reader, const struct json *node,
	const struct result_benchmark *benchmark, struct result_consequence *consequence)
{
	int code = schema_read(reader, node, schema_consequence, consequence);

	if (code)
		return code;
	if (!is_function(benchmark, consequence->function) ||
		!is_function_or_none(benchmark, consequence->caller))
		return json_error(node, reader->err, "no such function");
	if (consequence->cause != RESULT_NONE && consequence->cause >= benchmark->culprit_count)
		return json_error(node, reader->err, "no such culprit");
	return ERR_OK;
}

/* Earlier reports have none. */
static int read_consequences(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_consequence *consequences;
	size_t i = 0;
	int code;

	if (!json_get(object, "consequences"))
		return ERR_OK;
	code = json_get_array(object, "consequences", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	consequences = arena_array(reader->arena, json_length(array), sizeof(*consequences));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_consequence(reader, node, benchmark, &consequences[i++]);
	benchmark->consequences = consequences;
	benchmark->consequence_count = i;
	return code;
}

static int read_shift(struct schema_reader *reader, const struct json *node,
	const struct result_benchmark *benchmark, struct result_shift *shift)
{
	int code = schema_read(reader, node, schema_shift, shift);

	if (code)
		return code;
	if (!is_function(benchmark, shift->to) || !is_function_or_none(benchmark, shift->from))
		return json_error(node, reader->err, "no such function");
	return ERR_OK;
}

static int read_shifts(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_shift *shifts;
	size_t i = 0;
	int code = json_get_array(object, "shifts", &array, reader->err);

	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	shifts = arena_array(reader->arena, json_length(array), sizeof(*shifts));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_shift(reader, node, benchmark, &shifts[i++]);
	benchmark->shifts = shifts;
	benchmark->shift_count = i;
	return code;
}

static bool are_functions(
	const struct result_benchmark *benchmark, const struct result_claim *claim)
{
	bool fits = is_function(benchmark, claim->subject);

	for (size_t i = 0; i < claim->other_count; i++)
		fits = fits && is_function(benchmark, claim->others[i]);
	return fits;
}

static int read_claim(struct schema_reader *reader, const struct json *node,
	const struct result_benchmark *benchmark, struct result_claim *claim)
{
	int code = schema_read(reader, node, schema_claim, claim);

	if (!code)
		code = read_indices(reader, node, "others", benchmark->function_count,
			&claim->others, &claim->other_count);
	if (!code && !are_functions(benchmark, claim))
		code = json_error(node, reader->err, "no such function");
	return code;
}

/* Earlier reports have none. */
static int read_claims(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_claim *claims;
	size_t i = 0;
	int code = ERR_OK;

	if (!json_get(object, "claims"))
		return ERR_OK;
	code = json_get_array(object, "claims", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > RESULT_MAX_CLAIMS)
		return view_too_many(array, reader->err, RESULT_MAX_CLAIMS);
	claims = arena_array(reader->arena, json_length(array), sizeof(*claims));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_claim(reader, node, benchmark, &claims[i++]);
	benchmark->claims = claims;
	benchmark->claim_count = i;
	return code;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static bool node_fits(const struct result_benchmark *benchmark, size_t i, uint32_t *depths)
{
	const struct result_node *node = &benchmark->nodes[i];

	if (!i)
		return node->parent == 0 && node->function == RESULT_NONE;
	if (node->parent >= i || !is_function_or_none(benchmark, node->function))
		return false;
	depths[i] = depths[node->parent] + 1;
	return depths[i] <= REPORT_MAX_DEPTH;
}

/* Parents come first, so there is no cycle, and the renderers' recursion has a bound. */
int view_check_tree(struct schema_reader *reader, const struct json *object,
	const struct result_benchmark *benchmark)
{
	uint32_t *depths = xcalloc(benchmark->node_count, sizeof(*depths));
	int code = ERR_OK;

	for (size_t i = 0; !code && i < benchmark->node_count; i++) {
		if (!node_fits(benchmark, i, depths))
			code = json_error(json_get(object, "nodes"), reader->err,
				"node %zu has no place in the tree", i);
	}
	free(depths);
	return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int read_part(struct schema_reader *reader, const struct json *object, const char *key,
	const struct field *fields, void *base)
{
	const struct json *part;
	int code = json_get_object(object, key, &part, reader->err);

	return code ? code : schema_read(reader, part, fields, base);
}

/* Absent: nothing was done to its clock. */
static int read_work(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	if (!json_get(object, "work"))
		return ERR_OK;
	return read_part(reader, object, "work", schema_work, &benchmark->work);
}

static int read_lists(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	int code = read_indices(reader, object, "improvements", benchmark->function_count,
		&benchmark->improvements, &benchmark->improvement_count);

	if (!code)
		code = view_read_strings(reader, object, "warnings", REPORT_MAX_LIST,
			&benchmark->warnings, &benchmark->warning_count);
	if (!code)
		code = view_read_strings(reader, object, "excluded", REPORT_MAX_LIST,
			&benchmark->excluded, &benchmark->excluded_count);
	return code;
}

static int read_benchmark(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	int code = schema_read(reader, object, schema_benchmark, benchmark);

	if (!code)
		code = read_part(reader, object, "total", schema_change, &benchmark->total);
	if (!code)
		code = read_part(reader, object, "sampling", schema_sampling, &benchmark->sampling);
	if (!code)
		code = read_work(reader, object, benchmark);
	if (!code)
		code = read_tables(reader, object, benchmark);
	if (!code)
		code = view_check_tree(reader, object, benchmark);
	if (!code)
		code = view_read_labels(reader, object, benchmark->node_count, &benchmark->labels,
			&benchmark->label_count);
	if (!code)
		code = view_read_profiles(reader, object, benchmark);
	if (!code)
		code = read_claims(reader, object, benchmark);
	if (!code)
		code = read_culprits(reader, object, benchmark);
	if (!code)
		code = read_consequences(reader, object, benchmark);
	if (!code)
		code = read_shifts(reader, object, benchmark);
	if (!code)
		code = view_read_references(reader, object, benchmark);
	if (!code)
		code = view_read_metrics(reader, object, benchmark);
	if (!code)
		code = view_read_memory(reader, object, benchmark);
	if (!code)
		code = view_read_matchings(reader, object, benchmark);
	if (!code)
		code = view_read_inlinings(reader, object, benchmark);
	return code ? code : read_lists(reader, object, benchmark);
}

static int read_benchmarks(
	struct schema_reader *reader, const struct json *root, struct result *result)
{
	const struct json *array;
	struct result_benchmark *benchmarks;
	size_t i = 0;
	int code = json_get_array(root, "benchmarks", &array, reader->err);

	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_BENCHMARKS)
		return view_too_many(array, reader->err, REPORT_MAX_BENCHMARKS);
	benchmarks = arena_array(reader->arena, json_length(array), sizeof(*benchmarks));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_benchmark(reader, node, &benchmarks[i++]);
	result->benchmarks = benchmarks;
	result->benchmark_count = i;
	return code;
}

static int check_format(const struct json *root, struct error *err)
{
	int64_t format;
	int code = json_get_int64(root, "format", &format, err);

	if (!code)
		code = json_expect(json_get(root, "format"), JSON_NUMBER, err);
	if (!code && format != REPORT_FORMAT)
		return json_error(json_get(root, "format"), err,
			"this flamegate reads format %d only", REPORT_FORMAT);
	return code;
}

static int read_result(struct schema_reader *reader, const struct json *root, struct result *result)
{
	int code = check_format(root, reader->err);

	if (!code)
		code = schema_read(reader, root, schema_result, result);
	if (!code)
		code = read_part(reader, root, "base", schema_commit, &result->base);
	if (!code)
		code = read_part(reader, root, "head", schema_commit, &result->head);
	if (!code)
		code = view_read_strings(reader, root, "config_changes", REPORT_MAX_LIST,
			&result->config_changes, &result->config_change_count);
	if (!code)
		code = view_read_strings(reader, root, "warnings", REPORT_MAX_LIST,
			&result->warnings, &result->warning_count);
	/* Earlier reports have none. */
	if (!code && json_get(root, "notes"))
		code = view_read_strings(reader, root, "notes", REPORT_MAX_LIST, &result->notes,
			&result->note_count);
	return code ? code : read_benchmarks(reader, root, result);
}

int report_view_read(const char *json, size_t length, struct report_view **out, struct error *err)
{
	struct report_view *view = xcalloc(1, sizeof(*view));
	struct schema_reader reader = {.arena = &view->result.arena, .err = err};
	struct json *root = NULL;
	int code;

	arena_init(&view->result.arena);
	code = json_parse(json, length, "report.json", &limits, &root, err);
	if (!code)
		code = view_check_keys(root, err);
	if (!code)
		code = read_result(&reader, root, &view->result);
	json_free(root);
	if (code)
		report_view_free(view);
	else
		*out = view;
	return code;
}

int report_view_of(const struct result *result, struct report_view **out, struct error *err)
{
	struct strbuf json = STRBUF_INIT;
	int code = report_json_write(result, &json, err);

	if (!code)
		code = report_view_read(json.data, json.length, out, err);
	strbuf_release(&json);
	return code;
}

void report_view_free(struct report_view *view)
{
	if (!view)
		return;
	arena_release(&view->result.arena);
	free(view);
}
