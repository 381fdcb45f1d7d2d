/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_URL_H
#define LOGSTAT_URL_H

#include <stddef.h>

/* A piece of a longer text. */
struct span {
	const char *text;
	size_t length;
};

struct request {
	struct span method, path, query;
};

/* "GET /path?query HTTP/1.1"; -1 if it is something else. */
int request_split(struct span line, struct request *request);
/* Undoes %xx (and + in queries); returns the length, at most size. */
size_t url_decode(struct span encoded, int is_query, char *out, size_t size);
/* "/users/4711/orders/9f0c..." -> "/users/:n/orders/:hex"; also drops empty, "." and ".." segments. */
size_t path_template(struct span path, char *out, size_t size);
/* The next "key=value" of a query; 0 at its end. */
int query_next(struct span *query, struct span *key, struct span *value);

#endif
