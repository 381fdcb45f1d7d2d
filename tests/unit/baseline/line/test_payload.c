/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads byte by byte: what cannot be is refused, whatever the head and its hash say. */
#include "baseline/line/line_payload.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/lines.h"

/* ---- by hand: numbers below 128 are one byte ------------------------------------------------- */

struct payload {
	struct strbuf bytes;
};

static void put(struct payload *payload, const char *bytes, size_t length)
{
	strbuf_add(&payload->bytes, bytes, length);
}
#define PUT(payload, literal) put(payload, literal, sizeof(literal) - 1)

static void put_number(struct payload *payload, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		strbuf_addch(&payload->bytes, (char)(number | 0x80));
	strbuf_addch(&payload->bytes, (char)number);
}

/* One round: 1 s, 1 s, 1 iteration; 2 samples, 2 complete, 0 lost, first, 1 process, 0 squares. */
static void put_round(struct payload *payload)
{
	for (int i = 0; i < 3; i++)
		PUT(payload, "\0\0\0\0\0\0\360\77");
	PUT(payload, "\2\2\0\0\1\0");
}

/* Functions a and b, no module, file or system name, lines 1 and 2. */
static void put_functions(struct payload *payload)
{
	PUT(payload, "\0\0\0\0"   /* modules */
		     "\0\0\0\0"   /* files */
		     "\0\0\1\1ab" /* names */
		     "\0\0\0\0"   /* system names */
		     "\2\2");
}

/* The root, a, and b under a; two samples of b. `tail` replaces the cells. */
static struct payload make_payload(const char *counts, const char *nodes, const char *cells)
{
	struct payload payload = {STRBUF_INIT};

	put(&payload, counts, 4);
	put_round(&payload);
	put_functions(&payload);
	put(&payload, nodes, 6);
	put(&payload, cells, 2);
	return payload;
}

#define COUNTS "\1\2\3\1"
#define NODES "\0\0\0\0\0\1" /* up, up; new, new; a, b */
#define CELLS "\5\4"         /* two steps on, not 1; 2 */

static int decode(const struct payload *payload, bool counted, struct error *err)
{
	struct line_tree tree;
	int rc = line_payload_decode(
		payload->bytes.data, payload->bytes.length, counted, &tree, err);

	if (!rc)
		line_tree_release(&tree);
	return rc;
}

static void test_a_payload_is_what_its_header_says(void **state)
{
	struct payload payload = make_payload(COUNTS, NODES, CELLS);
	struct line_tree tree;
	struct strbuf again = STRBUF_INIT;

	(void)state;
	assert_int_equal(
		line_payload_decode(payload.bytes.data, payload.bytes.length, false, &tree, NULL),
		ERR_OK);
	assert_int_equal(tree.round_count, 1);
	assert_true(tree.rounds[0].cpu_seconds == 1);
	assert_int_equal(tree.function_count, 2);
	assert_string_equal(tree.functions[1].name, "b");
	assert_true(tree.functions[1].start_line == 2);
	assert_int_equal(tree.node_count, 3);
	assert_int_equal(tree.nodes[2].depth, 2);
	assert_int_equal(tree.nodes[2].function, 1);
	assert_int_equal(tree.cell_count, 1);
	assert_int_equal(tree.cells[0].node, 2);
	assert_true(tree.cells[0].quanta == 2);
	line_payload_encode(&tree, false, &again);
	assert_int_equal(again.length, payload.bytes.length);
	assert_memory_equal(again.data, payload.bytes.data, again.length);
	line_tree_release(&tree);
	strbuf_release(&again);
	strbuf_release(&payload.bytes);
}

static void assert_refused(struct payload *payload, bool counted, const char *message)
{
	struct error err = {0};
	int rc = decode(payload, counted, &err);

	if (rc != ERR_CORRUPT)
		fail_msg("gave %d instead of \"%s\"", rc, message);
	assert_contains(err.message, message);
	strbuf_release(&payload->bytes);
}

static void test_counts_and_indices_are_checked(void **state)
{
	static const struct {
		const char *counts, *nodes, *cells, *message;
	} cases[] = {
		{"\0\2\3\1", NODES, CELLS, "empty"},
		{"\1\2\0\1", NODES, CELLS, "empty"},
		{"\1\2\3\2", NODES, CELLS, "belongs to no node"},
		{"\1\2\3\1", NODES, "\5\204", "ends too early"},
		{"\1\2\3\0", NODES, CELLS, "follows its end"},
		{COUNTS, "\1\0\0\0\0\1", CELLS, "no place"},
		{COUNTS, "\0\2\0\0\0\1", CELLS, "no place"},
		{COUNTS, "\0\0\0\0\0\2", CELLS, "function does not exist"},
		{COUNTS, "\0\0\0\1\0\1", CELLS, "function does not exist"},
		{COUNTS, "\0\0\1\0\0\1", CELLS, "function does not exist"},
		{COUNTS, NODES, "\7\4", "belongs to no node"},
		{COUNTS, NODES, "\5\3", "negative"},
		{COUNTS, NODES, "\5\0", "negative"},
		{COUNTS, NODES, "\4\4", "follows its end"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct payload payload =
			make_payload(cases[i].counts, cases[i].nodes, cases[i].cells);

		assert_refused(&payload, false, cases[i].message);
	}
}

static void test_limits_are_looked_at_before_memory_is_taken(void **state)
{
	static const struct {
		uint64_t counts[4];
		const char *message;
	} cases[] = {
		{{1000000, 1, 1, 1}, "more rounds"},
		{{1, (uint64_t)1 << 40, 1, 1}, "more functions"},
		{{1, 1, UINT64_MAX, 1}, "more nodes"},
		{{1, 1, 1, (uint64_t)1 << 40}, "more costs"},
		{{1024, 1 << 18, 1 << 18, 1 << 21}, "ends too early"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct payload payload = {STRBUF_INIT};

		for (int j = 0; j < 4; j++)
			put_number(&payload, cases[i].counts[j]);
		assert_refused(&payload, false, cases[i].message);
	}
}

static void test_numbers_have_64_bits(void **state)
{
	struct payload payload = {STRBUF_INIT};

	(void)state;
	PUT(&payload, "\377\377\377\377\377\377\377\377\377\2");
	assert_refused(&payload, false, "64 bits");
	strbuf_init(&payload.bytes);
	PUT(&payload, "\200\200\200\200\200\200\200\200\200\200\200\1");
	assert_refused(&payload, false, "64 bits");
}

static void test_names_hold_no_nul_and_share_no_more_than_there_is(void **state)
{
	struct payload payload = make_payload(COUNTS, NODES, CELLS);
	char *names = memmem(payload.bytes.data, payload.bytes.length, "\0\0\1\1ab", 6);

	(void)state;
	names[4] = '\0';
	assert_refused(&payload, false, "NUL");
	payload = make_payload(COUNTS, NODES, CELLS);
	names = memmem(payload.bytes.data, payload.bytes.length, "\0\0\1\1ab", 6);
	names[0] = 1;
	assert_refused(&payload, false, "longer than it can be");
	payload = make_payload(COUNTS, NODES, CELLS);
	names = memmem(payload.bytes.data, payload.bytes.length, "\0\0\1\1ab", 6);
	names[3] = 127;
	assert_refused(&payload, false, "ends too early");
}

/* A few bytes a name, each of which repeats a long one. */
static void test_names_that_grow_out_of_few_bytes_are_refused(void **state)
{
	struct payload payload = {STRBUF_INIT};
	size_t functions = 20000, length = 60000;

	(void)state;
	put_number(&payload, 1);
	put_number(&payload, functions);
	PUT(&payload, "\1\0");
	put_round(&payload);
	for (size_t i = 0; i < 4 * functions; i++) /* no modules, no files */
		put_number(&payload, 0);
	for (size_t i = 0; i < functions; i++)
		put_number(&payload, i ? length - 1 : 0);
	for (size_t i = 0; i < functions; i++)
		put_number(&payload, i ? 1 : length);
	for (size_t i = 0; i < length + functions; i++)
		strbuf_addch(&payload.bytes, (char)('a' + i % 7));
	assert_refused(&payload, false, "longer than it can be");
}

static void test_a_tree_that_is_too_deep_is_refused(void **state)
{
	struct payload payload = {STRBUF_INIT};

	(void)state;
	PUT(&payload, "\1\2");
	put_number(&payload, LINE_MAX_DEPTH + 2);
	PUT(&payload, "\0");
	put_round(&payload);
	put_functions(&payload);
	for (size_t i = 0; i < 3 * LINE_MAX_DEPTH + 3; i++)
		put_number(&payload, 0);
	assert_refused(&payload, false, "too deep");
}

/* Nodes whose one value stays for 1,024 rounds: each under the one before (chain),
 * or side by side. */
static struct payload make_constant(size_t nodes, bool chain)
{
	struct payload payload = {STRBUF_INIT};
	size_t rounds = 1024;

	put_number(&payload, rounds);
	PUT(&payload, "\2");
	put_number(&payload, nodes);
	put_number(&payload, nodes);
	for (size_t i = 0; i < 3 * rounds; i++)
		PUT(&payload, "\0\0\0\0\0\0\360\77");
	for (size_t i = 0; i < 6 * rounds; i++)
		put_number(&payload, 0);
	put_functions(&payload);
	for (size_t i = 1; i < nodes; i++)
		put_number(&payload, i > 1 && !chain);
	for (size_t i = 1; i < nodes; i++)
		put_number(&payload, chain ? i > 2 : i > 1); /* a, and again a callee seen before */
	put(&payload, "\0\0", chain ? 2 : 1);
	for (size_t i = 0; i < nodes; i++)
		put_number(&payload, i ? 2 * (rounds - 1) : 0);
	return payload;
}

static void test_costs_that_grow_out_of_few_bytes_are_refused(void **state)
{
	struct payload payload = make_constant(260000, false);

	(void)state;
	assert_refused(&payload, true, "more costs");
}

static void test_frames_that_grow_out_of_few_bytes_are_refused(void **state)
{
	struct payload payload = make_constant(1000, true), small = make_constant(300, true);

	(void)state;
	assert_refused(&payload, true, "more frames");
	assert_int_equal(decode(&small, true, NULL), ERR_OK);
	strbuf_release(&small.bytes);
}

static void test_totals_of_rounds_are_checked(void **state)
{
	struct payload payload = make_payload(COUNTS, NODES, CELLS);

	(void)state;
	memcpy(payload.bytes.data + 4, "\0\0\0\0\0\0\370\177", 8); /* NaN */
	assert_refused(&payload, false, "total is out of range");
	payload = make_payload(COUNTS, NODES, CELLS);
	payload.bytes.data[4 + 24 + 3] = 2; /* order */
	assert_refused(&payload, false, "order");
	payload = make_payload(COUNTS, NODES, CELLS);
	payload.bytes.data[4 + 24 + 5] = 1; /* squares */
	assert_refused(&payload, false, "squares are negative");
}

static void test_counted_values_do_not_overflow(void **state)
{
	struct payload payload = {STRBUF_INIT};

	(void)state;
	PUT(&payload, "\2\2\3\2");
	for (int i = 0; i < 6; i++)
		PUT(&payload, "\0\0\0\0\0\0\360\77");
	PUT(&payload, "\0\0\0\0\0\0\0\0\0\0\0\0");
	put_functions(&payload);
	PUT(&payload, NODES);
	PUT(&payload, "\1\1");
	put_number(&payload, UINT64_MAX - 1); /* INT64_MAX */
	put_number(&payload, 4);
	assert_refused(&payload, true, "64 bits");
}

/* ---- in a line ------------------------------------------------------------------------------- */

static void test_a_payload_that_inflates_without_end_is_refused(void **state)
{
	struct recording recording = recordings_make(&(struct recordings_options){.seed = 1});
	struct strbuf line = STRBUF_INIT, bomb = STRBUF_INIT, zeros = STRBUF_INIT;
	struct error err;

	(void)state;
	lines_add(&line, &recording, BASELINE_TREE);
	strbuf_reserve(&zeros, (size_t)66 << 20);
	memset(zeros.data, 0, (size_t)66 << 20);
	lines_with_payload(&bomb, line.data, zeros.data, (size_t)66 << 20);
	assert_true(bomb.length < 200000);
	assert_int_equal(lines_decode(&bomb, recording.commit, &err), ERR_LIMIT);
	strbuf_release(&zeros);
	strbuf_release(&line);
	strbuf_release(&bomb);
	recording_release(&recording);
}

static void test_a_sound_payload_of_another_recording_is_refused(void **state)
{
	struct recording one = recordings_make(&(struct recordings_options){.seed = 1}),
			 two = recordings_make(
				 &(struct recordings_options){.seed = 1, .slowdown = 1.1});
	struct strbuf a = STRBUF_INIT, mixed = STRBUF_INIT, payload = STRBUF_INIT;
	struct line_tree tree;
	struct error err;

	(void)state;
	lines_add(&a, &one, BASELINE_TREE);
	assert_int_equal(line_tree_build(&tree, &two, NULL), ERR_OK);
	line_payload_encode(&tree, false, &payload);
	lines_with_payload(&mixed, a.data, payload.data, payload.length);
	assert_int_equal(lines_decode(&mixed, one.commit, &err), ERR_CORRUPT);
	assert_contains(err.message, "differ");
	line_tree_release(&tree);
	strbuf_release(&a);
	strbuf_release(&mixed);
	strbuf_release(&payload);
	recording_release(&one);
	recording_release(&two);
}

/* Whatever decodes is within its bounds: line_tree_restore() relies on it. */
static void check_tree(const struct line_tree *tree)
{
	size_t place = 0;

	assert_int_equal(tree->nodes[0].depth, 0);
	for (size_t i = 1; i < tree->node_count; i++) {
		assert_in_range(tree->nodes[i].depth, 1, tree->nodes[i - 1].depth + 1);
		assert_true(tree->nodes[i].function < tree->function_count);
	}
	for (size_t i = 0; i < tree->cell_count; i++) {
		const struct line_cell *cell = &tree->cells[i];
		size_t at = cell->node * tree->round_count + cell->round;

		assert_true(cell->node < tree->node_count && cell->round < tree->round_count);
		assert_true(cell->quanta > 0 && at >= place);
		place = at + 1;
	}
	assert_int_equal(line_tree_fits(tree, NULL), ERR_OK);
}

static void test_damaged_payloads_decode_within_bounds_or_not_at_all(void **state)
{
	struct recording recording =
		recordings_make(&(struct recordings_options){.seed = 3, .type = "instructions"});
	struct strbuf payload = STRBUF_INIT;
	struct line_tree tree;
	uint64_t random = 7;
	size_t decoded = 0;

	(void)state;
	assert_int_equal(line_tree_build(&tree, &recording, NULL), ERR_OK);
	for (int counted = 0; counted < 2; counted++) {
		strbuf_reset(&payload);
		line_payload_encode(&tree, counted, &payload);
		for (int i = 0; i < 20000; i++) {
			char *byte = &payload.data[recordings_below(&random, payload.length)];
			char was = *byte;
			struct line_tree damaged;

			*byte = (char)recordings_random(&random);
			if (!line_payload_decode(
				    payload.data, payload.length, counted, &damaged, NULL)) {
				check_tree(&damaged);
				line_tree_release(&damaged);
				decoded++;
			}
			*byte = was;
		}
	}
	assert_in_range(decoded, 1000, 39000);
	line_tree_release(&tree);
	strbuf_release(&payload);
	recording_release(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_payload_is_what_its_header_says),
		cmocka_unit_test(test_counts_and_indices_are_checked),
		cmocka_unit_test(test_limits_are_looked_at_before_memory_is_taken),
		cmocka_unit_test(test_numbers_have_64_bits),
		cmocka_unit_test(test_names_hold_no_nul_and_share_no_more_than_there_is),
		cmocka_unit_test(test_names_that_grow_out_of_few_bytes_are_refused),
		cmocka_unit_test(test_a_tree_that_is_too_deep_is_refused),
		cmocka_unit_test(test_costs_that_grow_out_of_few_bytes_are_refused),
		cmocka_unit_test(test_frames_that_grow_out_of_few_bytes_are_refused),
		cmocka_unit_test(test_totals_of_rounds_are_checked),
		cmocka_unit_test(test_counted_values_do_not_overflow),
		cmocka_unit_test(test_a_payload_that_inflates_without_end_is_refused),
		cmocka_unit_test(test_a_sound_payload_of_another_recording_is_refused),
		cmocka_unit_test(test_damaged_payloads_decode_within_bounds_or_not_at_all),
	};

	return cmocka_run_group_tests_name("payload", tests, NULL, NULL);
}
