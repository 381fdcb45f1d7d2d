/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/report_json.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/result.h"
#include "report/json/prune.h"
#include "report/json/schema.h"
#include "report/view/view.h"

/* Containers this deep have a line for each element: a diff of two reports can be read. */
#define PRETTY_DEPTH 3
/* Up to this many have the full number of nodes and functions each. With as many labels they are
 * 3.9 million values: a reader accepts 4 (view.h). */
#define SHARED_BENCHMARKS 4
#define LEAST_SHARE 100
/* What is more than a reader accepts for all that is written again, with a half of each share. */
#define MAX_PARTS 128
#define PARTS_WITHOUT_MEMORY 4

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

static void write_production(
	struct schema_writer *writer, const struct result_production *production)
{
	if (!production)
		return;
	json_member_object(&writer->json, "production");
	schema_write(writer, schema_production, production);
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
		write_production(writer, culprit->production);
		write_source(writer, culprit->source);
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

/* Left out where nothing is claimed, as in earlier reports. */
static void write_claims(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	if (!benchmark->claim_count)
		return;
	json_member_array(&writer->json, "claims");
	for (size_t i = 0; i < benchmark->claim_count; i++) {
		const struct result_claim *claim = &benchmark->claims[i];

		json_object_begin(&writer->json);
		schema_write(writer, schema_claim, claim);
		write_indices(&writer->json, "others", claim->others, claim->other_count);
		json_object_end(&writer->json);
	}
	json_array_end(&writer->json);
}

static void write_consequences(
	struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	json_member_array(&writer->json, "consequences");
	for (size_t i = 0; i < benchmark->consequence_count; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_consequence, &benchmark->consequences[i]);
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

static void write_reference(struct schema_writer *writer, const struct result_reference *reference)
{
	struct json_writer *json = &writer->json;

	json_object_begin(json);
	schema_write(writer, schema_reference, reference);
	json_member_array(json, "findings");
	for (size_t i = 0; i < reference->finding_count; i++) {
		json_object_begin(json);
		schema_write(writer, schema_finding, &reference->findings[i]);
		json_object_end(json);
	}
	json_array_end(json);
	write_strings(json, "losses", reference->losses, reference->loss_count);
	json_object_end(json);
}

static void write_references(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	json_member_array(&writer->json, "references");
	for (size_t i = 0; i < benchmark->reference_count; i++)
		write_reference(writer, &benchmark->references[i]);
	json_array_end(&writer->json);
}

/* Reports of what is not compared have none, as those of before they were known. */
static void write_metrics(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	if (!benchmark->metric_count)
		return;
	json_member_array(&writer->json, "metrics");
	for (size_t i = 0; i < benchmark->metric_count; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_metric, &benchmark->metrics[i]);
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

/* Left out where nothing was split, merged, inlined or outlined, as in earlier reports. */
static void write_inlinings(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	if (!benchmark->inlining_count)
		return;
	json_member_array(&writer->json, "inlinings");
	for (size_t i = 0; i < benchmark->inlining_count && i < REPORT_MAX_LIST; i++) {
		json_object_begin(&writer->json);
		schema_write(writer, schema_inlining, &benchmark->inlinings[i]);
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

/* Left out where the heap was not counted, as in reports of before it was looked at over time. */
static void write_memory(
	struct schema_writer *writer, const char *key, const struct result_memory_line *line)
{
	size_t count = line->moment_count;

	if (!count)
		return;
	json_member_object(&writer->json, key);
	schema_write(writer, schema_memory, line);
	write_columns(writer, "moments", schema_moment, line->moments,
		count < RESULT_MAX_MOMENTS ? count : RESULT_MAX_MOMENTS, sizeof(*line->moments));
	json_object_end(&writer->json);
}

static void write_tables(struct schema_writer *writer, const struct result_benchmark *benchmark)
{
	write_columns(writer, "pairs", schema_pair, benchmark->pairs, benchmark->pair_count,
		sizeof(*benchmark->pairs));
	write_columns(writer, "functions", schema_function, benchmark->functions,
		benchmark->function_count, sizeof(*benchmark->functions));
	write_columns(writer, "nodes", schema_node, benchmark->nodes, benchmark->node_count,
		sizeof(*benchmark->nodes));
	write_labels(writer, benchmark->labels, benchmark->label_count);
	write_profiles(writer, benchmark);
	write_memory(writer, "memory_base", &benchmark->memory[0]);
	write_memory(writer, "memory_head", &benchmark->memory[1]);
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
	if (benchmark->work.kind)
		write_object(writer, "work", schema_work, &benchmark->work);
	write_culprits(writer, benchmark);
	write_claims(writer, benchmark);
	write_consequences(writer, benchmark);
	write_shifts(writer, benchmark);
	write_references(writer, benchmark);
	write_metrics(writer, benchmark);
	write_matchings(writer, benchmark);
	write_inlinings(writer, benchmark);
	write_indices(json, "improvements", benchmark->improvements, benchmark->improvement_count);
	write_strings(json, "warnings", benchmark->warnings, benchmark->warning_count);
	write_strings(json, "excluded", benchmark->excluded, benchmark->excluded_count);
	write_tables(writer, benchmark);
	json_object_end(json);
	string_table_release(&strings);
}

/* So many benchmarks share a budget that the whole stays below what a reader accepts. */
static size_t share_of(size_t limit, size_t benchmark_count, size_t parts)
{
	size_t share = limit * SHARED_BENCHMARKS / (benchmark_count ? benchmark_count : 1);

	if (share > limit)
		share = limit;
	else if (share < LEAST_SHARE)
		share = LEAST_SHARE;
	return share / parts ? share / parts : 1;
}

/* What each benchmark may have, and each tree of another type. */
struct shares {
	size_t nodes, functions, profile_nodes, source_bytes, label_costs;
	size_t list; /* of matches, and of inlinings */
	bool memory;
};

/* What the benchmarks' own trees leave is for those of other types. A part of all that: parts. */
static struct shares shares_of(const struct result *result, size_t parts)
{
	size_t count = result->benchmark_count;
	struct shares shares = {
		.nodes = share_of(PRUNE_MAX_NODES, count, parts),
		.functions = share_of(PRUNE_MAX_FUNCTIONS, count, parts),
		.label_costs = share_of(PRUNE_MAX_LABEL_COSTS, count, parts),
		.source_bytes = share_of(RESULT_SOURCE_BYTES, count, parts),
		.list = REPORT_MAX_LIST / parts,
		.memory = parts < PARTS_WITHOUT_MEMORY,
	};
	size_t left = (size_t)PRUNE_MAX_NODES * SHARED_BENCHMARKS / parts, profiles = 0;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		size_t nodes = result->benchmarks[i].node_count;

		nodes = nodes < shares.nodes ? nodes : shares.nodes;
		left -= nodes < left ? nodes : left;
		profiles += result->benchmarks[i].profile_count;
	}
	left /= profiles ? profiles : 1;
	shares.profile_nodes = left < PRUNE_MAX_PROFILE_NODES ? left : PRUNE_MAX_PROFILE_NODES;
	return shares;
}

/* What is left out is said. */
static void cut_lists(
	struct result_benchmark *out, const struct shares *shares, struct arena *arena)
{
	size_t matchings = out->matching_count, inlinings = out->inlining_count;

	if (matchings > shares->list) {
		out->matching_count = shares->list;
		prune_say(out, arena,
			arena_printf(arena,
				"%zu functions that were renamed or moved are not listed",
				matchings - shares->list));
	}
	if (inlinings > shares->list) {
		out->inlining_count = shares->list;
		prune_say(out, arena,
			arena_printf(arena, "%zu functions that count with another are not listed",
				inlinings - shares->list));
	}
	if (!shares->memory && (out->memory[0].moment_count || out->memory[1].moment_count)) {
		out->memory[0].moment_count = out->memory[1].moment_count = 0;
		prune_say(out, arena, "the heap over time is left out: the report is large");
	}
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
		cut_lists(&pruned, shares, &arena);
	}
	if (!code)
		write_pruned(writer, &pruned);
	arena_release(&arena);
	return code ? code : writer->code;
}

static int write_result(struct schema_writer *writer, const struct result *result, size_t parts)
{
	struct json_writer *json = &writer->json;
	struct shares shares = shares_of(result, parts);
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

/* *fits: a reader accepts it. */
static int write_text(const struct result *result, size_t parts, struct strbuf *text, bool *fits,
	struct error *err)
{
	struct strbuf json = STRBUF_INIT;
	struct schema_writer writer = {.err = err};
	int code;

	json_writer_init(&writer.json, &json, PRETTY_DEPTH);
	code = write_result(&writer, result, parts);
	if (!code)
		add_without_commands(text, &json);
	*fits = writer.json.values <= REPORT_MAX_VALUES && text->length <= REPORT_MAX_BYTES;
	strbuf_release(&json);
	return code;
}

int report_json_write(const struct result *result, struct strbuf *out, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	bool fits = false;
	int code = ERR_OK;

	for (size_t parts = 1; !code && !fits && parts <= MAX_PARTS; parts *= 2) {
		strbuf_release(&text);
		code = write_text(result, parts, &text, &fits, err);
	}
	if (!code && !fits)
		code = error_set(err, ERR_LIMIT,
			"report.json would be larger than any reader accepts: %u values or %u bytes",
			REPORT_MAX_VALUES, REPORT_MAX_BYTES);
	if (!code)
		strbuf_add(out, text.data, text.length);
	strbuf_release(&text);
	return code;
}
