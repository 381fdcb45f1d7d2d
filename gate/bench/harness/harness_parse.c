/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/harness/harness_parse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/bench/harness/harness.h"

#define DIVAN_SAMPLES 100 /* as its count flags say */
#define MAX_COUNT ((uint64_t)1 << 53)

/* ---- names -------------------------------------------------------------------------------- */

void harness_names_init(struct harness_names *names)
{
	*names = (struct harness_names){.arena = ARENA_INIT};
	map_init(&names->known);
}

void harness_names_release(struct harness_names *names)
{
	free(names->items);
	map_release(&names->known);
	arena_release(&names->arena);
}

static bool has_control(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return true;
	return false;
}

static int check_name(const char *text, size_t length, struct error *err)
{
	if (length > HARNESS_MAX_NAME_BYTES)
		return error_set(err, ERR_LIMIT, "it lists a name of more than %d bytes",
			HARNESS_MAX_NAME_BYTES);
	if (!length || has_control(text, length))
		return error_set(err, ERR_CORRUPT,
			"it lists a name that is empty or has control characters");
	return ERR_OK;
}

int harness_names_add(
	struct harness_names *names, const char *text, size_t length, struct error *err)
{
	int rc = check_name(text, length, err);
	bool is_new;

	if (rc)
		return rc;
	map_intern(&names->known, text, length, (uint32_t)names->count, &is_new);
	if (!is_new)
		return ERR_OK;
	if (names->count == HARNESS_MAX_BENCHMARKS)
		return error_set(err, ERR_LIMIT,
			"it lists more than %d benchmarks: choose some by its own filter, in "
			"several entries",
			HARNESS_MAX_BENCHMARKS);
	names->items =
		grow_array(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
	names->items[names->count++] = arena_strndup(&names->arena, text, length);
	return ERR_OK;
}

/* ---- lines -------------------------------------------------------------------------------- */

struct line {
	const char *text;
	size_t length;
};

static bool next_line(const char **at, size_t *left, struct line *line)
{
	const char *end;

	if (!*left)
		return false;
	end = memchr(*at, '\n', *left);
	line->text = *at;
	line->length = end ? (size_t)(end - *at) : *left;
	*at += line->length + (end != NULL);
	*left -= line->length + (end != NULL);
	if (line->length && line->text[line->length - 1] == '\r')
		line->length--;
	return true;
}

static bool begins(const struct line *line, const char *prefix)
{
	size_t length = strlen(prefix);

	return line->length >= length && memcmp(line->text, prefix, length) == 0;
}

static bool cut_suffix(struct line *line, const char *suffix)
{
	size_t length = strlen(suffix);

	if (line->length < length ||
		memcmp(line->text + line->length - length, suffix, length) != 0)
		return false;
	line->length -= length;
	return true;
}

/* What a line has of a name: false: nothing. */
typedef bool line_reader(struct line *line);

static int read_by(line_reader *take, const char *text, size_t length, struct harness_names *out,
	struct error *err)
{
	struct line line;
	int rc = ERR_OK;

	while (!rc && next_line(&text, &length, &line))
		if (take(&line))
			rc = harness_names_add(out, line.text, line.length, err);
	return rc;
}

static bool take_line(struct line *line)
{
	return line->length;
}

/* Catch2 puts names that begin with '#' in quotes: its --input-file takes others for comments. */
static bool take_catch2(struct line *line)
{
	if (line->length > 2 && begins(line, "\"#") && cut_suffix(line, "\"")) {
		line->text++;
		line->length--;
	}
	return line->length;
}

static bool take_rust(struct line *line)
{
	return (cut_suffix(line, ": benchmark") || cut_suffix(line, ": bench")) && line->length;
}

/* A function's name as the testing package takes it: no lower case letter behind "Benchmark". */
static bool is_go_benchmark(const struct line *line)
{
	static const char prefix[] = "Benchmark";
	size_t length = sizeof(prefix) - 1;

	return begins(line, prefix) &&
	       (line->length == length || !islower((unsigned char)line->text[length]));
}

/* The name, blanks, a tab: what follows may be anything that the benchmark prints. */
static bool take_go_run(struct line *line)
{
	const char *tab = memchr(line->text, '\t', line->length);

	if (!is_go_benchmark(line) || !tab)
		return false;
	line->length = (size_t)(tab - line->text);
	while (line->length && line->text[line->length - 1] == ' ')
		line->length--;
	return !memchr(line->text, ' ', line->length);
}

static bool take_go_name(struct line *line)
{
	return is_go_benchmark(line) && !memchr(line->text, ' ', line->length) &&
	       !memchr(line->text, '\t', line->length);
}

int harness_read_lines(
	const char *text, size_t length, struct harness_names *out, struct error *err)
{
	return read_by(take_line, text, length, out, err);
}

int harness_read_catch2(
	const char *text, size_t length, struct harness_names *out, struct error *err)
{
	return read_by(take_catch2, text, length, out, err);
}

int harness_read_rust(const char *text, size_t length, struct harness_names *out, struct error *err)
{
	return read_by(take_rust, text, length, out, err);
}

int harness_read_go_runs(
	const char *text, size_t length, struct harness_names *out, struct error *err)
{
	return read_by(take_go_run, text, length, out, err);
}

int harness_read_go_list(
	const char *text, size_t length, struct harness_names *out, struct error *err)
{
	return read_by(take_go_name, text, length, out, err);
}

/* ---- a tree ------------------------------------------------------------------------------- */

#define TREE_DEPTH 32

struct tree_path {
	char *parts[TREE_DEPTH];
	size_t depth; /* of the last line's node; parts up to it are there */
	bool is_there;
};

/* Cuts the branches drawn before a name; how many there were. */
static size_t cut_branches(struct line *line)
{
	static const char *const branches[] = {"│  ", "├─ ", "╰─ ", "   "};
	size_t depth = 0;

	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]);) {
		if (!begins(line, branches[i])) {
			i++;
			continue;
		}
		line->text += strlen(branches[i]);
		line->length -= strlen(branches[i]);
		depth++;
		i = 0;
	}
	return depth;
}

static int add_leaf(const struct tree_path *path, struct harness_names *out, struct error *err)
{
	struct strbuf name = STRBUF_INIT;
	const char *last = path->parts[path->depth];
	int rc = ERR_OK;

	for (size_t i = 0; i <= path->depth; i++)
		strbuf_addf(&name, "%s%s", i ? "::" : "", path->parts[i]);
	/* The root alone is a program without benchmarks. */
	if (path->depth && !strstr(last, "(ignored)"))
		rc = harness_names_add(out, name.data, name.length, err);
	strbuf_release(&name);
	return rc;
}

static int add_node(
	struct tree_path *path, struct line *line, struct harness_names *out, struct error *err)
{
	size_t depth = cut_branches(line);
	int rc = ERR_OK;

	if (depth >= TREE_DEPTH || (depth && !path->is_there) || (depth > path->depth + 1))
		return error_set(err, ERR_CORRUPT, "what it prints is no tree of benchmarks");
	if (path->is_there && depth <= path->depth)
		rc = add_leaf(path, out, err);
	while (line->length && line->text[line->length - 1] == ' ')
		line->length--;
	path->parts[depth] = arena_strndup(&out->arena, line->text, line->length);
	path->depth = depth;
	path->is_there = true;
	return rc;
}

int harness_read_tree(const char *text, size_t length, struct harness_names *out, struct error *err)
{
	struct tree_path path = {.depth = 0};
	struct line line;
	int rc = ERR_OK;

	while (!rc && next_line(&text, &length, &line)) {
		if (out->arena.used_bytes > HARNESS_MAX_LIST_BYTES)
			rc = error_set(err, ERR_LIMIT, "its tree of benchmarks is too large");
		else if (line.length)
			rc = add_node(&path, &line, out, err);
	}
	return rc || !path.is_there ? rc : add_leaf(&path, out, err);
}

/* ---- counts ------------------------------------------------------------------------------- */

/* Digits at the text's beginning, after blanks; 0: none, or too many. */
static uint64_t number_at(const char *text, size_t length)
{
	uint64_t number = 0;
	size_t i = 0;

	while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == ':'))
		i++;
	for (; i < length && isdigit((unsigned char)text[i]); i++) {
		number = number * 10 + (uint64_t)(text[i] - '0');
		if (number > MAX_COUNT)
			return 0;
	}
	return number;
}

uint64_t harness_count_google(const char *text, size_t length)
{
	static const char list[] = "\"benchmarks\"", key[] = "\"iterations\"";
	const char *end = text + length, *at = memmem(text, length, list, sizeof(list) - 1);

	at = at ? memmem(at, (size_t)(end - at), key, sizeof(key) - 1) : NULL;
	if (!at)
		return 0;
	at += sizeof(key) - 1;
	return number_at(at, (size_t)(end - at));
}

uint64_t harness_count_go(const char *text, size_t length)
{
	struct line line;

	while (next_line(&text, &length, &line)) {
		const struct line whole = line;
		const char *tab = memchr(line.text, '\t', line.length);
		uint64_t count;

		if (!take_go_run(&line))
			continue;
		count = number_at(tab, whole.length - (size_t)(tab - whole.text));
		if (count)
			return count;
	}
	return 0;
}

/* The last number of a row, behind the last but one. Columns end in U+2502. */
static bool take_number(struct line *line, uint64_t *number)
{
	size_t end = line->length, start;

	while (end && !isalnum((unsigned char)line->text[end - 1]))
		end--;
	start = end;
	while (start && isdigit((unsigned char)line->text[start - 1]))
		start--;
	if (start == end || (start && isalnum((unsigned char)line->text[start - 1])))
		return false;
	*number = number_at(line->text + start, end - start);
	line->length = start;
	return *number;
}

static double unit_seconds(const char *unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ps", 1e-12}, {"ns", 1e-9}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3}, {"s", 1}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].seconds;
	return 0;
}

/* The row's last column, a time; 0: it is none. */
static double take_seconds(struct line *line)
{
	static const char bar[] = "\xe2\x94\x82";
	size_t bar_length = sizeof(bar) - 1, end = line->length, start;
	char column[32], unit[8];
	double number;

	while (end && !isalnum((unsigned char)line->text[end - 1]))
		end--;
	for (start = end; start; start--)
		if (start >= bar_length &&
			memcmp(line->text + start - bar_length, bar, bar_length) == 0)
			break;
	line->length = start;
	if (end - start >= sizeof(column))
		return 0;
	memcpy(column, line->text + start, end - start);
	column[end - start] = '\0';
	if (sscanf(column, "%lf %7s", &number, unit) != 2 || !(number > 0))
		return 0;
	return number * unit_seconds(unit);
}

/* It measures its samples one by one, and what it spends between short ones is many times what
 * they take: the iterations of its trial would be too few. The median is their time alone. */
uint64_t harness_count_divan(const char *text, size_t length)
{
	uint64_t samples, iterations;
	double median, by_median;
	struct line line;

	while (next_line(&text, &length, &line)) {
		if (!take_number(&line, &iterations) || !take_number(&line, &samples))
			continue;
		take_seconds(&line); /* the mean: one sample that was interrupted makes it */
		median = take_seconds(&line);
		by_median = median > 0 ? HARNESS_TRIAL_SECONDS / median : 0;
		if (by_median > (double)iterations && by_median < (double)MAX_COUNT)
			iterations = (uint64_t)by_median;
		return iterations < DIVAN_SAMPLES ? 1 : iterations / DIVAN_SAMPLES;
	}
	return 0;
}
