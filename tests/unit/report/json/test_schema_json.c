/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published schema, compared with what is written and with what is read: every report keeps
 * to it, what it calls required the reader requires, and what it refuses the reader refuses.
 */
#include "tests/unit/report/hostile_corpus.h"
#include "tests/unit/report/validate.h"

#include "gate/base/error.h"
#include "report/json/report_json.h"
#include "report/json/schema_notes.h"

static struct json *schema;

static struct json *parse(const struct strbuf *text)
{
	struct json *root = NULL;
	struct error err = {0};

	if (json_parse(text->data, text->length, "report.json", NULL, &root, &err))
		fail_msg("%s", err.message);
	return root;
}

static void assert_keeps_to_schema(const struct strbuf *text, const char *what)
{
	const struct json *wrong = NULL;
	struct json *root = parse(text);
	struct error err = {0};

	if (!fits(schema, schema, root, &wrong)) {
		json_error(wrong, &err, "is not as the schema says");
		fail_msg("%s: %s", what, err.message);
	}
	json_free(root);
}

static void make_json(struct strbuf *out, struct result *result)
{
	struct error err = {0};

	assert_int_equal(report_json_write(result, out, &err), ERR_OK);
	fixture_free(result);
}

static void test_every_outcome_keeps_to_the_schema(void **state)
{
	(void)state;
	for (const struct fixture_case *one = fixture_cases; one->name; one++) {
		struct strbuf text = STRBUF_INIT;

		make_json(&text, one->make());
		assert_keeps_to_schema(&text, one->name);
		strbuf_release(&text);
	}
}

static void check_hostile(const struct report_view *view, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	struct error err = {0};

	assert_int_equal(report_json_write(&view->result, &text, &err), ERR_OK);
	assert_keeps_to_schema(&text, name);
	strbuf_release(&text);
}

static void test_hostile_names_keep_to_the_schema(void **state)
{
	(void)state;
	for_each_hostile_name(check_hostile);
}

/* ---- the reader, member by member ------------------------------------------------------------ */

/* A report in which one node is left out, or has other text in its place. */
struct change {
	const struct json *at;
	const char *text; /* NULL: left out */
};

static void write_node(struct strbuf *out, const struct json *node, const struct change *change);

static void write_scalar(struct strbuf *out, const struct json *node)
{
	struct json_writer json;
	bool flag = false;

	json_writer_init(&json, out, 0);
	if (json_type(node) == JSON_STRING)
		json_write_string(&json, text_of(node));
	else if (json_type(node) == JSON_NUMBER)
		json_write_double(&json, number_of(node));
	else if (json_bool(node, &flag, NULL) == ERR_OK)
		json_write_bool(&json, flag);
	else
		json_write_null(&json);
}

static void write_children(struct strbuf *out, const struct json *node, const struct change *change)
{
	const char *comma = "";

	for (const struct json *one = json_first(node); one; one = json_next(one)) {
		if (one == change->at && !change->text)
			continue;
		strbuf_addstr(out, comma);
		if (json_key(one))
			strbuf_addf(out, "\"%s\":", json_key(one));
		write_node(out, one, change);
		comma = ",";
	}
}

static void write_node(struct strbuf *out, const struct json *node, const struct change *change)
{
	bool object = json_type(node) == JSON_OBJECT;

	if (node == change->at) {
		strbuf_addstr(out, change->text);
	} else if (object || json_type(node) == JSON_ARRAY) {
		strbuf_addch(out, object ? '{' : '[');
		write_children(out, node, change);
		strbuf_addch(out, object ? '}' : ']');
	} else {
		write_scalar(out, node);
	}
}

static struct strbuf changed(const struct json *root, const struct json *at, const char *text)
{
	struct change change = {.at = at, .text = text};
	struct strbuf out = STRBUF_INIT;

	write_node(&out, root, &change);
	return out;
}

static bool is_allowed(const struct strbuf *text)
{
	const struct json *wrong;
	struct json *root = parse(text);
	bool is = fits(schema, schema, root, &wrong);

	json_free(root);
	return is;
}

static bool is_read(const struct strbuf *text)
{
	struct report_view *view = NULL;
	bool is = report_view_read(text->data, text->length, &view, NULL) == ERR_OK;

	report_view_free(view);
	return is;
}

static void fail_with(const struct json *at, const char *text, const char *what)
{
	struct error err = {0};

	json_error(at, &err, "with %s: %s", text, what);
	fail_msg("%s", err.message);
}

static void check_without(const struct json *root, const struct json *node)
{
	struct strbuf text = changed(root, node, NULL);
	bool allowed = is_allowed(&text);

	/* A diff_link wants a function: earlier reports have neither. */
	if (allowed != is_read(&text) && strcmp(json_key(node), "diff_function") != 0)
		fail_with(node, "nothing",
			allowed ? "the schema allows what the reader refuses"
				: "the schema refuses what the reader takes");
	strbuf_release(&text);
}

#define PLACE "\x01" /* which JSON escapes */

/* The reader knows more (places, the tree's shape), so it may refuse what the schema allows. */
static void check_others(const struct json *root, const struct json *node)
{
	static const char *const others[] = {"null", "true", "-1", "-2", "1.5", "300", "4294967295",
		"9007199254740993", "-0.5", "1e300", "\"x\"", "\"1\"", "[]", "{}", "[null]",
		"[\"1\"]", "[-1]", "[1.5]"};

	struct strbuf around = changed(root, node, PLACE);
	const char *place = strstr(around.data, PLACE);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_add(&text, around.data, (size_t)(place - around.data));
		strbuf_addstr(&text, others[i]);
		strbuf_addstr(&text, place + strlen(PLACE));
		if (is_read(&text) && !is_allowed(&text))
			fail_with(node, others[i], "the schema refuses what the reader takes");
		strbuf_release(&text);
	}
	strbuf_release(&around);
}

/* Of an array's elements the first says it for all. */
static void check_nodes(const struct json *root, const struct json *node)
{
	bool array = json_type(node) == JSON_ARRAY;

	for (const struct json *one = json_first(node); one; one = array ? NULL : json_next(one)) {
		if (!array)
			check_without(root, one);
		check_others(root, one);
		check_nodes(root, one);
	}
}

static void check_agreement(struct result *result)
{
	struct strbuf text = STRBUF_INIT;
	struct json *root;

	make_json(&text, result);
	root = parse(&text);
	check_nodes(root, root);
	json_free(root);
	strbuf_release(&text);
}

static void test_the_reader_and_the_schema_agree(void **state)
{
	(void)state;
	check_agreement(fixture_shift());
	check_agreement(fixture_reference_fail());
	check_agreement(fixture_exact_fail());
}

/* ---- notes ---------------------------------------------------------------------------------- */

static const struct json *described(const char *place)
{
	const struct json *defs = json_get(schema, "$defs"), *part;
	const char *dot = strchr(place, '.');
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(place, "."), place);
	part = strcmp(name, "report") == 0 ? schema : json_get(defs, name);
	if (!*name)
		return json_get(defs, dot + 1);
	return dot ? json_get(json_get(part, "properties"), dot + 1) : part;
}

static void test_each_note_describes_something(void **state)
{
	(void)state;
	for (size_t i = 0; schema_note_place(i); i++)
		if (!json_get(described(schema_note_place(i)), "description"))
			fail_msg("nothing is called %s", schema_note_place(i));
}

static int make_schema(void **state)
{
	(void)state;
	schema = own_schema();
	return 0;
}

static int free_schema(void **state)
{
	(void)state;
	json_free(schema);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_outcome_keeps_to_the_schema),
		cmocka_unit_test(test_hostile_names_keep_to_the_schema),
		cmocka_unit_test(test_the_reader_and_the_schema_agree),
		cmocka_unit_test(test_each_note_describes_something),
	};

	return cmocka_run_group_tests(tests, make_schema, free_schema);
}
