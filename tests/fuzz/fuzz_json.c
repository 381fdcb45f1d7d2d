/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes: json_parse() refuses them with a message or gives a tree that is written, read and
 * written again to the same bytes, which never hold what would end a script or a line of it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static void write_node(struct json_writer *w, const struct json *node);

static void write_children(struct json_writer *w, const struct json *node)
{
	for (const struct json *child = json_first(node); child; child = json_next(child)) {
		if (json_key(child))
			json_write_key(w, json_key(child));
		write_node(w, child);
	}
}

static void write_scalar(struct json_writer *w, const struct json *node)
{
	const char *string = NULL;
	double number = 0;
	bool flag = false;
	struct error err;

	if (json_string(node, &string, &err) == ERR_OK)
		json_write_string(w, string);
	else if (json_number(node, &number, &err) == ERR_OK)
		json_write_double(w, number);
	else if (json_bool(node, &flag, &err) == ERR_OK)
		json_write_bool(w, flag);
	else
		json_write_null(w);
}

static void write_node(struct json_writer *w, const struct json *node)
{
	int64_t whole;
	struct error err;

	(void)json_int64(node, &whole, &err);
	if (json_type(node) == JSON_OBJECT) {
		json_object_begin(w);
		write_children(w, node);
		json_object_end(w);
	} else if (json_type(node) == JSON_ARRAY) {
		json_array_begin(w);
		write_children(w, node);
		json_array_end(w);
	} else {
		write_scalar(w, node);
	}
}

static struct json *write_and_read(const struct json *root, struct strbuf *out)
{
	struct json_limits limits = {SIZE_MAX, 512, 0};
	struct json_writer writer;
	struct json *back = NULL;
	struct error err;

	json_writer_init(&writer, out, 2);
	write_node(&writer, root);
	REQUIRE(!memchr(out->data, '<', out->length) && !memchr(out->data, 0, out->length));
	REQUIRE(json_parse(out->data, out->length, "again", &limits, &back, &err) == ERR_OK);
	return back;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct json_limits limits = {(size_t)1 << 20, 512, 0};
	struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;
	struct json *root = NULL, *second, *third;
	struct error err = {0};

	if (json_parse(data, length, "fuzz", &limits, &root, &err)) {
		REQUIRE(!root && err.message[0]);
		return 0;
	}
	second = write_and_read(root, &one);
	third = write_and_read(second, &two);
	REQUIRE(one.length == two.length && memcmp(one.data, two.data, one.length) == 0);
	json_free(root);
	json_free(second);
	json_free(third);
	strbuf_release(&one);
	strbuf_release(&two);
	return 0;
}
