/* SPDX-License-Identifier: Apache-2.0 */
/* What a file that is no profile for us looks like: for a message that helps more than "broken". */
#ifndef FG_PROFILE_FORMAT_GUESS_H
#define FG_PROFILE_FORMAT_GUESS_H

#include <stddef.h>

#include "gate/base/strbuf.h"

/*
 * Appends words such as "a perf.data file" or "gzip of a JSON file", and after a semicolon what
 * makes a profile of it that is read here, where a program does. Nothing of the data is repeated.
 * Appends nothing where it looks like nothing known. Looks at the first 64 KiB.
 */
void format_guess(const void *data, size_t length, struct strbuf *out);

#endif
