/* SPDX-License-Identifier: Apache-2.0 */
#include "report/ci/sarif.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "gate/net/json.h"
#include "report/clean.h"
#include "report/findings/blamed.h"
#include "report/findings/reference_words.h"
#include "report/words/words.h"

#define PRETTY_DEPTH 3
#define MESSAGE_COLUMNS 1000
#define NAME_COLUMNS 200
#define STACK_FRAMES 40   /* the innermost; of one result */
#define MOST_FRAMES 20000 /* of all: later results have no stack */

struct rule {
	const char *id, *name, *text, *help, *level;
	enum result_status status;
};

static const struct rule rules[] = {
	{"regression", "PerformanceRegression", "Takes more than on the target branch",
		"A benchmark, or a function in it, takes more than on the target branch, beyond "
		"the margins of the policy. The message says of what, by how much, and how that is "
		"known; the report beside this file says how it was measured.",
		"error", RESULT_FAIL},
	{"suspicion", "PerformanceSuspicion", "May take more than on the target branch",
		"Something grew or could not be decided, but not in a way that the policy lets "
		"fail the build.",
		"warning", RESULT_WARN},
};
#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

static void text_member(struct json_writer *json, const char *key, const char *text)
{
	json_member_object(json, key);
	json_member_string(json, "text", text);
	json_object_end(json);
}

/*
 * A message's own syntax (SARIF 2.1.0, 3.11.5 and 3.11.6): braces are placeholders unless they are
 * doubled, and "[text](target)" is a link unless its brackets are escaped, and backslashes with
 * them; elsewhere both stand for themselves.
 */
static void add_escaped(struct strbuf *out, const char *text)
{
	bool has_link = strstr(text, "](");

	for (; *text; text++) {
		if (has_link && strchr("\\[]", *text))
			strbuf_addch(out, '\\');
		if (strchr("{}", *text))
			strbuf_addch(out, *text);
		strbuf_addch(out, *text);
	}
}

static void message_member(struct json_writer *json, const char *text)
{
	struct strbuf escaped = STRBUF_INIT;

	add_escaped(&escaped, text);
	text_member(json, "message", escaped.data);
	strbuf_release(&escaped);
}

/* Hostile names: one clean line. */
static void name_member(struct json_writer *json, const char *key, const char *name)
{
	struct strbuf clean = STRBUF_INIT;

	clean_cut(&clean, name, NAME_COLUMNS);
	json_member_string(json, key, clean.data);
	strbuf_release(&clean);
}

/* ---- the tool ------------------------------------------------------------------------------- */

static void write_rule(struct json_writer *json, const struct rule *rule)
{
	json_object_begin(json);
	json_member_string(json, "id", rule->id);
	json_member_string(json, "name", rule->name);
	text_member(json, "shortDescription", rule->text);
	text_member(json, "fullDescription", rule->help);
	text_member(json, "help", rule->help);
	json_member_object(json, "defaultConfiguration");
	json_member_string(json, "level", rule->level);
	json_object_end(json);
	json_member_object(json, "properties");
	json_member_array(json, "tags");
	json_write_string(json, "performance");
	json_array_end(json);
	json_object_end(json);
	json_object_end(json);
}

static void write_tool(struct json_writer *json, const struct result *result)
{
	json_member_object(json, "tool");
	json_member_object(json, "driver");
	json_member_string(json, "name", "flamegate");
	name_member(json, "version", result->tool_version);
	json_member_array(json, "rules");
	for (size_t i = 0; i < RULE_COUNT; i++)
		write_rule(json, &rules[i]);
	json_array_end(json);
	json_object_end(json);
	json_object_end(json);
}

/* ---- what could not be measured, or not be compared ----------------------------------------- */

static void write_notification(
	struct json_writer *json, const char *level, const struct blamed *blamed)
{
	struct strbuf message = STRBUF_INIT;

	blamed_message(blamed, MESSAGE_COLUMNS, &message);
	json_object_begin(json);
	json_member_string(json, "level", level);
	message_member(json, message.data);
	json_object_end(json);
	strbuf_release(&message);
}

static void write_all(struct json_writer *json, const struct result *result,
	enum result_status status, const char *level)
{
	struct blamed_list list;

	blamed_list_init(&list, result, status);
	for (size_t i = 0; i < list.count && i < SARIF_MAX_RESULTS; i++)
		write_notification(json, level, &list.items[i]);
	blamed_list_release(&list);
}

static void write_notifications(struct json_writer *json, const struct result *result)
{
	json_member_array(json, "toolExecutionNotifications");
	write_all(json, result, RESULT_ERROR, "error");
	write_all(json, result, RESULT_NEUTRAL, "note");
	json_array_end(json);
}

static void write_invocation(struct json_writer *json, const struct result *result)
{
	json_member_array(json, "invocations");
	json_object_begin(json);
	json_member_bool(json, "executionSuccessful", result->status != RESULT_ERROR);
	json_member_int64(json, "exitCode", result->exit_status);
	write_notifications(json, result);
	json_object_end(json);
	json_array_end(json);
}

/* ---- places --------------------------------------------------------------------------------- */

/* RFC 3986: what may stand in a path as it is. */
static void add_uri(struct strbuf *out, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || strchr("-._~/+@!$&'()*,;=", c);

		if (plain)
			strbuf_addch(out, (char)c);
		else
			strbuf_addf(out, "%%%02X", c);
	}
}

static void write_physical(struct json_writer *json, const char *file, int64_t line)
{
	struct strbuf uri = STRBUF_INIT;

	add_uri(&uri, file);
	json_member_object(json, "physicalLocation");
	json_member_object(json, "artifactLocation");
	json_member_string(json, "uri", uri.data);
	json_member_string(json, "uriBaseId", "%SRCROOT%");
	json_object_end(json);
	json_member_object(json, "region");
	json_member_int64(json, "startLine", line > 0 ? line : 1);
	json_object_end(json);
	json_object_end(json);
	strbuf_release(&uri);
}

static void write_logical(struct json_writer *json, const char *function)
{
	json_member_array(json, "logicalLocations");
	json_object_begin(json);
	name_member(json, "name", function);
	json_member_string(json, "kind", "function");
	json_object_end(json);
	json_array_end(json);
}

static const char *blamed_function(const struct blamed *blamed)
{
	if (blamed->culprit)
		return function_name(blamed->benchmark, blamed->culprit->function);
	if (!blamed->finding)
		return "";
	return finding_has_caller(blamed->finding) ? blamed->finding->caller
						   : blamed->finding->name;
}

static void write_locations(struct json_writer *json, const struct blamed *blamed)
{
	const char *function = blamed_function(blamed);
	int64_t line;
	const char *file = blamed_place(blamed, &line);

	json_member_array(json, "locations");
	json_object_begin(json);
	write_physical(json, *file ? file : BLAMED_ELSEWHERE, line);
	if (*function)
		write_logical(json, function);
	json_object_end(json);
	json_array_end(json);
}

/* ---- results -------------------------------------------------------------------------------- */

static size_t frames_of(const struct blamed *blamed)
{
	size_t length = blamed->culprit ? blamed->culprit->path_length : 0;

	return length < STACK_FRAMES ? length : STACK_FRAMES;
}

/* The innermost frame comes first. */
static void write_stack(struct json_writer *json, const struct blamed *blamed)
{
	const struct result_culprit *culprit = blamed->culprit;
	size_t outermost = culprit->path_length - frames_of(blamed);

	json_member_array(json, "stacks");
	json_object_begin(json);
	json_member_array(json, "frames");
	for (size_t i = culprit->path_length; i-- > outermost;) {
		json_object_begin(json);
		json_member_object(json, "location");
		write_logical(json, function_name(blamed->benchmark, culprit->path[i]));
		json_object_end(json);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
}

static void number_member(struct json_writer *json, const char *key, double number)
{
	if (isfinite(number))
		json_member_double(json, key, number);
}

/* Fractions, as in report.json. */
static void write_properties(struct json_writer *json, const struct blamed *blamed)
{
	json_member_object(json, "properties");
	name_member(json, "benchmark", blamed->benchmark->name);
	number_member(json, "change", blamed->change);
	if (blamed->culprit) {
		number_member(json, "changeLow", blamed->culprit->low);
		number_member(json, "changeHigh", blamed->culprit->high);
		number_member(json, "relative", blamed->culprit->relative);
		number_member(json, "explained", blamed->culprit->explained);
		json_member_string(
			json, "blame", blamed->culprit->blame == BLAME_SELF ? "self" : "called");
	} else if (blamed->finding) {
		number_member(json, "changeLow", blamed->finding->low);
		number_member(json, "changeHigh", blamed->finding->high);
	}
	json_object_end(json);
}

/* frames: how many more may be written. */
static void write_result(
	struct json_writer *json, size_t rule, const struct blamed *blamed, size_t *frames)
{
	size_t wanted = frames_of(blamed);
	struct strbuf message = STRBUF_INIT;

	blamed_message(blamed, MESSAGE_COLUMNS, &message);
	json_object_begin(json);
	json_member_string(json, "ruleId", rules[rule].id);
	json_member_uint64(json, "ruleIndex", rule);
	json_member_string(json, "level", rules[rule].level);
	message_member(json, message.data);
	write_locations(json, blamed);
	if (wanted && wanted <= *frames) {
		write_stack(json, blamed);
		*frames -= wanted;
	}
	json_member_object(json, "partialFingerprints");
	json_member_string(json, "flamegate/v1", blamed->fingerprint);
	json_object_end(json);
	write_properties(json, blamed);
	json_object_end(json);
	strbuf_release(&message);
}

static void write_results(struct json_writer *json, const struct result *result)
{
	size_t room = SARIF_MAX_RESULTS, frames = MOST_FRAMES;

	json_member_array(json, "results");
	for (size_t rule = 0; rule < RULE_COUNT; rule++) {
		struct blamed_list list;

		blamed_list_init(&list, result, rules[rule].status);
		for (size_t i = 0; i < list.count && room; i++, room--)
			write_result(json, rule, &list.items[i], &frames);
		blamed_list_release(&list);
	}
	json_array_end(json);
}

void report_sarif(const struct report_view *view, struct strbuf *out)
{
	const struct result *result = &view->result;
	struct json_writer json;

	json_writer_init(&json, out, PRETTY_DEPTH);
	json_object_begin(&json);
	json_member_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_member_string(&json, "version", "2.1.0");
	json_member_array(&json, "runs");
	json_object_begin(&json);
	write_tool(&json, result);
	json_member_object(&json, "automationDetails");
	json_member_string(&json, "id", "flamegate/");
	json_object_end(&json);
	write_invocation(&json, result);
	write_results(&json, result);
	json_object_end(&json);
	json_array_end(&json);
	json_object_end(&json);
	strbuf_addch(out, '\n');
}
