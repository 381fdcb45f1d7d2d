/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/schema_json.h"

#include <string.h>

#include "gate/check/result.h"
#include "gate/net/json.h"
#include "report/json/report_json.h"
#include "report/json/schema.h"
#include "report/json/schema_notes.h"
#include "report/view/view.h"

#define PRETTY_DEPTH 4 /* a line for each property */
#define MAX_STRINGS (REPORT_MAX_FUNCTIONS * 3)
#define MAX_EXACT (INT64_C(1) << 53)

/* Members that report_json.c writes beside the tables' fields. */
enum shape { SHAPE_OBJECT, SHAPE_LIST, SHAPE_STRINGS, SHAPE_PLACES };
struct member {
	const char *name;
	enum shape shape;
	const char *of; /* the part that it is, or is a list of */
	int64_t limit;  /* of a list */
	bool added;     /* absent in earlier reports, or where there is nothing */
};

struct part {
	const char *name;
	const struct field *fields;
	int64_t column_limit; /* 0: an object; else columns of at most so many elements */
	struct member members[25];
};

#define STRINGS(name)                                                                              \
	{                                                                                          \
		name, SHAPE_STRINGS, NULL, REPORT_MAX_LIST, false                                  \
	}
#define LIST(name, of, added)                                                                      \
	{                                                                                          \
		name, SHAPE_LIST, of, REPORT_MAX_LIST, added                                       \
	}
#define OBJECT(name, of)                                                                           \
	{                                                                                          \
		name, SHAPE_OBJECT, of, 0, false                                                   \
	}
#define PLACES(name)                                                                               \
	{                                                                                          \
		name, SHAPE_PLACES, NULL, REPORT_MAX_LIST, false                                   \
	}

/* The first is the report itself. */
static const struct part parts[] = {
	{"report", schema_result, 0,
		{OBJECT("base", "commit"), OBJECT("head", "commit"), STRINGS("config_changes"),
			STRINGS("warnings"), {"notes", SHAPE_STRINGS, NULL, REPORT_MAX_LIST, true},
			{"benchmarks", SHAPE_LIST, "benchmark", REPORT_MAX_BENCHMARKS, false}}},
	{"commit", schema_commit, 0, {{0}}},
	{"benchmark", schema_benchmark, 0,
		{OBJECT("total", "change"), OBJECT("sampling", "sampling"),
			{"work", SHAPE_OBJECT, "work", 0, true}, LIST("culprits", "culprit", false),
			{"claims", SHAPE_LIST, "claim", RESULT_MAX_CLAIMS, true},
			LIST("consequences", "consequence", true), LIST("shifts", "shift", false),
			LIST("references", "reference", true), LIST("metrics", "metric", true),
			LIST("matches", "match", true), LIST("inlinings", "inlining", true),
			PLACES("improvements"), STRINGS("warnings"), STRINGS("excluded"),
			OBJECT("pairs", "pairs"), OBJECT("functions", "functions"),
			OBJECT("nodes", "nodes"),
			{"labels", SHAPE_LIST, "label", RESULT_MAX_LABELS, true},
			{"profiles", SHAPE_LIST, "profile", REPORT_MAX_PROFILES, true},
			{"memory_base", SHAPE_OBJECT, "memory", 0, true},
			{"memory_head", SHAPE_OBJECT, "memory", 0, true},
			{"strings", SHAPE_STRINGS, NULL, MAX_STRINGS, false}}},
	{"change", schema_change, 0, {{0}}},
	{"sampling", schema_sampling, 0, {{0}}},
	{"work", schema_work, 0, {{0}}},
	{"culprit", schema_culprit, 0,
		{PLACES("path"), {"production", SHAPE_OBJECT, "production", 0, true},
			{"source", SHAPE_OBJECT, "source", 0, true}}},
	{"claim", schema_claim, 0, {{"others", SHAPE_PLACES, NULL, RESULT_MAX_OTHERS, false}}},
	{"consequence", schema_consequence, 0, {{0}}},
	{"production", schema_production, 0, {{0}}},
	{"source", schema_source, 0, {OBJECT("lines", "lines")}},
	{"lines", schema_line, RESULT_SOURCE_LINES, {{0}}},
	{"shift", schema_shift, 0, {{0}}},
	{"reference", schema_reference, 0, {LIST("findings", "finding", false), STRINGS("losses")}},
	{"finding", schema_finding, 0, {{0}}},
	{"metric", schema_metric, 0, {{0}}},
	{"match", schema_matching, 0, {{0}}},
	{"inlining", schema_inlining, 0, {{0}}},
	{"pairs", schema_pair, REPORT_MAX_LIST, {{0}}},
	{"functions", schema_function, REPORT_MAX_FUNCTIONS, {{0}}},
	{"nodes", schema_node, REPORT_MAX_NODES, {{0}}},
	{"profile", schema_profile, 0,
		{OBJECT("functions", "profile_functions"), OBJECT("nodes", "profile_nodes"),
			{"labels", SHAPE_LIST, "label", RESULT_MAX_LABELS, true}}},
	{"label", schema_label, 0,
		{{"values", SHAPE_STRINGS, NULL, RESULT_MAX_LABEL_VALUES, false},
			OBJECT("costs", "label_costs")}},
	{"label_costs", schema_label_cost, RESULT_MAX_LABEL_COSTS, {{0}}},
	{"memory", schema_memory, 0, {OBJECT("moments", "moments")}},
	{"moments", schema_moment, RESULT_MAX_MOMENTS, {{0}}},
	{"profile_functions", schema_profile_function, REPORT_MAX_FUNCTIONS, {{0}}},
	{"profile_nodes", schema_profile_node, REPORT_MAX_NODES, {{0}}},
};
#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

/* ---- types ---------------------------------------------------------------------------------- */

static void write_note(struct json_writer *json, const char *part, const char *name)
{
	const char *note = schema_note(part, name);

	if (note)
		json_member_string(json, "description", note);
}

static void write_reference(struct json_writer *json, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "#/$defs/%s", name);
	json_member_string(json, "$ref", path.data);
	strbuf_release(&path);
}

static void write_range(struct json_writer *json, int64_t low, int64_t high)
{
	json_member_string(json, "type", "integer");
	json_member_int64(json, "minimum", low);
	json_member_int64(json, "maximum", high);
}

static void write_words(struct json_writer *json, const char *const *words)
{
	json_member_array(json, "enum");
	for (size_t i = 0; words[i]; i++)
		json_write_string(json, words[i]);
	json_array_end(json);
}

/* A column has the words' places. */
static void write_word_places(struct json_writer *json, const char *const *words)
{
	struct strbuf meaning = STRBUF_INIT;
	int64_t count = 0;

	for (; words[count]; count++)
		strbuf_addf(&meaning, "%s%d %s", count ? ", " : "", (int)count, words[count]);
	write_range(json, 0, count - 1);
	json_member_string(json, "description", meaning.data);
	strbuf_release(&meaning);
}

static void write_whole(struct json_writer *json, enum field_type type)
{
	if (type == FIELD_INT)
		write_range(json, 0, 255);
	else if (type == FIELD_U32)
		write_range(json, 0, (int64_t)UINT32_MAX - 1);
	else if (type == FIELD_LINE || type == FIELD_ADDED_LINE)
		write_range(json, 0, INT32_MAX);
	else
		write_range(json, 0, MAX_EXACT);
}

static void write_number_or_null(struct json_writer *json)
{
	json_member_array(json, "type");
	json_write_string(json, "number");
	json_write_string(json, "null");
	json_array_end(json);
}

/* Those of one value; the schema of a column's elements differs for some. */
static void write_type(struct json_writer *json, const struct field *field)
{
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_OPTIONAL:
	case FIELD_DEFAULT:
		json_member_string(json, "type", "string");
		break;
	case FIELD_NUMBER:
		json_member_string(json, "type", "number");
		break;
	case FIELD_ADDED:
		write_number_or_null(json);
		break;
	case FIELD_ESTIMATE:
	case FIELD_ADDED_ESTIMATE:
		write_reference(json, "estimate");
		break;
	case FIELD_RATIO:
		write_reference(json, "ratio");
		break;
	case FIELD_SEED:
		write_reference(json, "seed");
		break;
	case FIELD_INDEX:
	case FIELD_ADDED_INDEX:
		write_reference(json, "index");
		break;
	case FIELD_BOOL:
		json_member_string(json, "type", "boolean");
		break;
	case FIELD_WORD:
	case FIELD_ADDED_WORD:
	case FIELD_OPTIONAL_WORD:
		write_words(json, field->words);
		break;
	default:
		write_whole(json, field->type);
	}
}

static void write_cell_type(struct json_writer *json, const struct field *field)
{
	if (field->type == FIELD_STRING)
		write_reference(json, "string_place");
	else if (field->type == FIELD_BOOL)
		write_range(json, 0, 1);
	else if (field->type == FIELD_WORD)
		write_word_places(json, field->words);
	else
		write_type(json, field);
}

/* What it is taken for where an earlier report does not have it. */
static void write_default(struct json_writer *json, const struct field *field)
{
	if (field->type == FIELD_DEFAULT || field->type == FIELD_ADDED_WORD ||
		field->type == FIELD_OPTIONAL_WORD)
		json_member_string(json, "default", field->words[0]);
	else if (field->type == FIELD_OPTIONAL)
		json_member_string(json, "default", "");
	else if (field->type == FIELD_ADDED || field->type == FIELD_ADDED_LINE)
		json_member_int64(json, "default", 0);
	else if (field->type == FIELD_ADDED_INDEX)
		json_member_int64(json, "default", -1);
}

static bool is_required(const struct field *field)
{
	return field->type != FIELD_DEFAULT && field->type != FIELD_OPTIONAL &&
	       field->type != FIELD_ADDED && field->type != FIELD_ADDED_INDEX &&
	       field->type != FIELD_ADDED_LINE && field->type != FIELD_ADDED_WORD &&
	       field->type != FIELD_OPTIONAL_WORD && field->type != FIELD_ADDED_ESTIMATE;
}

/* ---- members -------------------------------------------------------------------------------- */

static void write_field(
	struct json_writer *json, const struct part *part, const struct field *field)
{
	json_member_object(json, field->name);
	if (part->column_limit) {
		json_member_string(json, "type", "array");
		json_member_int64(json, "maxItems", part->column_limit);
		json_member_object(json, "items");
		write_cell_type(json, field);
		json_object_end(json);
	} else {
		write_type(json, field);
		write_default(json, field);
	}
	write_note(json, part->name, field->name);
	json_object_end(json);
}

static void write_list(struct json_writer *json, const struct member *member)
{
	json_member_string(json, "type", "array");
	json_member_int64(json, "maxItems", member->limit);
	json_member_object(json, "items");
	if (member->shape == SHAPE_LIST)
		write_reference(json, member->of);
	else if (member->shape == SHAPE_PLACES)
		write_reference(json, "function_place");
	else
		json_member_string(json, "type", "string");
	json_object_end(json);
}

static void write_member(
	struct json_writer *json, const struct part *part, const struct member *member)
{
	json_member_object(json, member->name);
	if (member->shape == SHAPE_OBJECT)
		write_reference(json, member->of);
	else
		write_list(json, member);
	write_note(json, part->name, member->name);
	json_object_end(json);
}

static void write_required(struct json_writer *json, const struct part *part)
{
	json_member_array(json, "required");
	if (part == parts)
		json_write_string(json, "format");
	if (part->column_limit)
		json_write_string(json, "count");
	for (const struct field *field = part->fields; field->name; field++)
		if (is_required(field))
			json_write_string(json, field->name);
	for (const struct member *member = part->members; member->name; member++)
		if (!member->added)
			json_write_string(json, member->name);
	json_array_end(json);
}

static void write_first(struct json_writer *json, const struct part *part)
{
	if (part == parts) {
		json_member_object(json, "format");
		json_member_int64(json, "const", REPORT_FORMAT);
		json_object_end(json);
	}
	if (part->column_limit) {
		json_member_object(json, "count");
		write_range(json, 0, part->column_limit);
		json_object_end(json);
	}
}

static void write_part(struct json_writer *json, const struct part *part)
{
	write_note(json, part->name, NULL);
	json_member_string(json, "type", "object");
	write_required(json, part);
	json_member_object(json, "properties");
	write_first(json, part);
	for (const struct field *field = part->fields; field->name; field++)
		write_field(json, part, field);
	for (const struct member *member = part->members; member->name; member++)
		write_member(json, part, member);
	json_object_end(json);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void write_unknown(struct json_writer *json, const char *name)
{
	json_member_object(json, name);
	write_number_or_null(json);
	write_note(json, "", name);
	json_object_end(json);
}

static void write_place(struct json_writer *json, const char *name, int64_t low, int64_t high)
{
	json_member_object(json, name);
	write_range(json, low, high);
	write_note(json, "", name);
	json_object_end(json);
}

static void write_scalars(struct json_writer *json)
{
	write_unknown(json, "estimate");
	write_unknown(json, "ratio");
	write_place(json, "index", -1, (int64_t)UINT32_MAX - 1);
	write_place(json, "function_place", 0, REPORT_MAX_FUNCTIONS - 1);
	write_place(json, "string_place", 0, MAX_STRINGS - 1);
	json_member_object(json, "seed");
	json_member_string(json, "type", "string");
	json_member_string(json, "pattern", "^[0-9]{1,20}$");
	write_note(json, "", "seed");
	json_object_end(json);
}

void report_schema_json(struct strbuf *out)
{
	struct json_writer json;
	struct strbuf id = STRBUF_INIT;

	strbuf_addf(&id, "urn:flamegate:report:%d", REPORT_FORMAT);
	json_writer_init(&json, out, PRETTY_DEPTH);
	json_object_begin(&json);
	json_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_member_string(&json, "$id", id.data);
	json_member_string(&json, "title", "flamegate's report.json");
	write_part(&json, &parts[0]);
	json_member_object(&json, "$defs");
	for (size_t i = 1; i < PART_COUNT; i++) {
		json_member_object(&json, parts[i].name);
		write_part(&json, &parts[i]);
		json_object_end(&json);
	}
	write_scalars(&json);
	json_object_end(&json);
	json_object_end(&json);
	strbuf_addch(out, '\n');
	strbuf_release(&id);
}
