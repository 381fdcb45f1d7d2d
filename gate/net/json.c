/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/net/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/net/json_internal.h"

#define MAX_DEPTH 512 /* cJSON's own is 1,000 */
#define EXACT_INTEGER 9007199254740992.0

const struct json_limits json_default_limits = {
	.max_bytes = (size_t)64 * 1024 * 1024,
	.max_depth = 64,
	.max_values = 8000000,
};

/* There may be millions of them: 32 bytes each. */
struct json {
	enum json_type type;
	uint32_t length;           /* of children */
	const struct json *parent; /* NULL: the root */
	const char *key;
	union {
		bool boolean;
		double number;
		const char *string;
		const struct json *children;
	} value;
};

/* json_parse() hands out &document->root, its first member. */
struct document {
	struct json root;
	struct arena arena;
	const char *name;
};

static int convert(struct document *document, cJSON *from, struct json *to, struct error *err);

/* Each list is freed as soon as it is converted: of a deep tree only little stands there twice. */
static int convert_children(
	struct document *document, cJSON *from, struct json *to, struct error *err)
{
	struct json *children;
	size_t count = 0;
	int rc = ERR_OK;

	for (const cJSON *child = from->child; child; child = child->next)
		count++;
	children = arena_array(&document->arena, count, sizeof(*children));
	to->value.children = children;
	to->length = (uint32_t)count;
	for (cJSON *child = from->child; child && !rc; child = child->next, children++) {
		children->parent = to;
		if (to->type == JSON_OBJECT)
			children->key = arena_strdup(&document->arena, child->string);
		rc = convert(document, child, children, err);
	}
	cJSON_Delete(from->child);
	from->child = NULL;
	return rc;
}

/* The type of a cJSON node; these are all that its parser makes. */
static enum json_type type_of(const cJSON *node)
{
	if (cJSON_IsObject(node))
		return JSON_OBJECT;
	if (cJSON_IsArray(node))
		return JSON_ARRAY;
	if (cJSON_IsString(node))
		return JSON_STRING;
	if (cJSON_IsNumber(node))
		return JSON_NUMBER;
	return cJSON_IsBool(node) ? JSON_BOOL : JSON_NULL;
}

/* Recursive: the depth is bounded by MAX_DEPTH. */
static int convert(struct document *document, cJSON *from, struct json *to, struct error *err)
{
	to->type = type_of(from);
	if (to->type == JSON_ARRAY || to->type == JSON_OBJECT)
		return convert_children(document, from, to, err);
	if (to->type == JSON_STRING)
		to->value.string = arena_strdup(&document->arena, from->valuestring);
	else if (to->type == JSON_BOOL)
		to->value.boolean = cJSON_IsTrue(from);
	else if (to->type == JSON_NUMBER)
		to->value.number = from->valuedouble;
	if (to->type == JSON_NUMBER && !isfinite(to->value.number))
		return json_error(to, err, "the number is too large");
	return ERR_OK;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* cJSON reads numbers by the locale, and only where its decimal point is a single byte. */
static cJSON *parse_in_c_locale(const char *data, size_t length, const char **stopped)
{
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	locale_t before = uselocale(plain);
	cJSON *tree = cJSON_ParseWithLengthOpts(data, length, stopped, 0);

	uselocale(before);
	if (plain)
		freelocale(plain);
	return tree;
}

/* cJSON's tree of the whole text, or NULL with *err set. */
static cJSON *parse_tokens(const char *data, size_t length, const char *name, struct error *err)
{
	const char *stopped = data;
	cJSON *tree = parse_in_c_locale(data, length, &stopped);
	size_t at = stopped ? (size_t)(stopped - data) : 0;

	if (!tree) {
		error_set(err, ERR_CORRUPT, "%s: byte %zu: %s", name, at,
			at + 1 >= length ? "the text ends too early or is invalid"
					 : "invalid JSON");
		return NULL;
	}
	while (at < length && is_space(data[at]))
		at++;
	if (at == length)
		return tree;
	error_set(err, ERR_CORRUPT, "%s: byte %zu: something follows the end of the JSON text",
		name, at);
	cJSON_Delete(tree);
	return NULL;
}

static int build(cJSON *tree, const char *name, struct json **out, struct error *err)
{
	struct document *document = xcalloc(1, sizeof(*document));
	int rc;

	arena_init(&document->arena);
	document->name = arena_strdup(&document->arena, name);
	rc = convert(document, tree, &document->root, err);
	if (rc)
		json_free(&document->root);
	else
		*out = &document->root;
	return rc;
}

int json_parse(const void *data, size_t length, const char *name, const struct json_limits *limits,
	struct json **out, struct error *err)
{
	struct json_limits own = limits ? *limits : json_default_limits;
	cJSON *tree;
	int rc;

	if (own.max_depth > MAX_DEPTH)
		own.max_depth = MAX_DEPTH;
	if (length > own.max_bytes)
		return error_set(err, ERR_LIMIT, "%s: larger than %zu bytes", name, own.max_bytes);
	rc = json_check_tokens(data, length, name, &own, err);
	if (rc)
		return rc;
	tree = parse_tokens(data, length, name, err);
	if (!tree)
		return ERR_CORRUPT;
	rc = build(tree, name, out, err);
	cJSON_Delete(tree);
	return rc;
}

void json_free(struct json *root)
{
	struct document *document = (struct document *)root;

	if (!root)
		return;
	arena_release(&document->arena);
	free(document);
}

enum json_type json_type(const struct json *node)
{
	return node ? node->type : JSON_NULL;
}

const char *json_key(const struct json *node)
{
	return node ? node->key : NULL;
}

size_t json_length(const struct json *node)
{
	return node ? node->length : 0;
}

const struct json *json_first(const struct json *container)
{
	return json_length(container) ? container->value.children : NULL;
}

static size_t index_in_parent(const struct json *node)
{
	return (size_t)(node - node->parent->value.children);
}

const struct json *json_next(const struct json *node)
{
	if (!node || !node->parent || index_in_parent(node) + 1 >= node->parent->length)
		return NULL;
	return node + 1;
}

const struct json *json_at(const struct json *array, size_t index)
{
	if (json_type(array) != JSON_ARRAY || index >= array->length)
		return NULL;
	return &array->value.children[index];
}

const struct json *json_get(const struct json *object, const char *key)
{
	if (json_type(object) != JSON_OBJECT)
		return NULL;
	for (size_t i = 0; i < object->length; i++)
		if (strcmp(object->value.children[i].key, key) == 0)
			return &object->value.children[i];
	return NULL;
}

/* Keys come from the text: only those that look like names are repeated in a message. */
static bool is_plain_key(const char *key)
{
	size_t length = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-");

	return length > 0 && length <= 64 && !key[length];
}

static void add_step(struct strbuf *path, const struct json *node)
{
	if (!node->key)
		strbuf_addf(path, "[%zu]", index_in_parent(node));
	else if (!is_plain_key(node->key))
		strbuf_addf(path, "{%zu}", index_in_parent(node));
	else
		strbuf_addf(path, "%s%s", node->parent->parent ? "." : "", node->key);
}

/* "name" or "name: a.b[3]". */
static void add_path(struct strbuf *path, const struct json *node)
{
	const struct json *steps[MAX_DEPTH + 1];
	size_t count = 0;

	for (; node->parent; node = node->parent)
		steps[count++] = node;
	strbuf_addstr(path, ((const struct document *)node)->name);
	if (count)
		strbuf_addstr(path, ": ");
	while (count)
		add_step(path, steps[--count]);
}

int json_error(const struct json *node, struct error *err, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	if (node)
		add_path(&text, node);
	else
		strbuf_addstr(&text, "JSON");
	strbuf_addstr(&text, ": ");
	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	error_set(err, ERR_CORRUPT, "%s", text.data);
	strbuf_release(&text);
	return ERR_CORRUPT;
}

int json_expect(const struct json *node, enum json_type type, struct error *err)
{
	static const char *const words[] = {
		"null", "true or false", "a number", "a string", "an array", "an object"};

	if (json_type(node) == type)
		return ERR_OK;
	return json_error(node, err, "expected %s", words[type]);
}

int json_string(const struct json *node, const char **out, struct error *err)
{
	int rc = json_expect(node, JSON_STRING, err);

	if (!rc)
		*out = node->value.string;
	return rc;
}

int json_number(const struct json *node, double *out, struct error *err)
{
	int rc = json_expect(node, JSON_NUMBER, err);

	if (!rc)
		*out = node->value.number;
	return rc;
}

/* -?[0-9]+ and nothing else: strtoll() would take white space and a plus sign too. */
static bool parse_decimal(const char *string, int64_t *out)
{
	const char *digits = string + (*string == '-');
	size_t length = strspn(digits, "0123456789");
	long long number;

	if (!length || digits[length])
		return false;
	errno = 0;
	number = strtoll(string, NULL, 10);
	if (errno)
		return false;
	*out = number;
	return true;
}

int json_int64(const struct json *node, int64_t *out, struct error *err)
{
	if (json_type(node) == JSON_STRING && parse_decimal(node->value.string, out))
		return ERR_OK;
	if (json_type(node) != JSON_NUMBER || node->value.number != trunc(node->value.number))
		return json_error(node, err, "expected a whole number");
	if (fabs(node->value.number) > EXACT_INTEGER)
		return json_error(node, err, "the number is too large to be exact");
	*out = (int64_t)node->value.number;
	return ERR_OK;
}

int json_bool(const struct json *node, bool *out, struct error *err)
{
	int rc = json_expect(node, JSON_BOOL, err);

	if (!rc)
		*out = node->value.boolean;
	return rc;
}

/* The member, which has to be there. */
static int require(
	const struct json *object, const char *key, const struct json **out, struct error *err)
{
	int rc = json_expect(object, JSON_OBJECT, err);

	if (rc)
		return rc;
	*out = json_get(object, key);
	return *out ? ERR_OK : json_error(object, err, "\"%s\" is missing", key);
}

int json_get_string(const struct json *object, const char *key, const char **out, struct error *err)
{
	const struct json *member;
	int rc = require(object, key, &member, err);

	return rc ? rc : json_string(member, out, err);
}

int json_get_number(const struct json *object, const char *key, double *out, struct error *err)
{
	const struct json *member;
	int rc = require(object, key, &member, err);

	return rc ? rc : json_number(member, out, err);
}

int json_get_int64(const struct json *object, const char *key, int64_t *out, struct error *err)
{
	const struct json *member;
	int rc = require(object, key, &member, err);

	return rc ? rc : json_int64(member, out, err);
}

int json_get_bool(const struct json *object, const char *key, bool *out, struct error *err)
{
	const struct json *member;
	int rc = require(object, key, &member, err);

	return rc ? rc : json_bool(member, out, err);
}

static int get_container(const struct json *object, const char *key, enum json_type type,
	const struct json **out, struct error *err)
{
	const struct json *member;
	int rc = require(object, key, &member, err);

	if (!rc)
		rc = json_expect(member, type, err);
	if (!rc)
		*out = member;
	return rc;
}

int json_get_array(
	const struct json *object, const char *key, const struct json **out, struct error *err)
{
	return get_container(object, key, JSON_ARRAY, out, err);
}

int json_get_object(
	const struct json *object, const char *key, const struct json **out, struct error *err)
{
	return get_container(object, key, JSON_OBJECT, out, err);
}
