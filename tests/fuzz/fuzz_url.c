/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as a URL: refused with a message, or taken apart into parts that hold nothing they must
 * not, and that come out the same when they are put together and taken apart again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static void check_parts(const struct url *url)
{
	require(url->scheme[0] && url->host[0] && strcmp(url->port, "0") != 0);
	require(!strpbrk(url->host, "@/?#\\% \"'<>"));
	require(url->port[strspn(url->port, "0123456789")] == '\0');
	require(url->path[0] == '/' || url->path[0] == '\0');
	require(!strpbrk(url->path, "?# ") && is_plain(url->path));
	for (size_t i = 0; i < url->parameter_count; i++) {
		require(is_plain(url->parameters[i].name));
		require(is_plain(url->parameters[i].value));
	}
}

static void put_together(const struct url *url, struct arena *arena, struct strbuf *out)
{
	strbuf_addf(out, "%s%s", url_origin(url, url->scheme, arena), url->path);
	for (size_t i = 0; i < url->parameter_count; i++) {
		strbuf_addch(out, i ? '&' : '?');
		url_add_encoded(out, url->parameters[i].name);
		strbuf_addch(out, '=');
		url_add_encoded(out, url->parameters[i].value);
	}
}

static void check_same(const struct url *one, const struct url *two)
{
	require(strcmp(one->scheme, two->scheme) == 0 && strcmp(one->host, two->host) == 0);
	require(strcmp(one->port, two->port) == 0 && strcmp(one->path, two->path) == 0);
	require(one->parameter_count == two->parameter_count);
	for (size_t i = 0; i < one->parameter_count; i++) {
		require(strcmp(one->parameters[i].name, two->parameters[i].name) == 0);
		require(strcmp(one->parameters[i].value, two->parameters[i].value) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct arena arena = ARENA_INIT;
	struct strbuf again = STRBUF_INIT;
	struct error err = {0};
	struct url url, second;
	const char *text = arena_strndup(&arena, (const char *)data, length);

	if (url_parse(text, &arena, &url, &err)) {
		require(err.code == ERR_USAGE && err.message[0]);
	} else {
		require(url_is(text));
		check_parts(&url);
		put_together(&url, &arena, &again);
		/* Encoding makes text up to three times as long, past what is taken. */
		if (again.length <= 8192) {
			require(url_parse(again.data, &arena, &second, &err) == ERR_OK);
			check_same(&url, &second);
		}
	}
	strbuf_release(&again);
	arena_release(&arena);
	return 0;
}
