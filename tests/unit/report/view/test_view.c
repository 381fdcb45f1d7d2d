/* SPDX-License-Identifier: Apache-2.0 */
/* report.json from someone else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "report/ci/workflow.h"
#include "report/formats.h"
#include "report/html/html.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "report/write.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

static void make_json(struct strbuf *out, struct result *result)
{
	struct error err = {0};

	if (report_json_write(result, out, &err))
		fail_msg("%s", err.message);
	fixture_free(result);
}

/* Replaces the first occurrence. */
static void replace(struct strbuf *text, const char *from, const char *to)
{
	struct strbuf out = STRBUF_INIT;
	const char *at = strstr(text->data, from);

	if (!at)
		fail_msg("the test looks for %s in vain", from);
	strbuf_add(&out, text->data, (size_t)(at - text->data));
	strbuf_addstr(&out, to);
	strbuf_addstr(&out, at + strlen(from));
	strbuf_release(text);
	*text = out;
}

static void render_everything(const struct report_view *view)
{
	struct strbuf out = STRBUF_INIT;
	struct error err = {0};

	report_terminal(view, &(struct terminal_options){.color = true}, &out);
	report_markdown(view, 0, &out);
	report_workflow(view, &out);
	assert_int_equal(report_html(view, &out, &err), ERR_OK);
	strbuf_release(&out);
}

struct damage {
	const char *from, *to;
	int code;
	const char *message; /* part of it */
};

static const struct damage damages[] = {
	{"\"format\": 1", "\"format\": 2", ERR_CORRUPT, "format"},
	{"\"format\": 1", "\"format\": \"1x\"", ERR_CORRUPT, "format"},
	{"\"kind\": \"check\"", "\"kind\": 7", ERR_CORRUPT, "kind"},
	{"\"kind\": \"check\"", "\"sort\": \"check\"", ERR_CORRUPT, "kind"},
	{"\"status\": \"fail\"", "\"status\": \"great\"", ERR_CORRUPT, "status"},
	{"\"exit_status\": 1", "\"exit_status\": -1", ERR_CORRUPT, "exit_status"},
	{"\"exit_status\": 1", "\"exit_status\": 1.5", ERR_CORRUPT, "exit_status"},
	{"\"dirty\": false", "\"dirty\": 0", ERR_CORRUPT, "dirty"},
	{"\"benchmarks\": [", "\"benchmarks\": {}, \"x\": [", ERR_CORRUPT, "benchmarks"},
	{"\"warnings\": []", "\"warnings\": [3]", ERR_CORRUPT, "warnings"},
	{"\"notes\": []", "\"notes\": {}", ERR_CORRUPT, "notes"},
	{"\"bound\": 0.063", "\"bound\": NaN", ERR_CORRUPT, "report.json"},
	{"\"bound\": 0.063", "\"bound\": 1e999", ERR_CORRUPT, "report.json"},
	{"\"bound\": 0.063", "\"bound\": \"0\"", ERR_CORRUPT, "bound"},
	{"\"wall_seconds\": 38.25", "\"wall_seconds\": null", ERR_CORRUPT, "wall_seconds"},
	{"\"seed\": \"18446744073709551557\"", "\"seed\": \"18446744073709551616\"", ERR_CORRUPT,
		"seed"},
	{"\"seed\": \"18446744073709551557\"", "\"seed\": \"-1\"", ERR_CORRUPT, "seed"},
	{"\"samples\":32041", "\"samples\":-1", ERR_CORRUPT, "samples"},
	{"\"node\":5", "\"node\":13", ERR_CORRUPT, "culprits[0]"},
	{"\"node\":5", "\"node\":4294967296", ERR_CORRUPT, "node"},
	{"\"function\":3", "\"function\":11", ERR_CORRUPT, "culprits[0]"},
	{"\"caller\":-1", "\"caller\":-2", ERR_CORRUPT, "caller"},
	{"\"caller\":-1", "\"caller\":11", ERR_CORRUPT, "culprits[0]"},
	{"\"diff_function\":3", "\"diff_function\":11", ERR_CORRUPT, "culprits[0]"},
	{"\"diff_link\":\"self\"", "\"diff_link\":\"cousin\"", ERR_CORRUPT, "diff_link"},
	{"\"claim\":0", "\"claim\":1", ERR_CORRUPT, "culprits[0]"},
	{"\"subject\":3", "\"subject\":11", ERR_CORRUPT, "claims[0]"},
	{"\"kind\":\"own_code\"", "\"kind\":\"own\"", ERR_CORRUPT, "claims[0].kind"},
	{"\"others\":[]", "\"others\":[11]", ERR_CORRUPT, "claims[0].others"},
	{"\"others\":[]", "\"others\":1", ERR_CORRUPT, "claims[0].others"},
	{"\"evidence\":\"diff\"", "\"evidence\":\"hope\"", ERR_CORRUPT, "evidence"},
	{"\"path\":[0,1,2,3]", "\"path\":[0,1,2,11]", ERR_CORRUPT, "path"},
	{"\"path\":[0,1,2,3]", "\"path\":[-1]", ERR_CORRUPT, "path"},
	{"\"improvements\": []", "\"improvements\": [99]", ERR_CORRUPT, "improvements"},
	{"\"shifts\": []", "\"shifts\": [{}]", ERR_CORRUPT, "shifts"},
	{"\"parent\":[0,0,", "\"parent\":[0,1,", ERR_CORRUPT, "node 1"},
	{"\"parent\":[0,0,1,", "\"parent\":[0,3,1,", ERR_CORRUPT, "node 1"},
	{"\"parent\":[0,0,1,2,", "\"parent\":[0,0,1,4,", ERR_CORRUPT, "node 3"},
	{"\"parent\":[0,", "\"parent\":[1,", ERR_CORRUPT, "node 0"},
	{"\"parent\":[0,", "\"parent\":[", ERR_CORRUPT, "count"},
	{"\"parent\":[0,", "\"parent\":[0,0,", ERR_CORRUPT, "count"},
	{"\"function\":[-1,0,", "\"function\":[-1,11,", ERR_CORRUPT, "node 1"},
	{"\"function\":[-1,0,", "\"function\":[0,0,", ERR_CORRUPT, "node 0"},
	{"\"name\":[9,", "\"name\":[9999,", ERR_CORRUPT, "name"},
	{"\"match\":[0,", "\"match\":[8,", ERR_CORRUPT, "match"},
	{"\"state\":[0,", "\"state\":[8,", ERR_CORRUPT, "state"},
	{"\"touched\":[0,", "\"touched\":[2,", ERR_CORRUPT, "touched"},
	{"\"self_base\":[0.002,", "\"self_base\":[null,", ERR_CORRUPT, "self_base"},
	{"{\"count\":11,", "{\"count\":1099511627776,", ERR_LIMIT, "functions"},
	{"{\"count\":11,", "{\"count\":200000,", ERR_CORRUPT, "count"},
	{"{\"count\":11,", "{\"count\":-1,", ERR_LIMIT, "functions"},
	{"\"strings\": [", "\"strings\": [[[[[[[[[[[[[[[[[[", ERR_LIMIT, "report.json"},
	{"\"status\": \"fail\"", "\"status\": \"fail\", \"status\": \"pass\"", ERR_CORRUPT,
		"status: this comes twice"},
	{"\"node\":5", "\"node\":5,\"node\":6", ERR_CORRUPT, "node: this comes twice"},
	{"\"node\":5", "\"x\":[{\"y\":1,\"z\":2,\"y\":1}],\"node\":5", ERR_CORRUPT, "twice"},
	{"\"kind\": \"check\"", "\"kind\": \"che\\u0000ck\"", ERR_CORRUPT, "NUL"},
	{"\"kind\": \"check\"",
		"\"kind\": \"che\xff"
		"ck\"",
		ERR_CORRUPT, "UTF-8"},
	{"\"kind\": \"check\"", "\"kind\": \"\\ud800\"", ERR_CORRUPT, "surrogate"},
	{"\"path\":[0,1,2,3]", "\"path\":[0,1,2,\"3\"]", ERR_CORRUPT, "path"},
	{"\"noise\": 0.046", "\"noise\": \"\"", ERR_CORRUPT, "noise"},
};

/* Of a stored baseline. */
static const struct damage reference_damages[] = {
	{"\"references\": [", "\"references\": {}, \"x\": [", ERR_CORRUPT, "references"},
	{"\"kind\":\"screen\"", "\"kind\":\"proof\"", ERR_CORRUPT, "kind"},
	{"\"state\":\"flagged\"", "\"state\":\"fine\"", ERR_CORRUPT, "state"},
	{"\"decides\":true", "\"decides\":1", ERR_CORRUPT, "decides"},
	{"\"store\":\"git notes of origin\"", "\"store\":null", ERR_CORRUPT, "store"},
	{"\"distance\":3", "\"distance\":-1", ERR_CORRUPT, "distance"},
	{"\"distance\":3", "\"distance\":1e300", ERR_CORRUPT, "distance"},
	{"\"size_factor\":1.07", "\"size_factor\":-1.07", ERR_CORRUPT, "size_factor"},
	{"\"threshold\":0.012", "\"threshold\":-0.012", ERR_CORRUPT, "threshold"},
	{"\"threshold\":0.012", "\"threshold\":\"?\"", ERR_CORRUPT, "threshold"},
	{"\"findings\":[", "\"findings\":[3,", ERR_CORRUPT, "findings"},
	{"\"findings\":[", "\"findings\":{},\"x\":[", ERR_CORRUPT, "findings"},
	{"\"line\":120", "\"line\":-1", ERR_CORRUPT, "line"},
	{"\"change\":0.061", "\"change\":null", ERR_CORRUPT, "change"},
	{"\"low\":0.041", "\"low\":0.09", ERR_CORRUPT, "interval"},
	{"\"low\":0.041", "\"low\":null", ERR_CORRUPT, "interval"},
	{"\"shifted\":false", "\"shifted\":\"\"", ERR_CORRUPT, "shifted"},
	{"\"losses\":[", "\"losses\":[7,", ERR_CORRUPT, "losses"},
	{"\"unit\": \"seconds\"", "\"unit\": 7", ERR_CORRUPT, "unit"},
};

/* Of what was inlined, split or merged. */
static const struct damage inlining_damages[] = {
	{"\"inlinings\": [", "\"inlinings\": {}, \"x\": [", ERR_CORRUPT, "inlinings"},
	{"\"inlinings\": [", "\"inlinings\": [3,", ERR_CORRUPT, "inlinings"},
	{"\"host\":\"parse_field\"", "\"host\":null", ERR_CORRUPT, "host"},
	{"\"part_file\":\"src/parse.c\"", "\"part_file\":1", ERR_CORRUPT, "part_file"},
	{"\"kind\":\"inlined\"", "\"kind\":\"new\"", ERR_CORRUPT, "kind"},
	{"\"similarity\":0.75", "\"similarity\":1.75", ERR_CORRUPT, "similarity"},
	{"\"similarity\":0.75", "\"similarity\":null", ERR_CORRUPT, "similarity"},
};

/* Of what a culprit weighs in production. */
static const struct damage production_damages[] = {
	{"\"share\":0.032", "\"share\":1.5", ERR_CORRUPT, "share of a whole"},
	{"\"share\":0.032", "\"share\":-0.1", ERR_CORRUPT, "share of a whole"},
	{"\"share\":0.032", "\"share\":NaN", ERR_CORRUPT, "report.json"},
	{"\"share\":0.032", "\"share\":\"\"", ERR_CORRUPT, "share"},
	{"\"share\":0.032,", "", ERR_CORRUPT, "share"},
	{"\"share\":0.032", "\"of\":\"nobody\",\"share\":0.032", ERR_CORRUPT, "unknown word"},
	{"\"impact\":0.01632", "\"impact\":[]", ERR_CORRUPT, "impact"},
	{"\"production\":{", "\"production\":[],\"x\":{", ERR_CORRUPT, "production"},
};

static void assert_refused(struct result *result, const struct damage *damage)
{
	struct report_view *view = NULL;
	struct strbuf json = STRBUF_INIT;
	struct error err = {0};
	int code;

	make_json(&json, result);
	replace(&json, damage->from, damage->to);
	code = report_view_read(json.data, json.length, &view, &err);
	if (code != damage->code || !strstr(err.message, damage->message))
		fail_msg("%s: code %d, \"%s\"", damage->to, code, err.message);
	assert_null(view);
	strbuf_release(&json);
}

static void test_each_kind_of_damage_is_refused_and_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		assert_refused(fixture_fail(), &damages[i]);
	for (size_t i = 0; i < sizeof(reference_damages) / sizeof(reference_damages[0]); i++)
		assert_refused(fixture_reference_fail(), &reference_damages[i]);
	for (size_t i = 0; i < sizeof(inlining_damages) / sizeof(inlining_damages[0]); i++)
		assert_refused(fixture_inlinings(), &inlining_damages[i]);
	for (size_t i = 0; i < sizeof(production_damages) / sizeof(production_damages[0]); i++)
		assert_refused(fixture_production(), &production_damages[i]);
}

static void test_every_truncation_is_refused(void **state)
{
	struct strbuf json = STRBUF_INIT;

	(void)state;
	make_json(&json, fixture_fail());
	for (size_t length = 0; length < json.length - 2; length += 7) {
		struct report_view *view = NULL;
		struct error err = {0};

		assert_int_not_equal(report_view_read(json.data, length, &view, &err), ERR_OK);
		assert_null(view);
	}
	strbuf_release(&json);
}

static void test_a_huge_list_is_refused(void **state)
{
	struct strbuf json = STRBUF_INIT, list = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	make_json(&json, fixture_fail());
	strbuf_addstr(&list, "\"improvements\": [0");
	for (int i = 0; i < 20000; i++)
		strbuf_addstr(&list, ",0");
	strbuf_addstr(&list, "]");
	replace(&json, "\"improvements\": []", list.data);
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_LIMIT);
	strbuf_release(&json);
	strbuf_release(&list);
}

static void test_an_object_with_absurdly_many_members_is_refused(void **state)
{
	struct strbuf json = STRBUF_INIT, members = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	make_json(&json, fixture_fail());
	strbuf_addstr(&members, "\"x\": {\"0\":0");
	for (unsigned i = 1; i <= REPORT_MAX_MEMBERS; i++)
		strbuf_addf(&members, ",\"%u\":0", i);
	strbuf_addstr(&members, "}, \"kind\": \"check\"");
	replace(&json, "\"kind\": \"check\"", members.data);
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_LIMIT);
	assert_non_null(strstr(err.message, "x: more than 128 elements"));
	strbuf_release(&json);
	strbuf_release(&members);
}

/* A text of a few megabytes must not take gigabytes of memory before anybody looks at it. */
static void test_a_text_of_too_many_values_is_refused(void **state)
{
	struct strbuf json = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	strbuf_addstr(&json, "{\"x\": [0");
	for (unsigned i = 0; i < REPORT_MAX_VALUES; i++)
		strbuf_addstr(&json, ",0");
	strbuf_addstr(&json, "]}");
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_LIMIT);
	assert_non_null(strstr(err.message, "more than 4000000 values"));
	strbuf_release(&json);
}

static void test_a_tree_deeper_than_the_limit_is_refused(void **state)
{
	struct result *result = fixture_large(6000, 5000);
	struct strbuf json = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	make_json(&json, result);
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_CORRUPT);
	strbuf_release(&json);
}

static void test_the_deepest_tree_allowed_is_rendered(void **state)
{
	struct result *result = fixture_large(4500, 4000);
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	render_everything(view);
	report_view_free(view);
	fixture_free(result);
}

/* xorshift: the same changes on every machine. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* From before there were units and stored baselines. */
static void test_a_report_of_an_older_version_is_read(void **state)
{
	struct strbuf json = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	make_json(&json, fixture_fail());
	replace(&json, "   \"unit\": \"seconds\",\n", "");
	replace(&json, "   \"references\": [],\n", "");
	replace(&json, "\"noise\": 0.046", "\"noise\": null");
	assert_null(strstr(json.data, "\"references\""));
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_OK);
	assert_string_equal(view->result.benchmarks[0].unit, "seconds");
	assert_int_equal(view->result.benchmarks[0].reference_count, 0);
	assert_true(view->result.benchmarks[0].noise == 0);
	render_everything(view);
	report_view_free(view);
	strbuf_release(&json);
}

static void test_an_unknown_unit_is_seconds(void **state)
{
	struct result *result = fixture_fail();
	struct report_view *view = NULL;
	struct strbuf json = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	((struct result_benchmark *)result->benchmarks)->unit = "";
	assert_int_equal(report_json_write(result, &json, &err), ERR_OK);
	assert_non_null(strstr(json.data, "\"unit\": \"seconds\""));
	strbuf_reset(&json);
	((struct result_benchmark *)result->benchmarks)->unit = NULL;
	make_json(&json, result);
	replace(&json, "\"unit\": \"seconds\"", "\"unit\": \"\"");
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_OK);
	assert_string_equal(view->result.benchmarks[0].unit, "seconds");
	report_view_free(view);
	strbuf_release(&json);
}

static void test_what_was_done_to_the_clock_comes_back(void **state)
{
	const struct result_work work = {.kind = RESULT_WORK_REPLAYED,
		.calls = 8500000,
		.processes = 2,
		.speed = 40,
		.step_seconds = 0.25,
		.run_seconds = 0.5,
		.real_seconds = 12,
		.start_seconds = 0.125};
	struct result *result = fixture_fail();
	struct report_view *view = NULL;
	struct strbuf json = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_int_equal(view->result.benchmarks[0].work.kind, RESULT_WORK_AS_IT_IS);
	report_view_free(view);
	((struct result_benchmark *)result->benchmarks)->work = work;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_memory_equal(&view->result.benchmarks[0].work.calls, &work.calls,
		sizeof(work) - offsetof(struct result_work, calls));
	assert_int_equal(view->result.benchmarks[0].work.kind, RESULT_WORK_REPLAYED);
	report_view_free(view);
	make_json(&json, result);
	replace(&json, "\"kind\":\"replayed\"", "\"kind\":\"frozen\"");
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_CORRUPT);
	assert_non_null(strstr(err.message, "work.kind"));
	strbuf_release(&json);
}

static void test_stored_baselines_come_back_as_they_were(void **state)
{
	struct result *result = fixture_reference_screen();
	struct report_view *view = NULL;
	const struct result_reference *reference;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_int_equal(view->result.benchmarks[0].reference_count, 3);
	reference = view->result.benchmarks[0].references;
	assert_int_equal(reference[0].kind, REFERENCE_SCREEN);
	assert_int_equal(reference[0].state, REFERENCE_FLAGGED);
	assert_true(reference[0].decides);
	assert_int_equal(reference[0].distance, 3);
	assert_true(reference[0].size_factor == 1.07 && reference[0].threshold == 0.012);
	assert_int_equal(reference[0].finding_count, 6);
	assert_true(reference[0].findings[0].high == 0.08);
	assert_string_equal(reference[0].findings[0].file, "src/parse.c");
	assert_int_equal(reference[0].loss_count, 1);
	assert_int_equal(reference[1].kind, REFERENCE_EXACT);
	assert_int_equal(reference[2].state, REFERENCE_CANNOT);
	assert_true(isnan(reference[2].change));
	report_view_free(view);
	fixture_free(result);
}

static void test_random_changes_never_crash_a_renderer(void **state)
{
	static const char bytes[] = "0123456789-+.eE\",:[]{}nulltruefalse \\u\xff";
	struct strbuf json = STRBUF_INIT;
	uint32_t random = 2463534242u;
	size_t accepted = 0;

	(void)state;
	make_json(&json, fixture_reference_fail());
	for (int round = 0; round < 1500; round++) {
		struct report_view *view = NULL;
		struct error err = {0};
		size_t at = next_random(&random) % json.length;
		char old = json.data[at];

		json.data[at] = bytes[next_random(&random) % (sizeof(bytes) - 1)];
		if (!report_view_read(json.data, json.length, &view, &err)) {
			render_everything(view);
			accepted++;
		}
		report_view_free(view);
		json.data[at] = old;
	}
	assert_true(accepted > 0);
	strbuf_release(&json);
}

static void test_what_is_unknown_stays_unknown(void **state)
{
	struct result *result = fixture_run();
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_true(isnan(view->result.benchmarks[0].total.low));
	assert_true(isnan(view->result.benchmarks[0].mde_total));
	report_view_free(view);
	fixture_free(result);
}

static void test_a_new_culprit_stays_infinitely_slower(void **state)
{
	struct result *result = fixture_fail();
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	((struct result_culprit *)result->benchmarks[0].culprits)->relative = (double)INFINITY;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_true(isinf(view->result.benchmarks[0].culprits[0].relative));
	render_everything(view);
	report_view_free(view);
	fixture_free(result);
}

/* Columns share strings: what many functions name must not be long, and ours is cut to fit. */
static void test_a_columns_string_has_at_most_64_kib(void **state)
{
	static const char *const letters[] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xff"};
	static const size_t wanted[] = {65536, 65536, 65535, 65535};

	(void)state;
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		struct result *result = fixture_fail();
		struct report_view *view = NULL;
		struct strbuf name = STRBUF_INIT, json = STRBUF_INIT, again = STRBUF_INIT;
		struct error err = {0};

		while (name.length < 70000)
			strbuf_addstr(&name, letters[i]);
		function_at((struct result_benchmark *)result->benchmarks, 3)->name = name.data;
		make_json(&json, result);
		assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_OK);
		assert_int_equal(strlen(view->result.benchmarks[0].functions[3].name), wanted[i]);
		assert_int_equal(report_json_write(&view->result, &again, &err), ERR_OK);
		assert_string_equal(again.data, json.data);
		report_view_free(view);
		strbuf_release(&name);
		strbuf_release(&json);
		strbuf_release(&again);
	}
}

static void test_a_longer_string_of_the_columns_is_refused(void **state)
{
	struct strbuf json = STRBUF_INIT, name = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	(void)state;
	make_json(&json, fixture_fail());
	while (name.length < 65537)
		strbuf_addch(&name, 'x');
	strbuf_addstr(&name, "\",\"");
	replace(&json, "\"strings\": [\"", "\"strings\": [\"%");
	replace(&json, "%", name.data);
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_LIMIT);
	assert_non_null(strstr(err.message, "string 0 has more than 65536 bytes"));
	strbuf_release(&json);
	strbuf_release(&name);
}

static void test_a_cost_that_is_no_number_is_not_written(void **state)
{
	struct result *result = fixture_fail();
	struct strbuf json = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	((struct result_node *)result->benchmarks[0].nodes)[3].self[0] = (double)NAN;
	assert_int_equal(report_json_write(result, &json, &err), ERR_MEASURE);
	assert_non_null(strstr(err.message, "self_base"));
	assert_int_equal(json.length, 0);
	fixture_free(result);
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	struct error err = {0};
	char *first = file_join(a, name), *second = file_join(b, name);

	assert_int_equal(file_read(first, 1 << 24, &x, &err), ERR_OK);
	assert_int_equal(file_read(second, 1 << 24, &y, &err), ERR_OK);
	assert_true(x.length > 0);
	assert_string_equal(x.data, y.data);
	strbuf_release(&x);
	strbuf_release(&y);
	free(first);
	free(second);
}

static void test_files_from_report_json_are_the_checks_own(void **state)
{
	struct result *result = fixture_many();
	static const char *const also[] = {"sarif", "junit", "codequality", "metrics", "svg", NULL};
	struct report_view *view = NULL, *own = NULL;
	struct strbuf json = STRBUF_INIT;
	struct error err = {0};
	char *dir, *first, *second, *path;

	(void)state;
	assert_int_equal(file_make_temp_dir(NULL, "report-test-", &dir, &err), ERR_OK);
	first = file_join(dir, "new/first");
	second = file_join(dir, "second");
	assert_int_equal(report_view_of(result, &own, &err), ERR_OK);
	assert_int_equal(report_write_view(own, first, also, &err), ERR_OK);
	path = file_join(first, "report.json");
	assert_int_equal(file_read(path, REPORT_MAX_BYTES, &json, &err), ERR_OK);
	assert_int_equal(report_view_read(json.data, json.length, &view, &err), ERR_OK);
	assert_int_equal(report_write_view(view, second, also, &err), ERR_OK);
	for (const struct report_format *format = report_formats; format->name; format++)
		if (format->file)
			assert_same_file(first, second, format->file);
	assert_int_equal(file_remove_tree(dir, &err), ERR_OK);
	report_view_free(view);
	report_view_free(own);
	fixture_free(result);
	strbuf_release(&json);
	free(dir);
	free(first);
	free(second);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_damage_is_refused_and_named),
		cmocka_unit_test(test_every_truncation_is_refused),
		cmocka_unit_test(test_a_huge_list_is_refused),
		cmocka_unit_test(test_an_object_with_absurdly_many_members_is_refused),
		cmocka_unit_test(test_a_text_of_too_many_values_is_refused),
		cmocka_unit_test(test_a_tree_deeper_than_the_limit_is_refused),
		cmocka_unit_test(test_the_deepest_tree_allowed_is_rendered),
		cmocka_unit_test(test_a_report_of_an_older_version_is_read),
		cmocka_unit_test(test_an_unknown_unit_is_seconds),
		cmocka_unit_test(test_what_was_done_to_the_clock_comes_back),
		cmocka_unit_test(test_stored_baselines_come_back_as_they_were),
		cmocka_unit_test(test_random_changes_never_crash_a_renderer),
		cmocka_unit_test(test_what_is_unknown_stays_unknown),
		cmocka_unit_test(test_a_new_culprit_stays_infinitely_slower),
		cmocka_unit_test(test_a_columns_string_has_at_most_64_kib),
		cmocka_unit_test(test_a_longer_string_of_the_columns_is_refused),
		cmocka_unit_test(test_a_cost_that_is_no_number_is_not_written),
		cmocka_unit_test(test_files_from_report_json_are_the_checks_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
