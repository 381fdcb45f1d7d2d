/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config_yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/bench/config/config.h"

#define MAX_DEPTH 16
#define MAX_CHILDREN 2000 /* keys are compared with each other */
#define QUOTE_BYTES 80
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct loader {
	const struct config_reader *reader;
	const char *text;
	size_t length;
	yaml_parser_t parser;
};

static int fail_at(const struct config_reader *reader, unsigned line, unsigned column,
	const char *format, va_list args) __attribute__((format(printf, 4, 0)));

static int fail_at(const struct config_reader *reader, unsigned line, unsigned column,
	const char *format, va_list args)
{
	struct strbuf message = STRBUF_INIT;

	strbuf_vaddf(&message, format, args);
	error_set(reader->err, ERR_CONFIG, "%s:%u:%u: %s", reader->origin, line, column,
		message.data);
	strbuf_release(&message);
	return ERR_CONFIG;
}

int config_fail(
	const struct config_reader *reader, const struct yaml_node *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_at(reader, at->line, at->column, format, args);
	va_end(args);
	return ERR_CONFIG;
}

static int fail_mark(const struct config_reader *reader, yaml_mark_t mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail_mark(const struct config_reader *reader, yaml_mark_t mark, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_at(reader, (unsigned)mark.line + 1, (unsigned)mark.column + 1, format, args);
	va_end(args);
	return ERR_CONFIG;
}

const char *config_quote(const struct config_reader *reader, const char *text)
{
	struct strbuf clean = STRBUF_INIT;
	size_t length = strlen(text);
	const char *quoted, *more = "";

	if (length > QUOTE_BYTES) {
		length = QUOTE_BYTES;
		/* Not in the middle of a character. */
		while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
		more = "...";
	}
	text_defuse(&clean, text, length);
	for (size_t i = 0; i < clean.length; i++) {
		if (clean.data[i] == '\n' || clean.data[i] == '\t')
			clean.data[i] = ' ';
	}
	quoted = arena_printf(reader->arena, "'%s%s'", clean.data, more);
	strbuf_release(&clean);
	return quoted;
}

bool yaml_is_null(const struct yaml_node *node)
{
	if (node->kind != YAML_SCALAR || !node->plain)
		return false;
	return !*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

/* ---- what libyaml cannot read ------------------------------------------------------------- */

static yaml_mark_t mark_of_offset(const struct loader *loader, size_t offset)
{
	yaml_mark_t mark = {0, 0, 0};

	for (size_t i = 0; i < offset && i < loader->length; i++) {
		unsigned char byte = (unsigned char)loader->text[i];

		if (byte == '\n') {
			mark.line++;
			mark.column = 0;
		} else if ((byte & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return mark;
}

/* The column of a tab in the line's indentation; 0: there is none. */
static size_t tab_column(const struct loader *loader, size_t line)
{
	const char *at = loader->text, *end = at + loader->length, *start;

	for (; line && at && at < end; line--) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	for (start = at; at < end && (*at == ' ' || *at == '\t'); at++) {
		if (*at == '\t')
			return (size_t)(at - start) + 1;
	}
	return 0;
}

static int fail_parser(const struct loader *loader)
{
	const yaml_parser_t *parser = &loader->parser;
	yaml_mark_t mark = parser->problem_mark;
	size_t tab;

	if (parser->error == YAML_MEMORY_ERROR)
		return error_set(loader->reader->err, ERR_IO, "out of memory");
	if (parser->error == YAML_READER_ERROR) {
		mark = mark_of_offset(loader, parser->problem_offset);
		return fail_mark(loader->reader, mark, "this is not UTF-8 text: %s",
			parser->problem ? parser->problem : "unreadable");
	}
	tab = tab_column(loader, mark.line);
	if (tab) {
		mark.column = tab - 1;
		return fail_mark(loader->reader, mark, "a tab cannot indent in YAML: use spaces");
	}
	if (parser->context)
		return fail_mark(loader->reader, mark, "%s %s (from line %zu)", parser->problem,
			parser->context, parser->context_mark.line + 1);
	return fail_mark(
		loader->reader, mark, "%s", parser->problem ? parser->problem : "not YAML");
}

static int next_event(struct loader *loader, yaml_event_t *event)
{
	return yaml_parser_parse(&loader->parser, event) ? ERR_OK : fail_parser(loader);
}

/* ---- the tree ----------------------------------------------------------------------------- */

static const yaml_char_t *tag_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.tag;
	default:
		return event->data.mapping_start.tag;
	}
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor;
	default:
		return event->data.mapping_start.anchor;
	}
}

/* For the events that start a node. */
static int check_event(const struct loader *loader, const yaml_event_t *event)
{
	const struct config_reader *reader = loader->reader;
	const char *text;

	if (event->type == YAML_ALIAS_EVENT || anchor_of(event))
		return fail_mark(reader, event->start_mark,
			"anchors (&) and aliases (*) are not supported here: "
			"write it out, or put the text in quotes");
	if (tag_of(event))
		return fail_mark(reader, event->start_mark,
			"tags (!) are not supported here: leave it out, or put the text in quotes");
	if (event->type != YAML_SCALAR_EVENT)
		return ERR_OK;
	text = (const char *)event->data.scalar.value;
	if (strlen(text) != event->data.scalar.length)
		return fail_mark(reader, event->start_mark, "a NUL byte cannot be part of a text");
	return ERR_OK;
}

static struct yaml_node *make_node(const struct loader *loader, const yaml_event_t *event)
{
	struct yaml_node *node = arena_alloc(loader->reader->arena, sizeof(*node));

	node->line = (unsigned)event->start_mark.line + 1;
	node->column = (unsigned)event->start_mark.column + 1;
	node->kind = event->type == YAML_SCALAR_EVENT          ? YAML_SCALAR
		     : event->type == YAML_MAPPING_START_EVENT ? YAML_MAP
							       : YAML_LIST;
	if (node->kind == YAML_SCALAR) {
		node->text =
			arena_strdup(loader->reader->arena, (const char *)event->data.scalar.value);
		node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	}
	return node;
}

static int check_key(
	const struct loader *loader, const struct yaml_node *map, const struct yaml_node *key)
{
	if (key->kind != YAML_SCALAR)
		return config_fail(loader->reader, key, "a key must be a simple text");
	for (const struct yaml_node *other = map->first; other != key; other = other->next->next) {
		if (strcmp(other->text, key->text) == 0)
			return config_fail(loader->reader, key,
				"the key %s is here twice (first in line %u)",
				config_quote(loader->reader, key->text), other->line);
	}
	return ERR_OK;
}

/* Appends to the parent. A key is checked at once: all before it are complete. */
static int attach(const struct loader *loader, struct yaml_node *parent, struct yaml_node **tail,
	struct yaml_node *node)
{
	if (parent->count == MAX_CHILDREN)
		return config_fail(
			loader->reader, node, "more than %d entries in one place", MAX_CHILDREN);
	if (*tail)
		(*tail)->next = node;
	else
		parent->first = node;
	*tail = node;
	if (parent->kind == YAML_MAP && parent->count++ % 2 == 0)
		return check_key(loader, parent, node);
	parent->count += parent->kind == YAML_LIST;
	return ERR_OK;
}

struct level {
	struct yaml_node *node, *tail;
};

static bool ends_collection(const yaml_event_t *event)
{
	return event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
}

/* One event of the document's content; *depth 0 afterwards: it is complete. */
static int take_event(struct loader *loader, const yaml_event_t *event, struct level *levels,
	size_t *depth, struct yaml_node **root)
{
	struct yaml_node *node;
	int rc;

	if (ends_collection(event)) {
		--*depth;
		return ERR_OK;
	}
	rc = check_event(loader, event);
	if (rc)
		return rc;
	node = make_node(loader, event);
	if (*depth)
		rc = attach(loader, levels[*depth - 1].node, &levels[*depth - 1].tail, node);
	else
		*root = node;
	if (rc || node->kind == YAML_SCALAR)
		return rc;
	if (*depth == MAX_DEPTH)
		return config_fail(loader->reader, node, "nested too deep");
	levels[(*depth)++] = (struct level){node, NULL};
	return ERR_OK;
}

static int read_content(struct loader *loader, struct yaml_node **root)
{
	struct level levels[MAX_DEPTH];
	size_t depth = 0;
	int rc;

	do {
		yaml_event_t event;

		rc = next_event(loader, &event);
		if (rc)
			return rc;
		rc = take_event(loader, &event, levels, &depth, root);
		yaml_event_delete(&event);
	} while (!rc && depth);
	return rc;
}

static int expect(struct loader *loader, yaml_event_type_t type, const char *message)
{
	yaml_event_t event;
	int rc = next_event(loader, &event);

	if (rc)
		return rc;
	if (event.type != type)
		rc = fail_mark(loader->reader, event.start_mark, "%s", message);
	else if (type == YAML_DOCUMENT_START_EVENT &&
		 event.data.document_start.tag_directives.start !=
			 event.data.document_start.tag_directives.end)
		rc = fail_mark(loader->reader, event.start_mark, "%%TAG is not supported here");
	yaml_event_delete(&event);
	return rc;
}

static int read_document(struct loader *loader, struct yaml_node **root)
{
	int rc = expect(loader, YAML_STREAM_START_EVENT, "this is not YAML");

	if (!rc)
		rc = expect(loader, YAML_DOCUMENT_START_EVENT,
			"the file is empty: it needs version and benchmarks");
	if (!rc)
		rc = read_content(loader, root);
	if (!rc)
		rc = expect(loader, YAML_DOCUMENT_END_EVENT, "this is not YAML");
	if (!rc)
		rc = expect(loader, YAML_STREAM_END_EVENT,
			"a second document (---) is not supported here");
	return rc;
}

int yaml_read(const struct config_reader *reader, const char *text, size_t length,
	struct yaml_node **root)
{
	struct loader loader = {.reader = reader, .text = text, .length = length};
	int rc;

	if (length > CONFIG_MAX_BYTES)
		return fail_mark(reader, (yaml_mark_t){0, 0, 0}, "the file is larger than %d bytes",
			CONFIG_MAX_BYTES);
	/* Some editors write one. With the encoding set, libyaml takes it for text. */
	if (length >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0) {
		loader.text += 3;
		loader.length -= 3;
	}
	if (!yaml_parser_initialize(&loader.parser))
		return error_set(reader->err, ERR_IO, "out of memory");
	/* Else it could be UTF-16, with positions that mean nothing. */
	yaml_parser_set_encoding(&loader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		&loader.parser, (const unsigned char *)loader.text, loader.length);
	rc = read_document(&loader, root);
	yaml_parser_delete(&loader.parser);
	return rc;
}
