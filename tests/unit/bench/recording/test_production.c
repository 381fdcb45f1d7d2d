/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/production_shares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"

/* parse calls both init() and hash(), greedy() itself. */
static const struct production_call of_parse[] = {{1, 0.125}, {2, 0.0625}, {3, 0.25}};
static const struct production_call of_greedy[] = {{5, 0.75}, {6, 0.75}};

static const struct production_share rows[] = {
	{"parse", "parse", "/build/src/parse.c", 0.25, 0.75, of_parse, 3},
	{"init", "init", "/build/src/a.c", 0.125, 0.25, NULL, 0},
	{"init", "init", "/build/src/b.c", 0.0625, 0.125, NULL, 0},
	{"ns::hash(int)", "_ZN2ns4hashEi", "", 0.03125, 0.5, NULL, 0},
	{"_ZN2ns3addEi", "_ZN2ns3addEi", "", 0.5, 0.5, NULL, 0},
	{"greedy", "greedy", "x.c", 0.75, 0.75, of_greedy, 2},
	{"greedy", "greedy", "x.c", 0.75, 0.75, NULL, 0},
};
static const struct production known = {
	.known = true, .shares = rows, .count = sizeof(rows) / sizeof(rows[0])};

static void assert_is(double found, double wanted)
{
	if (isnan(wanted))
		assert_true(isnan(found));
	else
		assert_true(found == wanted);
}

static void assert_share(const char *name, const char *key, const char *file, double share)
{
	assert_is(production_self(&known, &(struct production_function){name, key, file}), share);
}

static void test_a_function_is_found_by_name_whatever_its_file(void **state)
{
	(void)state;
	assert_share("parse", "parse", "src/parse.c", 0.25);
	assert_share("parse", "parse", "lib/parser.c", 0.25);
	assert_share("parse", "parse", "", 0.25);
}

static void test_a_function_is_found_by_its_name_for_people_or_for_the_linker(void **state)
{
	(void)state;
	assert_share("ns::hash(int)", "ns::hash(int)", "", 0.03125);
	assert_share("ns::add(int)", "_ZN2ns3addEi", "src/ns.cc", 0.5);
}

static void test_what_has_no_name_there_is_not_seen(void **state)
{
	(void)state;
	assert_share("pars", "pars", "/build/src/parse.c", 0);
	assert_is(production_self(&(struct production){.known = true},
			  &(struct production_function){"a", "a", ""}),
		0);
}

static void test_where_several_have_the_name_the_file_tells(void **state)
{
	(void)state;
	assert_share("init", "init", "src/a.c", 0.125);
	assert_share("init", "init", "src/b.c", 0.0625);
	assert_share("init", "init", "rc/b.c", NAN);
	assert_share("init", "init", "", NAN);
}

static void test_no_share_is_more_than_the_whole(void **state)
{
	(void)state;
	assert_share("greedy", "greedy", "x.c", 1);
}

static const struct production_function parse = {"parse", "parse", "src/parse.c"},
					init_a = {"init", "init", "src/a.c"},
					init_c = {"init", "init", "src/c.c"},
					hash = {"ns::hash(int)", "ns::hash(int)", ""},
					greedy = {"greedy", "greedy", "x.c"},
					nobody = {"nobody", "nobody", ""};

static void test_a_total_is_found_as_the_own_share_is(void **state)
{
	(void)state;
	assert_is(production_total(&known, &parse), 0.75);
	assert_is(production_total(&known, &init_a), 0.25);
	assert_is(production_total(&known, &init_c), NAN);
	assert_is(production_total(&known, &nobody), 0);
	assert_is(production_total(&known, &greedy), 1);
}

static void test_a_call_is_found_by_both_its_ends(void **state)
{
	(void)state;
	assert_is(production_called(&known, &parse, &hash), 0.25);
	assert_is(production_called(&known, &parse, &init_a), 0.125);
	assert_is(production_called(&known, &parse, &init_c), NAN);
	assert_is(production_called(&known, &init_c, &hash), NAN);
	assert_is(production_called(&known, &hash, &parse), 0);
	assert_is(production_called(&known, &nobody, &parse), 0);
	assert_is(production_called(&known, &greedy, &greedy), 1);
}

static int read_text(const char *text, struct production *out, struct arena *arena)
{
	const struct json_limits limits = {.max_bytes = 2000, .max_depth = 8};
	struct json *root = NULL;
	struct error err;
	int rc = json_parse(text, strlen(text), "test", &limits, &root, &err);

	if (!rc)
		rc = production_read_json(root, "production", arena, out, &err);
	json_free(root);
	return rc;
}

static void test_what_is_written_is_read_again(void **state)
{
	struct arena arena = ARENA_INIT;
	struct production out = {0};
	struct strbuf text = STRBUF_INIT;
	struct json_writer json;

	(void)state;
	json_writer_init(&json, &text, 0);
	json_object_begin(&json);
	production_write_json(&json, "production", &known);
	json_object_end(&json);
	assert_int_equal(read_text(text.data, &out, &arena), ERR_OK);
	assert_true(out.known);
	assert_int_equal(out.count, known.count);
	assert_string_equal(out.shares[3].key, "_ZN2ns4hashEi");
	assert_string_equal(out.shares[1].file, "/build/src/a.c");
	assert_true(out.shares[3].share == 0.03125);
	assert_is(production_total(&out, &parse), 0.75);
	assert_is(production_called(&out, &parse, &hash), 0.25);
	assert_int_equal(out.shares[3].call_count, 0);
	strbuf_release(&text);
	arena_release(&arena);
}

#define CALLS(total, calls)                                                                        \
	"{\"production\":[{\"name\":\"a\",\"key\":\"a\",\"file\":\"\",\"share\":0,"                \
	"\"total\":" total "," calls "}]}"

static void test_hostile_calls_are_refused(void **state)
{
	static const char *const bad[] = {CALLS("1.5", "\"calls\":[],\"call_shares\":[]"),
		CALLS("null", "\"calls\":[],\"call_shares\":[]"),
		CALLS("1", "\"calls\":[1],\"call_shares\":[0.5]"),
		CALLS("1", "\"calls\":[-1],\"call_shares\":[0.5]"),
		CALLS("1", "\"calls\":[0.5],\"call_shares\":[0.5]"),
		CALLS("1", "\"calls\":[\"0\"],\"call_shares\":[0.5]"),
		CALLS("1", "\"calls\":[0],\"call_shares\":[2]"),
		CALLS("1", "\"calls\":[0],\"call_shares\":[]"), CALLS("1", "\"calls\":[0]"),
		CALLS("1", "\"calls\":0,\"call_shares\":[]")};
	struct arena arena = ARENA_INIT;
	struct production out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (read_text(bad[i], &out, &arena) != ERR_CORRUPT)
			fail_msg("%s", bad[i]);
		assert_false(out.known);
	}
	assert_int_equal(
		read_text(CALLS("1", "\"calls\":[0],\"call_shares\":[1]"), &out, &arena), ERR_OK);
	assert_int_equal(out.shares[0].call_count, 1);
	arena_release(&arena);
}

/* Measurements of before there were totals say nothing of them. */
static void test_without_totals_none_is_known(void **state)
{
	struct arena arena = ARENA_INIT;
	struct production out = {0};

	(void)state;
	assert_int_equal(read_text("{\"production\":[{\"name\":\"a\",\"key\":\"a\",\"file\":\"\","
				   "\"share\":0.5}]}",
				 &out, &arena),
		ERR_OK);
	assert_is(production_total(&out, &(struct production_function){"a", "a", ""}), NAN);
	arena_release(&arena);
}

static void test_nothing_is_written_of_what_is_not_known(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer json;

	(void)state;
	json_writer_init(&json, &text, 0);
	json_object_begin(&json);
	production_write_json(&json, "production", &(struct production){0});
	json_object_end(&json);
	assert_string_equal(text.data, "{}");
	strbuf_release(&text);
}

static void test_hostile_text_is_refused(void **state)
{
#define ROW(share)                                                                                 \
	"{\"production\":[{\"name\":\"a\",\"key\":\"a\",\"file\":\"\",\"share\":" share "}]}"
	static const char *const bad[] = {ROW("1.5"), ROW("-0.1"), ROW("null"), ROW("NaN"),
		ROW("1e999"), ROW("\"0.5\""), "{\"production\":{}}", "{\"production\":[3]}",
		"{\"production\":[{\"name\":\"a\",\"key\":\"a\",\"share\":0.5}]}",
		"{\"production\":[{\"name\":7,\"key\":\"a\",\"file\":\"\",\"share\":0.5}]}"};
	struct arena arena = ARENA_INIT;
	struct production out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (read_text(bad[i], &out, &arena) != ERR_CORRUPT)
			fail_msg("%s", bad[i]);
		assert_false(out.known);
	}
	assert_int_equal(read_text("{}", &out, &arena), ERR_OK);
	assert_false(out.known);
	assert_int_equal(read_text(ROW("1"), &out, &arena), ERR_OK);
	assert_true(out.known);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_function_is_found_by_name_whatever_its_file),
		cmocka_unit_test(test_a_function_is_found_by_its_name_for_people_or_for_the_linker),
		cmocka_unit_test(test_what_has_no_name_there_is_not_seen),
		cmocka_unit_test(test_where_several_have_the_name_the_file_tells),
		cmocka_unit_test(test_no_share_is_more_than_the_whole),
		cmocka_unit_test(test_a_total_is_found_as_the_own_share_is),
		cmocka_unit_test(test_a_call_is_found_by_both_its_ends),
		cmocka_unit_test(test_what_is_written_is_read_again),
		cmocka_unit_test(test_hostile_calls_are_refused),
		cmocka_unit_test(test_without_totals_none_is_known),
		cmocka_unit_test(test_nothing_is_written_of_what_is_not_known),
		cmocka_unit_test(test_hostile_text_is_refused),
	};

	return cmocka_run_group_tests_name("production", tests, NULL, NULL);
}
