/* SPDX-License-Identifier: Apache-2.0 */
/* Why a transfer came to no end, in words, and which words of a server are safe to repeat. */
#include "gate/base/base64.h"
#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/net/http_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING_NS (HTTP_SECOND_NS / 100) /* curl counts in milliseconds, and may be one early */

/* ---- what the server says itself ------------------------------------------------------------ */

static bool holds(const char *text, size_t length, const char *secret)
{
	return secret && memmem(text, length, secret, strlen(secret));
}

static bool holds_credentials(
	const struct http_credentials *credentials, const char *text, size_t length)
{
	struct strbuf plain = STRBUF_INIT, encoded = STRBUF_INIT;
	bool found;

	if (!credentials)
		return false;
	found = holds(text, length, credentials->token) ||
		holds(text, length, credentials->password);
	if (!found && credentials->user && credentials->password) {
		strbuf_addf(&plain, "%s:%s", credentials->user, credentials->password);
		base64_encode(plain.data, plain.length, &encoded);
		found = holds(text, length, encoded.data);
	}
	strbuf_release(&plain);
	strbuf_release(&encoded);
	return found;
}

/* At most max bytes, and no part of a character. */
static size_t cut(const char *text, size_t length, size_t max)
{
	if (length <= max)
		return length;
	while (max && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

void http_add_words(const struct http_credentials *credentials, const char *text, size_t length,
	struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	size_t skipped = 0, end;

	if (holds_credentials(credentials, text, length))
		return;
	while (skipped < length && memchr(" \t\r\n", text[skipped], 4))
		skipped++;
	text += skipped;
	length -= skipped;
	for (end = 0; end < length && end < 4L * HTTP_MAX_WORDS_BYTES; end++)
		if (memchr("\r\n", text[end], 2))
			break;
	text_defuse(&line, text, end);
	/* The first line of a page for browsers tells nothing. */
	if (line.data[0] != '<')
		strbuf_add(out, line.data,
			cut(line.data, strcspn(line.data, "\n"), HTTP_MAX_WORDS_BYTES));
	strbuf_release(&line);
}

/* ---- transfers that came to no end ----------------------------------------------------------- */

struct explanation {
	CURLcode code;
	int error;
	const char *text;
};

static const struct explanation explanations[] = {
	{CURLE_URL_MALFORMAT, ERR_USAGE, "the URL is malformed; check it"},
	{CURLE_COULDNT_RESOLVE_HOST, ERR_TOOL,
		"the host's name is not known; is it spelled right, and does DNS work here?"},
	{CURLE_COULDNT_RESOLVE_PROXY, ERR_TOOL,
		"the proxy's name is not known; check http_proxy, https_proxy and all_proxy"},
	{CURLE_UNSUPPORTED_PROTOCOL, ERR_TOOL, "the answer is not HTTP; is the port right?"},
	{CURLE_WEIRD_SERVER_REPLY, ERR_TOOL, "the answer is not HTTP; is the port right?"},
	{CURLE_PARTIAL_FILE, ERR_CORRUPT,
		"the answer was cut off; try again, and look at the server's log if it stays so"},
	{CURLE_BAD_CONTENT_ENCODING, ERR_CORRUPT,
		"the answer's compression is damaged; is there a faulty proxy in between?"},
	{CURLE_GOT_NOTHING, ERR_TOOL,
		"the connection was closed without an answer; "
		"try again, or look at the server's log"},
	{CURLE_SEND_ERROR, ERR_TOOL,
		"the connection was lost; try again, or look at the server's log"},
	{CURLE_RECV_ERROR, ERR_TOOL,
		"the connection was lost; try again, or look at the server's log"},
	{CURLE_SSL_CACERT_BADFILE, ERR_USAGE,
		"the file of trusted certificates cannot be read; check SSL_CERT_FILE, "
		"SSL_CERT_DIR and CURL_CA_BUNDLE"},
	/* One line of them past curl's own limit of 100 kB; it has no better code for it. */
	{CURLE_OUT_OF_MEMORY, ERR_LIMIT,
		"the answer's headers are too large, or memory ran out; is it the right server?"},
#if LIBCURL_VERSION_NUM >= 0x080600
	{CURLE_TOO_LARGE, ERR_LIMIT, "the answer's headers are too large; is it the right server?"},
#endif
	{CURLE_HTTP2, ERR_TOOL, "it does not speak HTTP/2 as it should; is the port right?"},
	{CURLE_HTTP2_STREAM, ERR_TOOL, "it broke off the HTTP/2 stream; look at the server's log"},
};

static double seconds(uint64_t ns)
{
	return (double)ns / (double)HTTP_SECOND_NS;
}

static curl_off_t elapsed_us(const struct exchange *exchange, CURLINFO what)
{
	curl_off_t microseconds = 0;

	curl_easy_getinfo(exchange->curl, what, &microseconds);
	return microseconds;
}

/* curl does not tell whether it was the proxy that could not be reached. */
static const char *proxy_advice(void)
{
	static const char *const variables[] = {
		"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && value[0])
			return " Or is it the proxy that http_proxy, "
			       "https_proxy or all_proxy names?";
	}
	return "";
}

/* Name look-up, connection and TLS share one limit. */
static int explain_connect_timeout(struct exchange *exchange)
{
	double limit = seconds(http_connect_timeout_ns(exchange->request));
	double total = seconds(http_timeout_ns(exchange->request));

	return error_set(exchange->err, ERR_TOOL,
		"%s: no %s within %g s; is the server reachable from here, "
		"and is no firewall in between?%s",
		exchange->origin,
		elapsed_us(exchange, CURLINFO_NAMELOOKUP_TIME_T) ? "connection" : "address",
		limit < total ? limit : total, proxy_advice());
}

static int explain_timeout(struct exchange *exchange)
{
	const struct http_request *request = exchange->request;

	if (!elapsed_us(exchange, CURLINFO_PRETRANSFER_TIME_T))
		return explain_connect_timeout(exchange);
	if (http_now_ns() + ROUNDING_NS >= exchange->deadline_ns)
		return error_set(exchange->err, ERR_TOOL,
			"%s: no whole answer within %g s (%zu bytes came); ask for less, or look "
			"at the server's load",
			exchange->origin, seconds(http_timeout_ns(request)),
			exchange->response->body.length);
	return error_set(exchange->err, ERR_TOOL,
		"%s: nothing came for %g s (%zu bytes before); is the server overloaded or stuck?",
		exchange->origin, seconds(http_idle_timeout_ns(request)),
		exchange->response->body.length);
}

static int explain_connect(struct exchange *exchange)
{
	long number = 0;

	curl_easy_getinfo(exchange->curl, CURLINFO_OS_ERRNO, &number);
	if (number == ECONNREFUSED || !number)
		return error_set(exchange->err, ERR_TOOL,
			"%s: connection %s; is the server running, and is the port right?%s",
			exchange->origin, number ? "refused" : "failed", proxy_advice());
	return error_set(exchange->err, ERR_TOOL,
		"%s: no connection (%s); is the server reachable from here?%s", exchange->origin,
		strerror((int)number), proxy_advice());
}

/* curl's own words, which may hold names out of the certificate. */
static void add_curls_words(const struct exchange *exchange, struct strbuf *out)
{
	const char *words = exchange->curl_message;

	if (!words[0])
		words = curl_easy_strerror(exchange->code);
	http_add_words(exchange->request->credentials, words, strlen(words), out);
}

static int explain_tls(struct exchange *exchange)
{
	bool refused = exchange->code == CURLE_PEER_FAILED_VERIFICATION;
	struct strbuf words = STRBUF_INIT;

	add_curls_words(exchange, &words);
	error_set(exchange->err, ERR_TOOL, "%s: %s (%s); %s", exchange->origin,
		refused ? "its TLS certificate is not trusted" : "no TLS connection", words.data,
		refused ? "if it is the right server, use the name that the certificate is for, or "
			  "set SSL_CERT_FILE to the certificate of the authority that signed it"
			: "is it http rather than https, and is the port right?");
	strbuf_release(&words);
	return ERR_TOOL;
}

static int explain_size(struct exchange *exchange)
{
	if (exchange->headers_too_large)
		return error_set(exchange->err, ERR_LIMIT,
			"%s: the answer's headers are larger than %d bytes; is it the right server?",
			exchange->origin, HTTP_MAX_HEADER_BYTES);
	return error_set(exchange->err, ERR_LIMIT,
		"%s: the answer is larger than %zu bytes; ask for less", exchange->origin,
		http_max_bytes(exchange->request));
}

static int explain_other(struct exchange *exchange)
{
	struct strbuf words = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(explanations) / sizeof(explanations[0]); i++)
		if (explanations[i].code == exchange->code)
			return error_set(exchange->err, explanations[i].error, "%s: %s",
				exchange->origin, explanations[i].text);
	add_curls_words(exchange, &words);
	error_set(exchange->err, ERR_TOOL, "%s: %s; is it the right server?", exchange->origin,
		words.data);
	strbuf_release(&words);
	return ERR_TOOL;
}

int http_explain_transfer(struct exchange *exchange)
{
	if (exchange->headers_too_large || exchange->body_too_large)
		return explain_size(exchange);
	switch (exchange->code) {
	case CURLE_ABORTED_BY_CALLBACK:
		return error_set(
			exchange->err, ERR_INTERRUPTED, "%s: interrupted", exchange->origin);
	case CURLE_OPERATION_TIMEDOUT:
		return explain_timeout(exchange);
	case CURLE_COULDNT_CONNECT:
		return explain_connect(exchange);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
		return explain_tls(exchange);
	default:
		return explain_other(exchange);
	}
}
