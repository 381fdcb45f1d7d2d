/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/code_lines.h"

#include <ctype.h>
#include <string.h>

/* A longer '...' is no character: it is a lifetime, or parts digits of a number. */
#define MOST_CHARACTER 12

void code_lines_begin(struct code_lines *lines, const struct source_file *file)
{
	*lines = (struct code_lines){.file = file};
	strbuf_init(&lines->code);
	strbuf_init(&lines->definition.name);
	strbuf_init(&lines->macro.name);
}

void code_lines_release(struct code_lines *lines)
{
	strbuf_release(&lines->code);
	strbuf_release(&lines->definition.name);
	strbuf_release(&lines->macro.name);
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

const char *code_next_word(const struct strbuf *code, size_t *at, size_t *length)
{
	size_t start = *at;

	while (start < code->length && !is_in_word(code->data[start]))
		start++;
	for (*at = start; *at < code->length && is_in_word(code->data[*at]);)
		++*at;
	*length = *at - start;
	return *length ? code->data + start : NULL;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
	return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static bool is_one_of(const char *word, size_t length, const char *const *wanted)
{
	while (*wanted && !is_word(word, length, *wanted))
		wanted++;
	return *wanted != NULL;
}

/* ---- what of a line is code ----------------------------------------------------------------- */

/* From its quote to the one that ends it. Text that ends in the middle of a string is all string;
 * 0: it is none. */
static size_t literal_length(const char *text, size_t length)
{
	size_t most = text[0] == '\'' && length > MOST_CHARACTER ? MOST_CHARACTER : length;

	for (size_t i = 1; i < most; i++) {
		if (text[i] == text[0])
			return i + 1;
		i += text[i] == '\\';
	}
	return text[0] == '\'' ? 0 : length;
}

static void add_blanks(struct strbuf *out, size_t count)
{
	strbuf_addf(out, "%*s", (int)count, "");
}

static void add_literal(struct strbuf *code, char quote, size_t length)
{
	strbuf_addch(code, quote);
	if (length > 1) {
		add_blanks(code, length - 2);
		strbuf_addch(code, quote);
	}
}

/* How much of a comment there is; with its end if it is there. */
static size_t comment_length(struct code_lines *lines, const char *text, size_t length)
{
	const char *end = memmem(text, length, "*/", 2);

	lines->in_comment = !end;
	return end ? (size_t)(end - text) + 2 : length;
}

static void read_code(struct code_lines *lines, const char *text, size_t length)
{
	struct strbuf *code = &lines->code;

	strbuf_reset(code);
	for (size_t i = 0, used; i < length; i += used) {
		const char *at = text + i;
		size_t left = length - i;

		used = 1;
		if (lines->in_comment) {
			used = comment_length(lines, at, left);
			add_blanks(code, used);
		} else if (left > 1 && at[0] == '/' && at[1] == '*') {
			used = 2;
			lines->in_comment = true;
			add_blanks(code, used);
		} else if (left > 1 && at[0] == '/' && at[1] == '/') {
			return;
		} else if ((*at == '"' || *at == '\'') && literal_length(at, left)) {
			used = literal_length(at, left);
			add_literal(code, *at, used);
		} else {
			strbuf_addch(code, *at);
		}
	}
}

bool code_lines_is_blank(const struct code_lines *lines)
{
	return strspn(lines->code.data, " \t\r\f\v") == lines->code.length;
}

/* ---- definitions ---------------------------------------------------------------------------- */

/* What they enclose are definitions too, with names of their own. */
static const char *const enclosing[] = {"namespace", "class", "impl", "trait", "mod", NULL};
/* Before what has no name. */
static const char *const nameless[] = {"struct", "union", "enum", "extern", NULL};

/* A line's beginning, up to the first of [ = { ( ; and a colon. */
struct head {
	const char *name; /* the last word in it; NULL: none */
	size_t length, words;
	char end; /* 0: the line has none of them */
	bool encloses, is_type, is_static;
};

static void add_word(struct head *head, const char *word, size_t length)
{
	head->encloses = head->encloses || is_one_of(word, length, enclosing);
	if (!head->words++) {
		head->is_type = is_one_of(word, length, nameless);
		head->is_static = is_word(word, length, "static");
	}
	head->name = word;
	head->length = length;
}

static struct head read_head(const struct strbuf *code)
{
	struct head head = {0};
	size_t at = 0, length;

	while (at < code->length && !head.end) {
		char c = code->data[at];

		if (is_in_word(c)) {
			const char *word = code_next_word(code, &at, &length);

			add_word(&head, word, length);
		} else if (c == ':' && code->data[at + 1] == ':') {
			at += 2;
		} else if (strchr("[={(;:", code->data[at++])) {
			head.end = c;
		}
	}
	return head;
}

/* "out:" and "public:" are labels; where no brackets are open a tag may stand alone. */
static bool begins_definition(const struct head *head, const struct code_definition *open)
{
	if (head->end == ':')
		return head->words > 1;
	return head->end || !open->goes_on || open->depth <= 0;
}

static bool has_name(const struct head *head, const struct strbuf *code)
{
	if (!head->words || head->encloses || isdigit((unsigned char)head->name[0]) ||
		is_one_of(head->name, head->length, nameless))
		return false;
	if (!head->end) /* "struct account", its brace in the next line */
		return head->is_type && head->words == 2 &&
		       is_in_word(code->data[code->length - 1]);
	return head->end != '(';
}

static void begin(struct code_definition *definition, const struct head *head, bool named)
{
	strbuf_reset(&definition->name);
	if (named)
		strbuf_add(&definition->name, head->name, head->length);
	definition->depth = 0;
	definition->is_open = true;
	definition->is_static = head->is_static;
}

static char last_of(const struct strbuf *code)
{
	size_t length = code->length;

	while (length && isspace((unsigned char)code->data[length - 1]))
		length--;
	return length ? code->data[length - 1] : '\0';
}

static void count_brackets(struct code_definition *definition, const struct strbuf *code)
{
	for (size_t i = 0; i < code->length; i++) {
		char c = code->data[i];

		definition->depth +=
			(c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
	}
}

static bool is_closed(const struct code_definition *definition, const struct strbuf *code)
{
	char last = last_of(code);

	return code->data[0] == '}' || (definition->depth <= 0 && (last == ';' || last == '}'));
}

/* As git finds what a hunk is in: a definition begins in the first column. */
static void follow_definition(struct code_lines *lines)
{
	struct code_definition *definition = &lines->definition;
	const struct strbuf *code = &lines->code;
	char first = code->data[0];
	struct head head = {0};

	definition->is_open = definition->goes_on;
	if (is_in_word(first) && !isdigit((unsigned char)first)) {
		head = read_head(code);
		if (begins_definition(&head, definition))
			begin(definition, &head, has_name(&head, code));
	}
	count_brackets(definition, code);
	definition->goes_on = definition->is_open && !is_closed(definition, code);
}

/* "# define NAME" */
static bool read_define(const struct strbuf *code, struct head *head)
{
	size_t at = 0, length;
	const char *word;

	if (code->data[strspn(code->data, " \t")] != '#')
		return false;
	word = code_next_word(code, &at, &length);
	if (!word || !is_word(word, length, "define"))
		return false;
	head->name = code_next_word(code, &at, &head->length);
	return head->name != NULL;
}

static bool is_directive(const struct strbuf *code)
{
	return code->data[strspn(code->data, " \t")] == '#';
}

/* In the middle of other definitions too, of which it is no part. */
static void follow(struct code_lines *lines, bool continued)
{
	struct head head = {0};

	lines->macro.is_open = lines->macro.goes_on;
	if (read_define(&lines->code, &head))
		begin(&lines->macro, &head, true);
	lines->macro.goes_on = lines->macro.is_open && continued;
	if (!lines->macro.is_open && !is_directive(&lines->code))
		follow_definition(lines);
}

bool code_lines_next(struct code_lines *lines)
{
	const char *text;
	size_t length;

	if (lines->line >= source_file_lines(lines->file))
		return false;
	text = source_file_line(lines->file, ++lines->line, &length);
	if (length && text[length - 1] == '\r')
		length--;
	read_code(lines, text, length);
	follow(lines, length && text[length - 1] == '\\');
	return true;
}

const struct code_definition *code_lines_definition(const struct code_lines *lines)
{
	const struct code_definition *of =
		lines->macro.is_open ? &lines->macro : &lines->definition;

	return of->is_open && of->name.length ? of : NULL;
}
