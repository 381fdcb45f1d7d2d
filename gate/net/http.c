/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/net/http.h"

#include <string.h>
#include <strings.h>

#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/net/http_internal.h"

static bool is_success(long status)
{
	return status >= 200 && status < 300;
}

/* "text/html; charset=utf-8" is of type "text/html". */
static bool is_of_type(const char *content_type, const char *wanted)
{
	size_t length = strcspn(content_type, "; \t");

	return length == strlen(wanted) && strncasecmp(content_type, wanted, length) == 0;
}

static int check_type(struct exchange *exchange)
{
	const char *wanted = exchange->request->expect_type;
	const char *type = http_response_header(exchange->response, "content-type");
	struct strbuf shown = STRBUF_INIT;

	if (!wanted || (type && is_of_type(type, wanted)))
		return ERR_OK;
	if (type)
		http_add_words(exchange->request->credentials, type, strlen(type), &shown);
	error_set(exchange->err, ERR_CORRUPT,
		"%s: the answer is %s instead of %s; do the host, "
		"the port and the path belong to the right server?",
		exchange->origin, shown.length ? shown.data : "of no stated type", wanted);
	strbuf_release(&shown);
	return ERR_CORRUPT;
}

static bool is_refusal(const struct exchange *exchange)
{
	long status = exchange->response->status;

	if (status < 200) /* an interim answer, and then nothing more */
		return exchange->code == CURLE_OK;
	return !is_success(status);
}

/* A refusal says more than that the connection broke while the server was refusing. */
static int judge(struct exchange *exchange)
{
	long status = exchange->response->status;

	if (exchange->code == CURLE_ABORTED_BY_CALLBACK || http_is_redirect(status))
		return http_explain_transfer(exchange);
	if (!exchange->request->any_status && is_refusal(exchange))
		return http_explain_status(exchange);
	if (exchange->code != CURLE_OK)
		return http_explain_transfer(exchange);
	return is_success(status) ? check_type(exchange) : ERR_OK;
}

/* One attempt: the request, and where it is redirected to. */
static int attempt(struct exchange *exchange)
{
	const char *asked = exchange->url;
	int rc;

	exchange->deadline_ns = http_now_ns() + http_timeout_ns(exchange->request);
	exchange->response->attempts++;
	for (unsigned hops = 0;; hops++) {
		http_transfer(exchange);
		if (exchange->code != CURLE_OK || !http_is_redirect(exchange->response->status))
			break;
		if (hops == HTTP_MAX_REDIRECTS)
			return error_set(exchange->err, ERR_TOOL,
				"%s: it redirects more than %d times; is the path right?",
				exchange->origin, HTTP_MAX_REDIRECTS);
		rc = http_redirect(exchange);
		if (rc)
			return rc;
	}
	exchange->url = asked;
	return judge(exchange);
}

static int repeat(struct exchange *exchange)
{
	unsigned attempts = exchange->request->attempts ? exchange->request->attempts : 1;
	uint64_t wait_ns;
	int rc;

	for (;;) {
		rc = attempt(exchange);
		if (exchange->response->attempts >= attempts ||
			!http_may_repeat(exchange, &wait_ns))
			return rc;
		rc = http_wait(wait_ns, exchange->err);
		if (rc)
			return error_prefix(exchange->err, "%s", exchange->origin);
	}
}

/* Not thread safe: the program sends from one thread. */
static int start_curl(struct error *err)
{
	static bool started;

	if (!started && curl_global_init(CURL_GLOBAL_DEFAULT))
		return error_set(err, ERR_IO, "libcurl cannot be started");
	started = true;
	return ERR_OK;
}

int http_send(const struct http_request *request, struct http_response *response, struct error *err)
{
	struct exchange exchange = {
		.request = request, .response = response, .err = err, .arena = ARENA_INIT};
	int rc;

	*response = (struct http_response){.arena = ARENA_INIT, .body = STRBUF_INIT};
	rc = start_curl(err);
	if (rc)
		return rc;
	rc = http_prepare(&exchange);
	if (!rc)
		rc = repeat(&exchange);
	http_unprepare(&exchange);
	return rc;
}

int http_post_json(const char *url, const struct http_credentials *credentials, uint64_t timeout_ns,
	const struct strbuf *body, long *status, struct error *err)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	const struct http_request request = {.method = "POST",
		.url = url,
		.headers = headers,
		.credentials = credentials,
		.body = body->data,
		.body_length = body->length,
		.timeout_ns = timeout_ns,
		.attempts = 1,
		.expect_type = "application/json"};
	struct http_response response;
	int rc = http_send(&request, &response, err);

	if (status)
		*status = response.status;
	http_response_release(&response);
	return rc;
}

void http_response_release(struct http_response *response)
{
	arena_release(&response->arena);
	strbuf_release(&response->body);
	*response = (struct http_response){.arena = ARENA_INIT, .body = STRBUF_INIT};
}

const char *http_response_header(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++)
		if (strcmp(response->headers[i].name, name) == 0)
			return response->headers[i].value;
	return NULL;
}
