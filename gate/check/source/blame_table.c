/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/blame_table.h"

#include <ctype.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/check/source/code_lines.h"

/* Files of the diff that are looked at, and bytes of them. */
#define MOST_FILES 256
#define MOST_BYTES (2 * (int64_t)SOURCES_MAX_FILE_BYTES)
/* Lines of a function that are read. */
#define MOST_LINES 10000

struct search {
	const struct analysis *analysis;
	const char *own_file;
	struct map words; /* of the function's text */
	int64_t files_left, bytes_left;
	const char *file; /* the answer */
	int64_t line;
};

static const struct source_file *head_file(const struct search *search, const char *path)
{
	return sources_file(search->analysis->sources, VERSION_HEAD, path);
}

/* ---- the function's text -------------------------------------------------------------------- */

/* From the definition to the last line that was sampled. */
struct reach {
	int64_t first, last; /* 0: nothing is known */
};

static struct reach reach_of(const struct comparison *comparison, uint32_t function, size_t row)
{
	const size_t *start = &comparison->line_start[COMPARE_HEAD][row];
	int64_t definition = comparison->matches.functions[function].line[COMPARE_HEAD];
	struct reach reach = {definition, definition};

	for (size_t i = start[0]; i < start[1]; i++) {
		int64_t line = comparison->lines[COMPARE_HEAD][i].line;

		if (line <= 0)
			continue;
		reach.first = reach.first > 0 && reach.first < line ? reach.first : line;
		reach.last = reach.last > line ? reach.last : line;
	}
	return reach;
}

/* Not what belongs to something else: "a->name", "a.name". A package of Go's has ".Name". */
static bool is_member(const struct strbuf *code, size_t start)
{
	size_t at = start;

	while (at && isspace((unsigned char)code->data[at - 1]))
		at--;
	if (at > 1 && code->data[at - 1] == '>')
		return code->data[at - 2] == '-';
	return at && code->data[at - 1] == '.' && !isupper((unsigned char)code->data[start]);
}

static void add_words(struct map *words, const struct strbuf *code)
{
	size_t at = 0, length;
	const char *word;

	while ((word = code_next_word(code, &at, &length)))
		if (!is_member(code, (size_t)(word - code->data)))
			map_put(words, word, length, 1);
}

static int64_t count_braces(const struct strbuf *code, bool *opened)
{
	int64_t depth = 0;

	for (size_t i = 0; i < code->length; i++) {
		*opened = *opened || code->data[i] == '{';
		depth += (code->data[i] == '{') - (code->data[i] == '}');
	}
	return depth;
}

static size_t indent_of(const struct strbuf *code)
{
	return strspn(code->data, " \t");
}

/* Behind the last known line up to its brace: conditional text may have others than one in all. */
static void add_text(struct search *search, const char *path, const struct reach *reach)
{
	const struct source_file *file = head_file(search, path);
	struct code_lines lines;
	size_t indent = 0;
	int64_t depth = 0;
	bool opened = false, ended = false;

	if (!file || reach->first <= 0)
		return;
	code_lines_begin(&lines, file);
	while (!ended && code_lines_next(&lines)) {
		const struct strbuf *code = &lines.code;

		if (lines.line < reach->first)
			continue;
		if (lines.line == reach->first)
			indent = indent_of(code);
		add_words(&search->words, code);
		depth += count_braces(code, &opened);
		ended = lines.line >= reach->last &&
			((opened && depth <= 0) ||
				(indent_of(code) <= indent && code->data[indent_of(code)] == '}'));
		ended = ended || lines.line - reach->first >= MOST_LINES;
	}
	code_lines_release(&lines);
}

/* What is inlined into it is its text too. */
static void add_texts(struct search *search, uint32_t function)
{
	const struct comparison *comparison = &search->analysis->comparison;
	const struct matched_function *functions = comparison->matches.functions;
	struct reach reach = reach_of(comparison, function, function);

	add_text(search, search->own_file, &reach);
	for (size_t i = 0; i < comparison->part_count; i++) {
		uint32_t part = comparison->inlinings.items[comparison->parts[i].inlining].part;

		if (comparison->parts[i].function != function)
			continue;
		reach = reach_of(comparison, part, comparison_part_lines(comparison, i));
		add_text(search, functions[part].file[COMPARE_HEAD], &reach);
	}
}

/* ---- the diff ------------------------------------------------------------------------------- */

static const char *const units[] = {".c", ".cc", ".cpp", ".cxx", NULL};
static const char *const included[] = {
	".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tcc", ".def", ".tbl", NULL};

static const char *extension_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strchr(dot, '/') ? dot : "";
}

static bool has_extension(const char *path, const char *const *extensions)
{
	const char *extension = extension_of(path);

	while (*extensions && strcmp(extension, *extensions) != 0)
		extensions++;
	return *extensions != NULL;
}

/* Prose and settings name things too, and define none. */
static bool is_source(const struct search *search, const char *path)
{
	return has_extension(path, units) || has_extension(path, included) ||
	       (*extension_of(path) &&
		       strcmp(extension_of(path), extension_of(search->own_file)) == 0);
}

/* Another unit's static is not what the name means in the function. */
static bool is_used(
	const struct search *search, const char *path, const struct code_definition *definition)
{
	if (!definition ||
		map_get(&search->words, definition->name.data, definition->name.length) == MAP_NONE)
		return false;
	return !definition->is_static || !has_extension(path, units) ||
	       strcmp(path, search->own_file) == 0;
}

static int64_t last_line(const struct repo_hunk *hunk)
{
	return (int64_t)hunk->new_start + (hunk->new_lines ? hunk->new_lines - 1 : 0);
}

static bool is_changed(const struct code_lines *lines, const struct repo_hunk *hunk)
{
	const struct code_definition *definition = code_lines_definition(lines);

	if (lines->line < hunk->new_start || !definition)
		return false;
	return hunk->new_lines ? !code_lines_is_blank(lines) : definition->goes_on;
}

/* Its hunks are in order; one that is not is passed over. */
static bool look_at_lines(
	struct search *search, const struct repo_file_change *change, struct code_lines *lines)
{
	const struct repo_hunk *hunk = change->hunks, *end = hunk + change->hunk_count;

	while (hunk < end && code_lines_next(lines)) {
		while (hunk < end && last_line(hunk) < lines->line)
			hunk++;
		if (hunk < end && is_changed(lines, hunk) &&
			is_used(search, change->new_path, code_lines_definition(lines))) {
			search->file = change->new_path;
			search->line = lines->line;
			return true;
		}
	}
	return false;
}

static int64_t bytes_of(const struct source_file *file)
{
	size_t first, last;
	const char *start = source_file_line(file, 1, &first);

	return source_file_line(file, source_file_lines(file), &last) - start + (int64_t)last;
}

static bool has_room(const struct search *search)
{
	return search->files_left >= 0 && search->bytes_left >= 0;
}

static bool look_at(struct search *search, const struct repo_file_change *change)
{
	bool has_text =
		!change->binary && change->hunk_count && is_source(search, change->new_path);
	const struct source_file *file = has_text ? head_file(search, change->new_path) : NULL;
	struct code_lines lines;
	bool found;

	if (!file)
		return false;
	search->files_left--;
	search->bytes_left -= bytes_of(file);
	code_lines_begin(&lines, file);
	found = has_room(search) && look_at_lines(search, change, &lines);
	code_lines_release(&lines);
	return found;
}

static bool look_at_all(struct search *search)
{
	const struct repo_diff *diff = search->analysis->diff;
	bool found = false;

	for (size_t i = 0; !found && has_room(search) && i < diff->file_count; i++)
		found = look_at(search, &diff->files[i]);
	return found;
}

/* ---- one step further ----------------------------------------------------------------------- */

static void add_definitions(struct search *search, const char *path, struct map *words)
{
	const struct source_file *file = is_source(search, path) ? head_file(search, path) : NULL;
	struct code_lines lines;

	if (!file)
		return;
	search->files_left--;
	search->bytes_left -= bytes_of(file);
	code_lines_begin(&lines, file);
	while (has_room(search) && code_lines_next(&lines))
		if (is_used(search, path, code_lines_definition(&lines)))
			add_words(words, &lines.code);
	code_lines_release(&lines);
}

/* What the function uses uses something itself:
 * "struct mesh" holds an array of "struct particle". */
static void add_what_is_used(struct search *search)
{
	const struct repo_diff *diff = search->analysis->diff;
	struct map words;

	map_init(&words);
	for (size_t i = 0; has_room(search) && i < diff->file_count; i++)
		if (!diff->files[i].binary)
			add_definitions(search, diff->files[i].new_path, &words);
	map_release(&search->words);
	search->words = words;
}

bool blame_table(
	const struct analysis *analysis, uint32_t function, const char **file, int64_t *line)
{
	struct search search = {.analysis = analysis,
		.own_file = analysis->comparison.matches.functions[function].file[COMPARE_HEAD],
		.files_left = MOST_FILES,
		.bytes_left = MOST_BYTES};
	bool found;

	if (!analysis->sources || !analysis->diff || !search.own_file[0])
		return false;
	map_init(&search.words);
	add_texts(&search, function);
	found = look_at_all(&search);
	if (!found) {
		add_what_is_used(&search);
		found = look_at_all(&search);
	}
	map_release(&search.words);
	if (found) {
		*file = search.file;
		*line = search.line;
	}
	return found;
}
