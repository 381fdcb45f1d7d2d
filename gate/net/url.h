/* SPDX-License-Identifier: Apache-2.0 */
/* URLs as users type them, taken apart and put together (by libcurl's URL parser). */
#ifndef FG_NET_URL_H
#define FG_NET_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

struct error;

struct url_parameter {
	const char *name, *value; /* percent-decoded; "+" is a blank */
};

struct url {
	const char *scheme; /* lower case: "http", "pyroscope", "dir", ... */
	const char *host;   /* never ""; IPv6 in brackets */
	const char *port;   /* "" the scheme's own */
	const char *path;   /* as written; begins with "/" or is "" */
	const struct url_parameter *parameters;
	size_t parameter_count;
};

/* Any "scheme://...". True for text that is meant as a URL rather than a file. */
bool url_is(const char *text);
/*
 * ERR_USAGE with what is wrong, among it user info ("credentials do not belong into a URL: set
 * FLAMEGATE_USER and FLAMEGATE_PASSWORD"), a missing host, control characters (escaped ones too),
 * invalid percent escapes, blanks in front of the query, "#", more than 8192 bytes. The
 * message never repeats a password. Strings are arena-owned.
 */
int url_parse(const char *text, struct arena *arena, struct url *url, struct error *err);
/* The value of the first parameter with this name, or NULL. */
const char *url_parameter(const struct url *url, const char *name);
/* Appends text with everything but A-Za-z0-9-._~ percent-encoded. */
void url_add_encoded(struct strbuf *out, const char *text);
/* "http://host:port": the scheme given, host and port of url. */
const char *url_origin(const struct url *url, const char *scheme, struct arena *arena);

#endif
