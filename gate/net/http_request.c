/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How curl is prepared for a request: address, headers, credentials, limits, and which certificates
 * are trusted.
 */
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/net/http_internal.h"
#include "gate/net/url.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TOKEN_CHARACTERS                                                                           \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"

uint64_t http_timeout_ns(const struct http_request *request)
{
	return request->timeout_ns ? request->timeout_ns : 60 * HTTP_SECOND_NS;
}

uint64_t http_connect_timeout_ns(const struct http_request *request)
{
	return request->connect_timeout_ns ? request->connect_timeout_ns : 10 * HTTP_SECOND_NS;
}

uint64_t http_idle_timeout_ns(const struct http_request *request)
{
	return request->idle_timeout_ns ? request->idle_timeout_ns : 20 * HTTP_SECOND_NS;
}

size_t http_max_bytes(const struct http_request *request)
{
	return request->max_bytes ? request->max_bytes : 64 * 1024 * 1024;
}

int http_origin(const char *url, struct arena *arena, const char **origin, struct error *err)
{
	struct url parts;
	const char *port;
	int rc;

	rc = url_parse(url, arena, &parts, err);
	if (rc)
		return rc;
	if (strcmp(parts.scheme, "http") != 0 && strcmp(parts.scheme, "https") != 0)
		return error_set(err, ERR_USAGE, "invalid URL: neither http:// nor https://");
	port = strcmp(parts.scheme, "http") == 0 ? "80" : "443";
	if (!parts.port[0])
		parts.port = port;
	*origin = url_origin(&parts, parts.scheme, arena);
	return ERR_OK;
}

/* ---- headers ------------------------------------------------------------------------------- */

static void add_header(struct exchange *exchange, const char *line)
{
	struct curl_slist *longer = curl_slist_append(exchange->headers, line);

	if (!longer)
		abort();
	exchange->headers = longer;
}

static int add_callers_header(struct exchange *exchange, const char *line)
{
	size_t name = strspn(line, TOKEN_CHARACTERS);

	if (!name || line[name] != ':')
		return error_set(exchange->err, ERR_USAGE, "invalid name of an HTTP header");
	for (const char *at = line; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return error_set(exchange->err, ERR_USAGE,
				"the HTTP header %.*s holds a control character", (int)name, line);
	add_header(exchange, line);
	return ERR_OK;
}

static const char *basic(const struct http_credentials *credentials, struct arena *arena)
{
	const char *plain = arena_printf(arena, "%s:%s", credentials->user, credentials->password);
	struct strbuf encoded = STRBUF_INIT;
	const char *line;

	base64_encode(plain, strlen(plain), &encoded);
	line = arena_printf(arena, "Authorization: Basic %s", encoded.data);
	strbuf_release(&encoded);
	return line;
}

static void add_credentials(struct exchange *exchange, const struct http_credentials *credentials)
{
	struct arena *arena = &exchange->arena;

	if (credentials->token)
		add_header(exchange,
			arena_printf(arena, "Authorization: Bearer %s", credentials->token));
	else if (credentials->user && credentials->password)
		add_header(exchange, basic(credentials, arena));
	if (credentials->org_id)
		add_header(exchange, arena_printf(arena, "X-Scope-OrgID: %s", credentials->org_id));
}

static int add_headers(struct exchange *exchange)
{
	const struct http_request *request = exchange->request;
	int rc = ERR_OK;

	for (size_t i = 0; request->headers && request->headers[i] && !rc; i++)
		rc = add_callers_header(exchange, request->headers[i]);
	if (!rc && request->credentials)
		add_credentials(exchange, request->credentials);
	return rc;
}

/* ---- what stays the same for all transfers of an exchange ----------------------------------- */

static void allow_http_only(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static long protocol(const struct http_request *request)
{
	if (request->version != HTTP_VERSION_2)
		return CURL_HTTP_VERSION_NONE;
	return strncasecmp(request->url, "https:", 6) == 0 ? CURL_HTTP_VERSION_2TLS
							   : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
}

static void set_behaviour(CURL *curl, const struct http_request *request)
{
	uint64_t idle_s = (http_idle_timeout_ns(request) + HTTP_SECOND_NS - 1) / HTTP_SECOND_NS;

	allow_http_only(curl);
	http_trust(curl);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "flamegate");
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, protocol(request));
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(
		curl, CURLOPT_LOW_SPEED_TIME, idle_s > INT_MAX ? (long)INT_MAX : (long)idle_s);
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Otherwise a name server that does not answer holds us beyond the time-out. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static int set_method(CURL *curl, const struct http_request *request, struct error *err)
{
	if (strcmp(request->method, "GET") == 0) {
		curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
		return ERR_OK;
	}
	if (strcmp(request->method, "POST") != 0)
		return error_set(err, ERR_USAGE, "HTTP method other than GET and POST");
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body ? request->body : "");
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
	return ERR_OK;
}

int http_prepare(struct exchange *exchange)
{
	const struct http_request *request = exchange->request;
	int rc;

	exchange->url = request->url;
	rc = http_origin(request->url, &exchange->arena, &exchange->origin, exchange->err);
	if (!rc)
		rc = add_headers(exchange);
	if (rc)
		return rc;
	exchange->curl = curl_easy_init();
	if (!exchange->curl)
		return error_set(exchange->err, ERR_IO, "libcurl cannot be started");
	set_behaviour(exchange->curl, request);
	curl_easy_setopt(exchange->curl, CURLOPT_HTTPHEADER, exchange->headers);
	return set_method(exchange->curl, request, exchange->err);
}

void http_unprepare(struct exchange *exchange)
{
	curl_easy_cleanup(exchange->curl);
	curl_slist_free_all(exchange->headers);
	arena_release(&exchange->arena);
}
