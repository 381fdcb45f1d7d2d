/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by json_*.c only. */
#ifndef FG_NET_JSON_INTERNAL_H
#define FG_NET_JSON_INTERNAL_H

#include <stddef.h>

#include "gate/net/json.h"

struct error;

/* Bytes of the UTF-8 character at the start of data (RFC 3629), or 0 if it is not valid. */
size_t json_utf8_length(const unsigned char *data, size_t left);

/*
 * Checks what cJSON is lax about: encoding, control characters, escapes, numbers, nesting; and the
 * limits on depth and values. What is left for cJSON to find is the order of tokens.
 */
int json_check_tokens(const void *data, size_t length, const char *name,
	const struct json_limits *limits, struct error *err);

#endif
