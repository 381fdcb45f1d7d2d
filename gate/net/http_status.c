/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer that is no success means, and what the user can do about it. */
#include "gate/net/http_internal.h"

#include <string.h>

#include "gate/base/error.h"

static const struct status_advice {
	long first, last;
	int error;
	const char *what, *advice;
} advices[] = {
	{400, 400, ERR_TOOL, "it does not understand the request",
		"is it the right server, in a version that is supported?"},
	{404, 404, ERR_NOT_FOUND, "there is nothing at this address",
		"are the port and the path right?"},
	{407, 407, ERR_TOOL, "the proxy wants credentials",
		"check http_proxy, https_proxy and all_proxy"},
	{413, 413, ERR_TOOL, "what was sent is too large for it",
		"send less, or raise the server's limit"},
	{429, 429, ERR_TOOL, "too many requests", "wait, or raise the server's limit"},
	{502, 504, ERR_TOOL, "it is not available", "try again later"},
	{500, 599, ERR_TOOL, "it failed", "look at the server's log"},
	{0, 999, ERR_TOOL, "unexpected answer", "is it the right server?"},
};

static const struct status_advice *find_advice(long status)
{
	const struct status_advice *advice = advices;

	while (status < advice->first || status > advice->last)
		advice++;
	return advice;
}

static void add_credential_advice(const struct exchange *exchange, struct strbuf *out)
{
	const struct http_credentials *credentials = exchange->request->credentials;
	const char *prefix = credentials ? credentials->prefix : HTTP_CREDENTIALS_PREFIX;
	bool forbidden = exchange->response->status == 403;

	if (credentials && credentials->token)
		strbuf_addf(out, "the credentials in %s_TOKEN %s", prefix,
			forbidden ? "do not have the right to it" : "were refused");
	else if (credentials && credentials->user)
		strbuf_addf(out, "the credentials in %s_USER and %s_PASSWORD %s", prefix, prefix,
			forbidden ? "do not have the right to it" : "were refused");
	else
		strbuf_addf(
			out, "set %s_TOKEN, or %s_USER and %s_PASSWORD", prefix, prefix, prefix);
	if (!credentials || !credentials->org_id)
		strbuf_addf(out, " (and %s_ORG_ID if it has tenants)", prefix);
}

static void add_numbers(const struct exchange *exchange, struct strbuf *out)
{
	const struct http_response *response = exchange->response;
	const char *later = http_response_header(response, "retry-after");

	strbuf_addf(out, " (status %ld", response->status);
	if (response->attempts > 1)
		strbuf_addf(out, ", after %u attempts", response->attempts);
	if (later && later[0] && !later[strspn(later, "0123456789")])
		strbuf_addf(out, ", it asks to wait %.12s s", later);
	strbuf_addstr(out, "); ");
}

static int add_reason(const struct exchange *exchange, struct strbuf *out)
{
	long status = exchange->response->status;
	const struct status_advice *advice = find_advice(status);
	bool credentials = status == 401 || status == 403;

	if (credentials)
		strbuf_addstr(out, status == 401 ? "it wants credentials" : "it forbids this");
	else
		strbuf_addstr(out, advice->what);
	add_numbers(exchange, out);
	if (credentials)
		add_credential_advice(exchange, out);
	else
		strbuf_addstr(out, advice->advice);
	return advice->error;
}

int http_explain_status(struct exchange *exchange)
{
	const struct strbuf *body = &exchange->response->body;
	struct strbuf reason = STRBUF_INIT, words = STRBUF_INIT;
	int code = add_reason(exchange, &reason);

	http_add_words(exchange->request->credentials, body->data, body->length, &words);
	error_set(exchange->err, code, "%s: %s%s%s", exchange->origin, reason.data,
		words.length ? "; it says: " : "", words.data);
	strbuf_release(&reason);
	strbuf_release(&words);
	return code;
}
