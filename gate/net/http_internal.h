/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by http*.c and their tests only. */
#ifndef FG_NET_HTTP_INTERNAL_H
#define FG_NET_HTTP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <curl/curl.h>

#include "gate/base/arena.h"
#include "gate/net/http.h"

struct error;

#define HTTP_SECOND_NS 1000000000ULL
#define HTTP_MAX_REDIRECTS 5
#define HTTP_MAX_HEADER_BYTES (256 * 1024)
#define HTTP_MAX_WORDS_BYTES 200 /* of the server's own words in a message */
#define HTTP_MAX_WAIT_NS (30 * HTTP_SECOND_NS)

/* One http_send(): what it asks, and how far it came. */
struct exchange {
	const struct http_request *request;
	struct http_response *response;
	struct error *err;
	struct arena arena;
	const char *url;    /* what is asked now: a redirect changes it */
	const char *origin; /* "http://host:port", the same throughout */
	CURL *curl;
	struct curl_slist *headers;
	uint64_t deadline_ns; /* of this attempt, on the monotonic clock */
	/* Of the last transfer. */
	CURLcode code;
	char curl_message[CURL_ERROR_SIZE];
	size_t header_bytes;
	bool headers_too_large, body_too_large;
};

/* What is not asked is its default. */
uint64_t http_timeout_ns(const struct http_request *request);
uint64_t http_connect_timeout_ns(const struct http_request *request);
uint64_t http_idle_timeout_ns(const struct http_request *request);
size_t http_max_bytes(const struct http_request *request);
/* The monotonic clock. */
uint64_t http_now_ns(void);

/* ---- http_request.c ---- */
/* "http://host:port" with the port also where it is the scheme's own; ERR_USAGE. */
int http_origin(const char *url, struct arena *arena, const char **origin, struct error *err);
/* Checks the request and sets up url, origin, headers and curl.
 * http_unprepare() also afterwards. */
int http_prepare(struct exchange *exchange);
void http_unprepare(struct exchange *exchange);

/* ---- http_trust.c ---- */
/* By the environment, or where libcurl or the system keeps certificates of authorities. */
void http_trust(CURL *curl);
/* Of a NULL-terminated list the first file that can be read, or NULL. */
const char *http_trust_first(const char *const *bundles);

/* ---- http_transfer.c ---- */
/* Asks exchange->url once and fills the response: no redirect, no repetition, no judgement. */
void http_transfer(struct exchange *exchange);

/* ---- http_redirect.c ---- */
bool http_is_redirect(long status);
/* Points exchange->url to where the last answer redirects, or refuses to go there. */
int http_redirect(struct exchange *exchange);

/* ---- http_message.c ---- */
/* Sets the error of a transfer that curl did not bring to its end. */
int http_explain_transfer(struct exchange *exchange);

/* ---- http_status.c ---- */
/* Sets the error of an answer with a status that is none of success. */
int http_explain_status(struct exchange *exchange);

/* ---- http_retry.c ---- */
/* Whether the same request may do better later; *wait_ns tells when. */
bool http_may_repeat(const struct exchange *exchange, uint64_t *wait_ns);
/* 0.25 s, doubling with each attempt made up to 8 s, times 0.5 to 1.5 by `random`. */
uint64_t http_backoff_ns(unsigned attempts_made, uint32_t random);
/* ERR_INTERRUPTED within 0.2 s of an interruption. */
int http_wait(uint64_t wait_ns, struct error *err);

#endif
