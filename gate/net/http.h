/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP by libcurl. Knows no server. Every request ends within its time-out, every answer within its
 * size limit (counted after decompression, so that a gzip bomb is cut off while it inflates).
 *
 * A server is not trusted: redirects are followed only to the same scheme, host and port; any other
 * is an error that names where it pointed. Only http and https, TLS certificates are always
 * verified (SSL_CERT_FILE, SSL_CERT_DIR and CURL_CA_BUNDLE are obeyed, else libcurl's own bundle, or
 * the first that is in one of the usual places), proxies as libcurl reads them from the environment. Nothing is read from .netrc. A POST is redirected by 307 and 308 only.
 *
 * A body that ends with its connection, without a length, and gzip that ends early within a body of
 * the right length, cannot be told from whole ones here: decoders check what they get.
 *
 * For one thread, in a program that ignores SIGPIPE (process_init()).
 *
 * Errors name the server (scheme://host:port, never user info, a query or a header) and say what to
 * do: "http://127.0.0.1:4040: connection refused; is the server running, and is the port right?".
 */
#ifndef FG_NET_HTTP_H
#define FG_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

struct error;

/*
 * Credentials come from the environment alone: <prefix>_TOKEN (Bearer), or <prefix>_USER and
 * <prefix>_PASSWORD (Basic), and <prefix>_ORG_ID (X-Scope-OrgID). NULL where not set. Values point
 * into the environment; they are never printed, logged or stored. A variable that is set to nothing
 * is not set. ERR_USAGE, naming the variables and not the values: a control character, a user
 * without a password or with a colon, a token and a user. prefix: [A-Z][A-Z0-9_]*, else ERR_USAGE.
 */
#define HTTP_CREDENTIALS_PREFIX "FLAMEGATE"
struct http_credentials {
	const char *prefix; /* for messages: "set FLAMEGATE_TOKEN" */
	const char *token, *user, *password, *org_id;
};
int http_credentials_read(
	const char *prefix, struct http_credentials *credentials, struct error *err);

enum http_version {
	HTTP_VERSION_DEFAULT,
	HTTP_VERSION_2, /* h2 by prior knowledge (h2c) on http, by ALPN on https: what gRPC needs */
};

struct http_request {
	const char *method;         /* "GET" or "POST", else ERR_USAGE */
	const char *url;            /* absolute http(s) URL; user info in it is ERR_USAGE */
	const char *const *headers; /* NULL-terminated "Name: value"; may be NULL */
	const struct http_credentials *credentials; /* NULL: none */
	const void *body;
	size_t body_length;
	enum http_version version;
	size_t max_bytes;            /* of the decoded body; 0: 64 MiB. Past it ERR_LIMIT */
	uint64_t connect_timeout_ns; /* 0: 10 s */
	uint64_t timeout_ns;         /* of one attempt in all; 0: 60 s */
	/* Less than 1 byte/s for so long ends it (slow drip), also before the answer begins: a
	 * profile of N seconds needs more than N. 0: 20 s. */
	uint64_t idle_timeout_ns;
	/*
	 * Attempts in all, 0: 1. Repeated only on 429, 502, 503, 504 and lost connections, after
	 * Retry-After (not at all if that is more than 30 s) or 0.25 s doubling with jitter. A push
	 * that must not be stored twice has 1.
	 */
	unsigned attempts;
	/* The media type that the answer must have ("application/json"), or NULL. A successful
	 * answer of another type is ERR_CORRUPT: a login page or a proxy's word is no profile. */
	const char *expect_type;
	/* Any status but a redirect is ERR_OK; the caller looks at response.status. Otherwise all
	 * but 200 to 299 are errors. */
	bool any_status;
};

struct http_header {
	const char *name, *value; /* name in lower case */
};

struct http_response {
	struct arena arena;
	long status;
	struct strbuf body;
	struct http_header *headers; /* of the last answer, trailers included */
	size_t header_count;
	unsigned attempts; /* made */
};

/*
 * Codes: ERR_USAGE (URL, credentials), ERR_LIMIT, ERR_CORRUPT (type, truncated body), ERR_NOT_FOUND
 * (404), ERR_INTERRUPTED, ERR_TOOL for everything else the network or the server did. Messages of
 * statuses say what to do: 401 which variables to set (or that the credentials in them were
 * refused), 403, 404, 413, 429 (after how many attempts), 5xx; with the first line of the server's
 * own words, defused and cut to 200 bytes. Release the response with http_response_release() also
 * after an error: status, headers and body are filled as far as they came (gRPC tells its error in
 * them).
 */
int http_send(
	const struct http_request *request, struct http_response *response, struct error *err);
/*
 * Posts JSON once (what is stored twice counts twice) and wants JSON back, whose content does not
 * matter. *status (may be NULL): of the answer, 0 if there was none.
 */
int http_post_json(const char *url, const struct http_credentials *credentials, uint64_t timeout_ns,
	const struct strbuf *body, long *status, struct error *err);
void http_response_release(struct http_response *response);
/*
 * Appends the first line of what a server wrote, defused and cut to 200 bytes, for a message;
 * nothing of a page for browsers, and nothing if the credentials (NULL: none) stand anywhere in the
 * text: some servers repeat the request in their answers.
 */
void http_add_words(const struct http_credentials *credentials, const char *text, size_t length,
	struct strbuf *out);
/* The first header with this (lower case) name, or NULL. */
const char *http_response_header(const struct http_response *response, const char *name);

#endif
