/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648, section 4: with padding, no line breaks). */
#ifndef FG_BASE_BASE64_H
#define FG_BASE_BASE64_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct error;

void base64_encode(const void *data, size_t length, struct strbuf *out);
/* Strict: ERR_CORRUPT for any other byte, wrong padding or bits left over;
 * out is as before then. */
int base64_decode(const char *text, size_t length, struct strbuf *out, struct error *err);

#endif
