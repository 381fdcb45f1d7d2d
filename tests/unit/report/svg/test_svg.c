/* SPDX-License-Identifier: Apache-2.0 */
/* The static picture: its layout, its colours, its size, and XML whatever the names. */
#include "tests/unit/report/hostile_corpus.h"

#include <math.h>

#include "gate/base/error.h"
#include "report/svg/svg.h"
#include "report/svg/svg_boxes.h"
#include "report/svg/svg_graph.h"
#include "report/svg/svg_text.h"
#include "report/words/words.h"
#include "tests/unit/report/fixture_build.h"

/* ---- XML: only what we draw with, each element closed, no attribute that leads anywhere ------ */

#define MAX_OPEN 8
static const char *const elements[] = {
	"svg", "title", "style", "defs", "pattern", "rect", "g", "text", NULL};
static const char *const attributes[] = {"xmlns", "class", "width", "height", "viewBox", "role",
	"x", "y", "rx", "fill", "fill-opacity", "id", "patternUnits", "patternTransform", NULL};

struct open_elements {
	char names[MAX_OPEN][16];
	size_t count;
};

static bool is_one_of(const char *word, size_t length, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == length && memcmp(*words, word, length) == 0)
			return true;
	return false;
}

/* At the text after a name or an attribute; returns what follows the attributes. */
static const char *check_attributes(const char *at)
{
	while (*at == ' ') {
		size_t length = strcspn(++at, "=");

		if (!is_one_of(at, length, attributes))
			fail_msg("no attribute of ours: %.40s", at);
		at += length;
		assert_int_equal(strncmp(at, "=\"", 2), 0);
		at += 2;
		assert_null(memchr(at, '<', strcspn(at, "\"")));
		at += strcspn(at, "\"") + 1;
	}
	return at;
}

static const char *check_tag(struct open_elements *open, const char *at)
{
	bool closes = *at == '/';
	size_t length = strcspn(at += closes, " />");

	if (!is_one_of(at, length, elements))
		fail_msg("no element of ours: %.40s", at);
	if (closes) {
		assert_true(open->count > 0);
		open->count--;
		assert_int_equal(strlen(open->names[open->count]), length);
		assert_memory_equal(open->names[open->count], at, length);
		assert_int_equal(at[length], '>');
		return at + length + 1;
	}
	assert_true(open->count < MAX_OPEN);
	snprintf(open->names[open->count++], sizeof(open->names[0]), "%.*s", (int)length, at);
	at = check_attributes(at + length);
	if (*at == '/') {
		open->count--;
		at++;
	}
	assert_int_equal(*at, '>');
	return at + 1;
}

static void check_entity(const char *at)
{
	if (strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) &&
		strncmp(at, "&quot;", 6) && strncmp(at, "&#39;", 5))
		fail_msg("no entity of ours: %.40s", at);
}

static void check_xml(const struct strbuf *out)
{
	struct open_elements open = {.count = 0};

	assert_int_equal(strlen(out->data), out->length);
	for (const char *at = out->data; *at;) {
		assert_true((unsigned char)*at >= ' ' || *at == '\n');
		assert_int_not_equal(strncmp(at, "\xef\xbf\xbe", 3), 0);
		if (*at == '&')
			check_entity(at);
		at = *at == '<' ? check_tag(&open, at + 1) : at + 1;
	}
	assert_int_equal(open.count, 0);
}

static void render(struct result *result, struct strbuf *out)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	report_svg(view, out);
	check_xml(out);
	assert_true(out->length <= SVG_MAX_BYTES);
	report_view_free(view);
	fixture_free(result);
}

static void check_hostile(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT;

	report_svg(view, &out);
	check_xml(&out);
	assert_inert(&out, name, "the picture");
	assert_true(out.length <= SVG_MAX_BYTES);
	strbuf_release(&out);
}

static void test_a_picture_stays_a_picture_whatever_the_names(void **state)
{
	(void)state;
	for_each_hostile_name(check_hostile);
	check_hostile_name("a\xef\xbf\xbe\xef\xbf\xbf z", check_hostile);
}

static void test_every_outcome_has_a_picture(void **state)
{
	(void)state;
	for (const struct fixture_case *one = fixture_cases; one->name; one++) {
		struct strbuf out = STRBUF_INIT;

		render(one->make(), &out);
		assert_non_null(strstr(out.data, "<title>"));
		strbuf_release(&out);
	}
}

/* ---- what it shows --------------------------------------------------------------------------- */

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

/* What follows the legend's and the style's own uses of a class is the graph. */
static void assert_boxes(struct result *result, const char *class, size_t count)
{
	struct strbuf out = STRBUF_INIT;
	const char *graph, *end;
	char *only;

	render(result, &out);
	graph = strstr(out.data, "<g>");
	end = strstr(out.data, "</svg>");
	assert_non_null(graph);
	assert_true(graph < end);
	only = strndup(graph, (size_t)(end - graph));
	assert_non_null(only);
	if (count_of(only, class) != count)
		fail_msg("%zu %s, not %zu, in\n%s", count_of(only, class), class, count, only);
	free(only);
	strbuf_release(&out);
}

static struct result_node *node_of_parse_field(struct result *result)
{
	struct result_benchmark *benchmark = (struct result_benchmark *)&result->benchmarks[0];
	uint32_t node = find_node(benchmark, FIELD);

	node_at(benchmark, node)->state = STATE_UNCHANGED;
	return node_at(benchmark, node);
}

/* The verdict of the own cost is the function's, over all its calls. */
static void test_a_call_that_went_the_other_way_is_grey(void **state)
{
	struct result *result = fixture_fail();
	struct result_node *node = node_of_parse_field(result);

	(void)state;
	node->self_state = STATE_CONFIRMED;
	assert_boxes(result, ">▲ parse_field<", 1);
	result = fixture_fail();
	node = node_of_parse_field(result);
	node->self_state = STATE_CONFIRMED;
	node->self_change = -0.01;
	assert_boxes(result, ">▼ parse_field<", 0);
	result = fixture_fail();
	node = node_of_parse_field(result);
	node->self_state = STATE_CONFIRMED;
	node->self_change = 0.0004;
	assert_boxes(result, ">▲ parse_field<", 0);
}

static void test_what_was_explained_away_is_grey(void **state)
{
	static const enum result_state states[] = {
		STATE_FLAGGED, STATE_CONTRADICTED, STATE_UNCHANGED_CODE};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct result *result = fixture_fail();
		struct result_node *node = node_of_parse_field(result);

		node->state = node->self_state = states[i];
		assert_boxes(result, ">▲ parse_field<", 0);
	}
}

static void test_only_what_is_significant_has_a_colour(void **state)
{
	(void)state;
	assert_boxes(fixture_pass(), "class=\"m", 0);
	assert_boxes(fixture_pass(), "class=\"l", 0);
	assert_boxes(fixture_fail(), "class=\"m", 3); /* the whole in two parts, and parse_field */
	assert_boxes(fixture_fail(), ">▲ everything<", 1);
	assert_boxes(fixture_fail(), "class=\"l", 0);
	assert_boxes(fixture_fail(), ">▲ parse_field<", 1);
	assert_boxes(fixture_faster(), "class=\"m", 0);
	/* What is filled, and what is not: of the function, of what leads to it,
	 * and of the whole. */
	assert_boxes(fixture_faster(), "class=\"l", 8);
	assert_boxes(fixture_faster(), ">▼ everything<", 1);
}

static void test_what_is_to_blame_has_a_frame(void **state)
{
	(void)state;
	assert_boxes(fixture_fail(), "class=\"f\"", 1);
	assert_boxes(fixture_pass(), "class=\"f\"", 0);
}

static void test_what_is_gone_is_hatched_and_what_is_new_is_marked(void **state)
{
	(void)state;
	assert_boxes(fixture_shift(), "fill=\"url(#fg-gone)\"", 1);
	assert_boxes(fixture_shift(), ">− scan", 1);
	assert_boxes(fixture_shift(), ">+▲ sca", 1);
	assert_boxes(fixture_fail(), "fill=\"url(#fg-gone)\"", 0);
}

static void test_one_profile_alone_has_no_verdict_colours(void **state)
{
	(void)state;
	assert_boxes(fixture_run(), "class=\"m", 0);
	assert_boxes(fixture_run(), "class=\"l", 0);
	assert_boxes(fixture_run(), "class=\"i\"", 0);
	assert_boxes(fixture_run(), "class=\"f\"", 0);
}

static void test_of_several_benchmarks_the_worst_is_shown(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	render(fixture_many(), &out);
	assert_non_null(strstr(out.data, "the worst of 6 benchmarks (all: FAIL)"));
	strbuf_reset(&out);
	render(fixture_record(), &out);
	assert_non_null(
		strstr(out.data, "one of 3 benchmarks, the worst that has a profile (all: ERROR)"));
	strbuf_release(&out);
}

/* ---- the layout ------------------------------------------------------------------------------ */

static void assert_inside(const struct svg_box *inner, const struct svg_box *outer)
{
	assert_true(inner->x >= outer->x - 1e-6);
	assert_true(inner->x + inner->width <= outer->x + outer->width + 1e-6);
}

/* Each box lies right of the last of its row, and inside the last of the row above. */
static void check_layout(const struct svg_boxes *boxes, double width)
{
	struct svg_box last[128] = {{0}};

	for (size_t i = 0; i < boxes->count; i++) {
		const struct svg_box *box = &boxes->boxes[i];

		assert_true(box->row < boxes->rows);
		assert_true(box->x >= last[box->row].x + last[box->row].width - 1e-6);
		if (box->row)
			assert_inside(box, &last[box->row - 1]);
		last[box->row] = *box;
	}
	assert_true(fabs(boxes->boxes[0].width - width) < 1e-6);
}

static void check_frame(const struct result_benchmark *benchmark, const struct svg_frame *frame)
{
	struct svg_boxes boxes;

	svg_boxes_init(&boxes, benchmark, frame);
	check_layout(&boxes, frame->width);
	assert_true(boxes.rows <= frame->max_rows);
	for (size_t i = 0; i < boxes.count; i++)
		assert_true(boxes.boxes[i].width >= fmin(0.5, frame->min_width / 2));
	svg_boxes_release(&boxes);
}

static void test_boxes_do_not_overlap_and_stay_inside_their_parents(void **state)
{
	static const struct svg_frame frames[] = {
		{1168, 1, 64}, {1168, 40, 64}, {100, 1, 3}, {30, 1, 1}};

	(void)state;
	for (const struct fixture_case *one = fixture_cases; one->name; one++) {
		struct result *result = one->make();

		for (size_t b = 0; b < result->benchmark_count; b++)
			for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
				if (result->benchmarks[b].node_count)
					check_frame(&result->benchmarks[b], &frames[i]);
		fixture_free(result);
	}
}

/* Samples account for 80 % of base, and of head. */
static void test_what_no_sample_saw_stays_empty_below_the_root(void **state)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_node *root = (struct result_node *)benchmark->nodes;
	struct svg_boxes boxes;

	(void)state;
	root->total[0] = benchmark->total.base *= 1.25;
	root->total[1] = benchmark->total.head *= 1.25;
	svg_boxes_init(&boxes, benchmark, &(struct svg_frame){1000, 1, 64});
	assert_true(boxes.boxes[0].node == 0 && fabs(boxes.boxes[0].width - 1000) < 1e-9);
	assert_true(boxes.boxes[1].row == 1 && fabs(boxes.boxes[1].width - 800) < 3);
	assert_true(fabs(boxes.boxes[0].cost[1] * boxes.scale - 1000) < 1e-9);
	svg_boxes_release(&boxes);
	fixture_free(result);
}

static void test_neighbours_that_are_too_narrow_become_one_box(void **state)
{
	struct result *result = fixture_pass();
	const struct result_benchmark *benchmark = result->benchmarks;
	struct svg_boxes all, few;
	size_t merged = 0;

	(void)state;
	svg_boxes_init(&all, benchmark, &(struct svg_frame){1000, 1, 64});
	svg_boxes_init(&few, benchmark, &(struct svg_frame){1000, 160, 64});
	assert_true(few.count < all.count);
	for (size_t i = 0; i < few.count; i++) {
		assert_true(few.boxes[i].width >= 160);
		if (few.boxes[i].node == RESULT_NONE)
			merged += few.boxes[i].merged;
		else
			assert_int_equal(few.boxes[i].merged, 0);
	}
	assert_true(merged >= 2);
	svg_boxes_release(&all);
	svg_boxes_release(&few);
	fixture_free(result);
}

static bool is_shown(const struct result_benchmark *benchmark, double min_width, uint32_t node)
{
	struct svg_boxes boxes;
	bool shown = false;

	svg_boxes_init(&boxes, benchmark, &(struct svg_frame){1000, min_width, 64});
	for (size_t i = 0; i < boxes.count; i++)
		shown |= boxes.boxes[i].node == node;
	svg_boxes_release(&boxes);
	return shown;
}

static void test_a_culprit_is_shown_however_narrow(void **state)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	uint32_t node = benchmark->culprits[0].node;

	(void)state;
	assert_true(is_shown(benchmark, 900, node));
	benchmark->culprit_count = 0;
	assert_false(is_shown(benchmark, 900, node));
	fixture_free(result);
}

static void test_a_high_tree_begins_further_in(void **state)
{
	struct result *result = fixture_large(500, 500);
	struct strbuf out = STRBUF_INIT;
	struct svg_boxes boxes;

	(void)state;
	svg_boxes_init(&boxes, result->benchmarks, &(struct svg_frame){1000, 1, 64});
	assert_true(boxes.rows <= 64);
	assert_true(boxes.above > 0 || boxes.below);
	svg_boxes_release(&boxes);
	render(result, &out);
	assert_non_null(strstr(out.data, "not shown</text>"));
	strbuf_release(&out);
}

static void test_a_huge_tree_of_long_names_keeps_to_the_size(void **state)
{
	struct result *result = fixture_large(60000, 900);
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	char name[401];
	struct strbuf out = STRBUF_INIT;

	(void)state;
	memset(name, '"', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		function_at(benchmark, i)->name = name;
		function_at(benchmark, i)->file = name;
	}
	for (uint32_t i = 0; i < benchmark->node_count; i++)
		node_at(benchmark, i)->state = STATE_CONFIRMED;
	render(result, &out);
	assert_true(count_of(out.data, "<g>") > 10);
	strbuf_release(&out);
}

/* The sums are so small that no number says how many pixels one of it has. */
static void test_costs_next_to_nothing_give_no_infinite_boxes(void **state)
{
	struct result *result = fixture_large(60000, 900);
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct strbuf out = STRBUF_INIT;
	struct svg_boxes boxes;

	(void)state;
	for (uint32_t i = 0; i < benchmark->node_count; i++)
		for (int side = 0; side < 2; side++)
			node_at(benchmark, i)->self[side] = node_at(benchmark, i)->total[side] =
				1.5e-323;
	svg_boxes_init(&boxes, benchmark, &(struct svg_frame){1000, 1, 64});
	assert_true(isfinite(boxes.scale));
	svg_boxes_release(&boxes);
	render(result, &out);
	assert_null(strstr(out.data, "\"inf"));
	assert_null(strstr(out.data, "nan\""));
	assert_true(out.length < 64 * 1024);
	strbuf_release(&out);
}

static void test_a_graph_without_room_is_not_drawn(void **state)
{
	struct result *result = fixture_fail();
	struct svg_graph graph = {.width = 1000, .max_bytes = 100};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	svg_graph(&graph, result->benchmarks, &out);
	assert_int_equal(graph.rows, 0);
	assert_int_equal(out.length, 0);
	graph.max_bytes = 100000;
	svg_graph(&graph, result->benchmarks, &out);
	assert_true(graph.rows > 0);
	assert_true(out.length > 1000);
	strbuf_release(&out);
	fixture_free(result);
}

static void test_a_merged_box_says_how_many_it_stands_for(void **state)
{
	struct result *result = fixture_pass();
	struct strbuf out = STRBUF_INIT;
	const char *merged;
	size_t count = 0;

	(void)state;
	/* The less room there is, the more is merged. */
	for (size_t room = 1000; room < 8000; room += 500) {
		struct svg_graph graph = {.width = 1000, .max_bytes = room};

		svg_graph(&graph, result->benchmarks, &out);
	}
	fixture_free(result);
	merged = strstr(out.data, " narrow frame");
	assert_non_null(merged);
	for (; merged; merged = strstr(merged + 1, " narrow frame"), count++) {
		const char *one = merged;

		while (strchr("0123456789,", one[-1]))
			one--;
		one = strncmp(one, "1 ", 2) == 0 ? " narrow frame\n" : " narrow frames\n";
		if (strncmp(merged, one, strlen(one)) != 0)
			fail_msg("a merged box says%.30s", merged);
	}
	assert_true(count > 1);
	strbuf_release(&out);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void test_text_fits_its_room(void **state)
{
	static const char *const texts[] = {"", "a", "parse_field", "MWMWMWMWMW",
		"\xe4\xb8\xad\xe6\x96\x87\xe5\x87\xbd\xe6\x95\xb0", "\xef\xb7\xba\xef\xb7\xba",
		"\xff\xfe", "\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5",
		"a b c d e f g h i j k"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (double room = 0; room < 120; room += 0.5) {
			struct strbuf fit = STRBUF_INIT;

			svg_text_fit(&fit, texts[i], room, 11);
			assert_true(svg_text_width(fit.data, 11) <= room);
			assert_true(
				strcmp(fit.data, texts[i]) == 0 || !fit.length || fit.length >= 5);
			strbuf_release(&fit);
		}
	}
}

static void test_lines_break_between_words(void **state)
{
	const char *text = "takes more time than before";
	size_t length = svg_text_line(text, svg_text_width("takes more ti", 16), 16);

	(void)state;
	assert_int_equal(length, strlen("takes more"));
	assert_int_equal(svg_text_line(text, 1000, 16), strlen(text));
	assert_int_equal(svg_text_line("\xe4\xb8\xad\xe6\x96\x87", 1, 16), 3);
	assert_int_equal(svg_text_line("unbreakable", svg_text_width("unb", 16), 16), 3);
}

/* Boxes of all widths: each narrower by a little than the one before. */
static struct result *make_stairs(void)
{
	struct result *result = fixture_large(40, 2);
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_node *nodes = (struct result_node *)benchmark->nodes;
	struct result_function *functions = (struct result_function *)benchmark->functions;

	for (size_t i = 0; i < benchmark->function_count; i++)
		functions[i].name = "wide";
	memset(nodes[0].self, 0, sizeof(nodes[0].self));
	memset(nodes[0].total, 0, sizeof(nodes[0].total));
	for (size_t i = 1; i < benchmark->node_count; i++) {
		nodes[i] = (struct result_node){.parent = 0,
			.function = nodes[i].function,
			.self_change = 0.1,
			.total_change = 0.1,
			.state = STATE_CONFIRMED,
			.self_state = STATE_CONFIRMED};
		for (int version = 0; version < 2; version++) {
			nodes[i].self[version] = nodes[i].total[version] =
				1e-3 * (double)i + 0.01 * version;
			nodes[0].total[version] += nodes[i].total[version];
		}
	}
	benchmark->culprit_count = 0;
	return result;
}

static void test_a_label_is_a_mark_a_name_or_both_and_no_ellipsis_alone(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	render(make_stairs(), &out);
	assert_non_null(strstr(out.data, ">▲ wi…</text>"));
	assert_non_null(strstr(out.data, ">▲</text>"));
	assert_null(strstr(out.data, " …</text>"));
	assert_null(strstr(out.data, ">…</text>"));
	assert_null(strstr(out.data, " </text>"));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_picture_stays_a_picture_whatever_the_names),
		cmocka_unit_test(test_every_outcome_has_a_picture),
		cmocka_unit_test(test_only_what_is_significant_has_a_colour),
		cmocka_unit_test(test_a_call_that_went_the_other_way_is_grey),
		cmocka_unit_test(test_what_was_explained_away_is_grey),
		cmocka_unit_test(test_what_is_to_blame_has_a_frame),
		cmocka_unit_test(test_what_is_gone_is_hatched_and_what_is_new_is_marked),
		cmocka_unit_test(test_one_profile_alone_has_no_verdict_colours),
		cmocka_unit_test(test_of_several_benchmarks_the_worst_is_shown),
		cmocka_unit_test(test_boxes_do_not_overlap_and_stay_inside_their_parents),
		cmocka_unit_test(test_what_no_sample_saw_stays_empty_below_the_root),
		cmocka_unit_test(test_neighbours_that_are_too_narrow_become_one_box),
		cmocka_unit_test(test_a_culprit_is_shown_however_narrow),
		cmocka_unit_test(test_a_high_tree_begins_further_in),
		cmocka_unit_test(test_a_huge_tree_of_long_names_keeps_to_the_size),
		cmocka_unit_test(test_costs_next_to_nothing_give_no_infinite_boxes),
		cmocka_unit_test(test_a_graph_without_room_is_not_drawn),
		cmocka_unit_test(test_a_merged_box_says_how_many_it_stands_for),
		cmocka_unit_test(test_a_label_is_a_mark_a_name_or_both_and_no_ellipsis_alone),
		cmocka_unit_test(test_text_fits_its_room),
		cmocka_unit_test(test_lines_break_between_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
