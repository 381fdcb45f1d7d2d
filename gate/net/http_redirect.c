/* SPDX-License-Identifier: Apache-2.0 */
/* Where an answer may redirect to: to the same server alone, and never so that a POST is lost. */
#include "gate/net/http_internal.h"

#include <string.h>
#include <strings.h>

#include "gate/base/error.h"

#define RESOLVE_FLAGS (CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS | CURLU_URLENCODE)

bool http_is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/*
 * The location as an absolute URL without its fragment, owned by the arena; NULL if it is none.
 * What it may be (user info, control characters) is for http_origin() to say.
 */
static const char *resolve(const char *base, const char *location, struct arena *arena)
{
	CURLU *handle = curl_url();
	const char *resolved = NULL;
	char *text = NULL;

	if (curl_url_set(handle, CURLUPART_URL, base, RESOLVE_FLAGS) == CURLUE_OK &&
		curl_url_set(handle, CURLUPART_URL, location, RESOLVE_FLAGS) == CURLUE_OK &&
		curl_url_set(handle, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
		curl_url_get(handle, CURLUPART_URL, &text, 0) == CURLUE_OK)
		resolved = arena_strdup(arena, text);
	curl_free(text);
	curl_url_cleanup(handle);
	return resolved;
}

static int refuse_other_server(struct exchange *exchange, const char *origin)
{
	struct strbuf shown = STRBUF_INIT;

	http_add_words(exchange->request->credentials, origin, strlen(origin), &shown);
	error_set(exchange->err, ERR_TOOL,
		"%s: it redirects to %s, which is another server, so nothing was sent there; use "
		"that address if it is the right one",
		exchange->origin,
		shown.length ? shown.data : "an address that is not repeated here");
	strbuf_release(&shown);
	return ERR_TOOL;
}

int http_redirect(struct exchange *exchange)
{
	const char *location = http_response_header(exchange->response, "location");
	const char *url, *origin;
	long status = exchange->response->status;

	url = location ? resolve(exchange->url, location, &exchange->arena) : NULL;
	if (!url || http_origin(url, &exchange->arena, &origin, NULL))
		return error_set(exchange->err, ERR_TOOL,
			"%s: it redirects (status %ld) to what is no http "
			"address; is the path right?",
			exchange->origin, status);
	if (strcasecmp(origin, exchange->origin) != 0)
		return refuse_other_server(exchange, origin);
	/* Browsers would go on with a GET,
	 * and what was to be stored would be lost without a word. */
	if (strcmp(exchange->request->method, "POST") == 0 && status < 307)
		return error_set(exchange->err, ERR_TOOL,
			"%s: it answers a POST with a redirect (status %ld); is the path right?",
			exchange->origin, status);
	exchange->url = url;
	return ERR_OK;
}
