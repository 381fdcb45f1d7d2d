/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One transfer by curl: the answer's headers and body are taken as they come, until a limit or an
 * interruption stops it.
 */
#include "gate/base/process/process.h"
#include "gate/net/http_internal.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <time.h>

uint64_t http_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * HTTP_SECOND_NS + (uint64_t)now.tv_nsec;
}

/* A new answer begins: an interim one (100), or the final one behind it. */
static void forget_headers(struct http_response *response)
{
	response->headers = NULL;
	response->header_count = 0;
}

static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

/* All headers together are few: the array grows within the arena, by doubling. */
static void add_header(struct http_response *response, const char *name, const char *value)
{
	size_t count = response->header_count;

	if ((count & (count - 1)) == 0) {
		struct http_header *larger =
			arena_array(&response->arena, count ? 2 * count : 1, sizeof(*larger));

		if (count)
			memcpy(larger, response->headers, count * sizeof(*larger));
		response->headers = larger;
	}
	response->headers[response->header_count++] = (struct http_header){name, value};
}

static void take_header_line(struct http_response *response, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length), *value, *end = line + length;
	char *name;

	if (!colon || colon == line || isspace((unsigned char)*line))
		return;
	name = arena_strndup(&response->arena, line, (size_t)(colon - line));
	lower(name);
	value = colon + 1;
	while (value < end && isspace((unsigned char)*value))
		value++;
	while (end > value && isspace((unsigned char)end[-1]))
		end--;
	add_header(response, name, arena_strndup(&response->arena, value, (size_t)(end - value)));
}

/* Called with whole lines, trailers included. Returning less than was given ends the transfer. */
static size_t on_header(char *line, size_t size, size_t count, void *data)
{
	struct exchange *exchange = data;
	size_t length = size * count;

	exchange->header_bytes += length;
	if (exchange->header_bytes > HTTP_MAX_HEADER_BYTES) {
		exchange->headers_too_large = true;
		return 0;
	}
	if (length > 5 && memcmp(line, "HTTP/", 5) == 0)
		forget_headers(exchange->response);
	else
		take_header_line(exchange->response, line, length);
	return length;
}

/* Called with at most 16 KiB of the decoded body, so a gzip bomb ends here while it inflates. */
static size_t on_body(char *bytes, size_t size, size_t count, void *data)
{
	struct exchange *exchange = data;
	struct strbuf *body = &exchange->response->body;
	size_t length = size * count;

	if (length > http_max_bytes(exchange->request) - body->length) {
		exchange->body_too_large = true;
		return 0;
	}
	strbuf_add(body, bytes, length);
	return length;
}

/* Called at least once a second, also while nothing comes. */
static int on_progress(void *data, curl_off_t download, curl_off_t downloaded, curl_off_t upload,
	curl_off_t uploaded)
{
	(void)data, (void)download, (void)downloaded, (void)upload, (void)uploaded;
	return process_interrupted();
}

static void forget_answer(struct exchange *exchange)
{
	struct http_response *response = exchange->response;

	arena_release(&response->arena);
	strbuf_reset(&response->body);
	forget_headers(response);
	response->status = 0;
	exchange->curl_message[0] = '\0';
	exchange->header_bytes = 0;
	exchange->headers_too_large = exchange->body_too_large = false;
}

/* At least 1: for curl 0 means no limit. */
static long milliseconds(uint64_t ns)
{
	uint64_t ms = ns / 1000000;

	if (ms > INT_MAX)
		return INT_MAX;
	return ms ? (long)ms : 1;
}

static void set_callbacks(struct exchange *exchange)
{
	CURL *curl = exchange->curl;

	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, exchange->curl_message);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, exchange);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

void http_transfer(struct exchange *exchange)
{
	uint64_t now = http_now_ns(), left;
	CURL *curl = exchange->curl;

	forget_answer(exchange);
	left = now < exchange->deadline_ns ? exchange->deadline_ns - now : 0;
	set_callbacks(exchange);
	curl_easy_setopt(curl, CURLOPT_URL, exchange->url);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds(left));
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
		milliseconds(http_connect_timeout_ns(exchange->request)));
	exchange->code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &exchange->response->status);
}
