/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/net/url.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

#define MAX_URL_BYTES 8192
#define PARSE_FLAGS                                                                                \
	(CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_PATH_AS_IS | CURLU_ALLOW_SPACE)
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

/* Bytes of the scheme in front of "://", or 0. */
static size_t scheme_length(const char *text)
{
	size_t length = 0;

	if (!isascii(text[0]) || !isalpha((unsigned char)text[0]))
		return 0;
	while (isascii(text[length]) && (isalnum((unsigned char)text[length]) ||
						(text[length] && strchr("+-.", text[length]))))
		length++;
	return strncmp(text + length, "://", 3) == 0 ? length : 0;
}

bool url_is(const char *text)
{
	return scheme_length(text) > 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int refuse(struct error *err, const char *why)
{
	return error_set(err, ERR_USAGE, "invalid URL: %s", why);
}

/* What must not be anywhere in a URL, neither as it is nor escaped. */
static int check_characters(const char *text, struct error *err)
{
	for (size_t i = 0; text[i]; i++) {
		int code = (unsigned char)text[i], high, low;

		if (i >= MAX_URL_BYTES)
			return refuse(err, "it is longer than 8192 bytes");
		if (code == '%') {
			high = hex_digit(text[i + 1]);
			low = high < 0 ? -1 : hex_digit(text[i + 2]);
			if (low < 0)
				return refuse(err, "two hexadecimal digits must follow each '%' "
						   "(the sign itself is %25)");
			code = high * 16 + low;
		}
		if (code < 0x20 || code == 0x7f)
			return refuse(err, "it holds a control character");
	}
	return ERR_OK;
}

/* libcurl would take "x:///a" as the host "a", and tell less of what is wrong. */
static int check_authority(const char *authority, size_t length, struct error *err)
{
	if (memchr(authority, '@', length))
		return refuse(err, "credentials do not belong into a URL: set FLAMEGATE_USER and "
				   "FLAMEGATE_PASSWORD");
	/* What libcurl decodes there it would take apart anew: "%341" is first "41",
	 * then 0.0.0.41. */
	if (authority[0] != '[' && memchr(authority, '%', length))
		return refuse(err, "the host has percent escapes: write it as it is");
	if (!length || authority[0] == ':')
		return refuse(err, "the host is missing (scheme://host:port/path)");
	return ERR_OK;
}

static int check_text(const char *text, struct error *err)
{
	size_t scheme = scheme_length(text);
	const char *authority = text + scheme + strlen("://");
	int rc;

	rc = check_characters(text, err);
	if (rc)
		return rc;
	if (!scheme)
		return refuse(err, "it does not begin with scheme://");
	rc = check_authority(authority, strcspn(authority, "/?#"), err);
	if (rc)
		return rc;
	if (memchr(text, ' ', strcspn(text, "?")))
		return refuse(err, "a blank in front of the query is written %20");
	if (strchr(text, '#'))
		return refuse(err, "'#' is written %23");
	return ERR_OK;
}

/* A part's text, owned by the arena; "" if it is not there. */
static const char *part(CURLU *handle, CURLUPart what, struct arena *arena)
{
	char *text = NULL;
	const char *copy = "";

	if (curl_url_get(handle, what, &text, 0) == CURLUE_OK)
		copy = arena_strdup(arena, text);
	curl_free(text);
	return copy;
}

/* Names go into messages and are compared: no script that looks like another, nothing decoded. */
static int check_host(const struct url *url, CURLU *handle, struct arena *arena, struct error *err)
{
	if (url->host[0] != '[' && url->host[strspn(url->host, NAME_CHARACTERS)])
		return refuse(err, "the host has characters other than letters, digits, '-', '.' "
				   "and '_' (write an international name in its xn-- form)");
	if (part(handle, CURLUPART_ZONEID, arena)[0])
		return refuse(err, "IPv6 addresses with a zone are not supported");
	if (strcmp(url->port, "0") == 0)
		return refuse(err, "the port must be a number from 1 to 65535");
	return ERR_OK;
}

static const char *decode(const char *text, size_t length, struct arena *arena)
{
	char *copy = arena_strndup(arena, text, length), *decoded;
	const char *result = copy;

	for (char *at = copy; *at; at++)
		if (*at == '+')
			*at = ' ';
	decoded = curl_easy_unescape(NULL, copy, (int)length, NULL);
	if (decoded)
		result = arena_strdup(arena, decoded);
	curl_free(decoded);
	return result;
}

static void add_parameter(
	struct url_parameter *parameter, const char *text, size_t length, struct arena *arena)
{
	const char *equals = memchr(text, '=', length);
	size_t name = equals ? (size_t)(equals - text) : length;

	parameter->name = decode(text, name, arena);
	parameter->value = equals ? decode(equals + 1, length - name - 1, arena) : "";
}

static void split_query(const char *query, struct arena *arena, struct url *url)
{
	struct url_parameter *parameters;
	size_t most = 1, count = 0;

	for (const char *at = query; *at; at++)
		most += *at == '&';
	parameters = arena_array(arena, most, sizeof(*parameters));
	while (*query) {
		size_t length = strcspn(query, "&");

		if (length)
			add_parameter(&parameters[count++], query, length, arena);
		query += length + (query[length] == '&');
	}
	url->parameters = parameters;
	url->parameter_count = count;
}

static int take_apart(
	CURLU *handle, const char *text, struct arena *arena, struct url *url, struct error *err)
{
	size_t path = scheme_length(text) + strlen("://");
	CURLUcode code = curl_url_set(handle, CURLUPART_URL, text, PARSE_FLAGS);
	struct url parts = {0};
	int rc;

	if (code == CURLUE_BAD_PORT_NUMBER)
		return refuse(err, "the port must be a number from 1 to 65535");
	if (code)
		return refuse(err, curl_url_strerror(code));
	parts.scheme = part(handle, CURLUPART_SCHEME, arena);
	parts.host = part(handle, CURLUPART_HOST, arena);
	parts.port = part(handle, CURLUPART_PORT, arena);
	path += strcspn(text + path, "/?");
	parts.path = text[path] == '/' ? part(handle, CURLUPART_PATH, arena) : "";
	rc = check_host(&parts, handle, arena, err);
	if (rc)
		return rc;
	split_query(part(handle, CURLUPART_QUERY, arena), arena, &parts);
	*url = parts;
	return ERR_OK;
}

int url_parse(const char *text, struct arena *arena, struct url *url, struct error *err)
{
	CURLU *handle;
	int rc;

	rc = check_text(text, err);
	if (rc)
		return rc;
	handle = curl_url();
	if (!handle)
		return error_set(err, ERR_IO, "out of memory");
	rc = take_apart(handle, text, arena, url, err);
	curl_url_cleanup(handle);
	return rc;
}

const char *url_parameter(const struct url *url, const char *name)
{
	for (size_t i = 0; i < url->parameter_count; i++)
		if (strcmp(url->parameters[i].name, name) == 0)
			return url->parameters[i].value;
	return NULL;
}

void url_add_encoded(struct strbuf *out, const char *text)
{
	char *encoded = curl_easy_escape(NULL, text, 0);

	if (!encoded)
		abort();
	strbuf_addstr(out, encoded);
	curl_free(encoded);
}

const char *url_origin(const struct url *url, const char *scheme, struct arena *arena)
{
	return arena_printf(
		arena, "%s://%s%s%s", scheme, url->host, url->port[0] ? ":" : "", url->port);
}
