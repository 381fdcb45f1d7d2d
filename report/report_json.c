/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_json.h"

#include <stdbool.h>
#include <string.h>

#include "report/prune.h"
#include "report/schema.h"
#include "report/view.h"

/* Containers this deep have a line for each element: a diff of two reports can be read. */
#define PRETTY_DEPTH 3
#define SHARED_BENCHMARKS                                                                          \
	10 /* up to this many have the full number of nodes and functions each                     \
	    */
#define LEAST_SHARE 300

static void write_strings(
	struct json_writer *json, const char *key, const char *const *strings, size_t count)
{
	json_member_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_write_string(json, strings[i] ? strings[i] : "");
	json_array_end(json);
}

static void write_indices(
	struct json_writer *json, const char *key, const uint32_t *indices, size_t count)
{
	json_member_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_write_int64(json, indices[i]);
	json_array_end(json);
}

static void write_object(
	struct schema_writer *writer, const char *key, const struct field *fields, const void *base)
{
	json_member_object(&writer->json, key);
	schema_write(writer, fields, base);
	json_object_end(&writer->json);
}

static void write_columns(struct schema_writer *writer, const char *key, const struct field *fields,
	const void *base, size_t count, size_t size)
{
	json_member_object(&writer->json, key);
	schema_write_columns(writer, fields, base, count, size);
	json_object_end(&writer->json);
}

/* Left out where there is none, as in reports of before it was looked for. */
static void write_source(struct schema_writer *writer, const struct result_source *source)
{
	if (!source)
		return;
	json_member_object(&writer->json, "source");
	schema_write(writer, schema_source, source);
	write_columns(writer, "lines", schema_line, source->lines, source->line_count,
		sizeof(*source->lines));
	json_object_end(&writer->json);
}

static void write_culprits(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	json_member_array(&writer->json, "culprits");
	for (size_t i = 0; i < benchmark->culprit_count; i++) {
		const struct result_culprit *culprit = &benchmark->culprits[i];

		json_object_begin(&writer->json);
		schema_write(writer, schema_culprit, culprit);
		write_indices(&writer->json, "path", culprit->path, culprit->path_length);
		write_source(writer, culprit->source);
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

static void write_shifts(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	json_member_array(&writer->json, "shifts");
	for (size_t i = 0; i < benchmark->shift_count; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_shift, &benchmark->shifts[i]);
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

static void write_stored_one(struct schema_writer *writer, const struct result_stored *stored)
{
	struct json_writer *json = &writer->json;

	json_object_begin(json);
	schema_write(writer, schema_stored, stored);
	json_member_array(json, "findings");
	for (size_t i = 0; i < stored->finding_count; i++) {
		json_object_begin(json);
		schema_write(writer, schema_finding, &stored->findings[i]);
		json_object_end(json);
	}
	json_array_end(json);
	write_strings(json, "losses", stored->losses, stored->loss_count);
	json_object_end(json);
}

static void write_stored(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	json_member_array(&writer->json, "stored");
	for (size_t i = 0; i < benchmark->stored_count; i++)
		write_stored_one(writer, &benchmark->stored[i]);
	json_array_end(&writer->json);
}

/* Reports of what is not compared have none, as those of before they were known. */
static void write_quantities(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	if (!benchmark->quantity_count)
		return;
	json_member_array(&writer->json, "quantities");
	for (size_t i = 0; i < benchmark->quantity_count; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_quantity, &benchmark->quantities[i]);
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

/* Left out where all names and files are the same, as in reports of before it was known. */
static void write_matchings(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	if (!benchmark->matching_count)
		return;
	json_member_array(&writer->json, "matches");
	for (size_t i = 0; i < benchmark->matching_count && i < REPORT_MAX_LIST; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_matching, &benchmark->matchings[i]);
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

/* Left out where samples have no labels, as in reports of before they were known. */
static void write_labels(
	struct schema_writer *writer, const struct result_label *labels, size_t count)
{
	if (!count)
		return;
	json_member_array(&writer->json, "labels");
	for (size_t i = 0; i < count; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_label, &labels[i]);
		write_strings(&writer->json, "values", labels[i].values, labels[i].value_count);
		write_columns(writer, "costs", schema_label_cost, labels[i].costs,
			labels[i].cost_count, sizeof(*labels[i].costs));
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

static void write_profile(struct schema_writer *writer, const struct result_profile *profile)
{
	json_object_begin(&writer->json);
	schema_write(writer, schema_profile, profile);
	write_columns(writer, "functions", schema_profile_function, profile->functions,
		profile->function_count, sizeof(*profile->functions));
	write_columns(writer, "nodes", schema_profile_node, profile->nodes, profile->node_count,
		sizeof(*profile->nodes));
	write_labels(writer, profile->labels, profile->label_count);
	json_object_end(&writer->json);
}

/* Left out where there are none, as in reports of before they were known. */
static void write_profiles(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	if (!benchmark->profile_count)
		return;
	json_member_array(&writer->json, "profiles");
	for (size_t i = 0; i < benchmark->profile_count; i++)
		write_profile(writer, &benchmark->profiles[i]);
	json_array_end(&writer->json);
}

static void write_tables(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	write_columns(writer, "blocks", schema_block, benchmark->blocks, benchmark->block_count,
		sizeof(*benchmark->blocks));
	write_columns(writer, "functions", schema_function, benchmark->functions,
		benchmark->function_count, sizeof(*benchmark->functions));
	write_columns(writer, "nodes", schema_node, benchmark->nodes, benchmark->node_count,
		sizeof(*benchmark->nodes));
	write_labels(writer, benchmark->labels, benchmark->label_count);
	write_profiles(writer, benchmark);
	/* Last: by now all of them are known. */
	write_strings(&writer->json, "strings", writer->strings->strings, writer->strings->count);
}

static void write_pruned(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	struct json_writer *json = &writer->json;
	struct string_table strings;

	string_table_init(&strings);
	writer->strings = &strings;
	json_object_begin(json);
	schema_write(writer, schema_benchmark, benchmark);
	write_object(writer, "total", schema_change, &benchmark->total);
	write_object(writer, "sampling", schema_sampling, &benchmark->sampling);
	write_culprits(writer, benchmark);
	write_shifts(writer, benchmark);
	write_stored(writer, benchmark);
	write_quantities(writer, benchmark);
	write_matchings(writer, benchmark);
	write_indices(json, "improvements", benchmark->improvements, benchmark->improvement_count);
	write_strings(json, "warnings", benchmark->warnings, benchmark->warning_count);
	write_strings(json, "excluded", benchmark->excluded, benchmark->excluded_count);
	write_tables(writer, benchmark);
	json_object_end(json);
	string_table_release(&strings);
}

/* So many benchmarks share a budget that the whole stays below what a reader accepts. */
static size_t share_of(size_t limit, size_t benchmark_count)
{
	size_t share = limit * SHARED_BENCHMARKS / (benchmark_count ? benchmark_count : 1);

	if (share > limit)
		return limit;
	return share < LEAST_SHARE ? LEAST_SHARE : share;
}

/* What each benchmark may have, and each tree of another type. */
struct shares {
	size_t nodes, functions, profile_nodes, source_bytes, label_costs;
};

/* What the benchmarks' own trees leave is for those of other types. */
static struct shares shares_of(const struct result *result)
{
	struct shares shares = {
		.nodes = share_of(PRUNE_MAX_NODES, result->benchmark_count),
		.functions = share_of(PRUNE_MAX_FUNCTIONS, result->benchmark_count),
		.label_costs = share_of(PRUNE_MAX_LABEL_COSTS, result->benchmark_count),
		.source_bytes = share_of(RESULT_SOURCE_BYTES, result->benchmark_count),
	};
	size_t left = (size_t)PRUNE_MAX_NODES * SHARED_BENCHMARKS, profiles = 0;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		size_t count = result->benchmarks[i].node_count;

		count = count < shares.nodes ? count : shares.nodes;
		left -= count < left ? count : left;
		profiles += result->benchmarks[i].profile_count;
	}
	left /= profiles ? profiles : 1;
	shares.profile_nodes = left < PRUNE_MAX_PROFILE_NODES ? left : PRUNE_MAX_PROFILE_NODES;
	return shares;
}

static int write_benchmark(struct schema_writer *writer, const struct result_benchmark *benchmark,
	const struct shares *shares)
{
	struct arena arena = ARENA_INIT;
	struct result_benchmark pruned;
	int code = prune_benchmark(
		benchmark, shares->nodes, shares->functions, &arena, &pruned, writer->err);

	if (!code)
		code = prune_profiles(&pruned, shares->profile_nodes, &arena, writer->err);
	if (!code) {
		prune_sources(&pruned, shares->source_bytes, &arena);
		prune_labels(&pruned, shares->label_costs, &arena);
	}
	if (!code)
		write_pruned(writer, &pruned);
	arena_release(&arena);
	return code ? code : writer->code;
}

static int write_result(struct schema_writer *writer, const struct result *result)
{
	struct json_writer *json = &writer->json;
	struct shares shares = shares_of(result);
	int code = ERR_OK;

	json_object_begin(json);
	json_member_int64(json, "format", REPORT_FORMAT);
	schema_write(writer, schema_result, result);
	write_object(writer, "base", schema_commit, &result->base);
	write_object(writer, "head", schema_commit, &result->head);
	write_strings(json, "config_changes", result->config_changes, result->config_change_count);
	write_strings(json, "warnings", result->warnings, result->warning_count);
	write_strings(json, "notes", result->notes, result->note_count);
	json_member_array(json, "benchmarks");
	for (size_t i = 0; !code && i < result->benchmark_count; i++)
		code = write_benchmark(writer, &result->benchmarks[i], &shares);
	json_array_end(json);
	json_object_end(json);
	return code ? code : writer->code;
}

/* "##[" can only stand in a string, where "\u0023" is the same as "#". */
static void add_without_commands(struct strbuf *out, const struct strbuf *json)
{
	const char *at = json->data, *end = json->data + json->length, *hash;

	strbuf_reserve(out, json->length);
	while ((hash = memchr(at, '#', (size_t)(end - at)))) {
		bool command = end - hash > 2 && hash[1] == '#' && hash[2] == '[';

		strbuf_add(out, at, (size_t)(hash + 1 - at));
		strbuf_addstr(out, command ? "\\u0023" : "");
		at = hash + (command ? 2 : 1);
	}
	strbuf_add(out, at, (size_t)(end - at));
	strbuf_addch(out, '\n');
}

int report_json_write(const struct result *result, struct strbuf *out, struct error *err)
{
	struct strbuf json = STRBUF_INIT;
	struct schema_writer writer = {.err = err};
	int code;

	json_writer_init(&writer.json, &json, PRETTY_DEPTH);
	code = write_result(&writer, result);
	if (!code)
		add_without_commands(out, &json);
	strbuf_release(&json);
	return code;
}
