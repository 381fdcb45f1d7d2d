/* SPDX-License-Identifier: Apache-2.0 */
/* Files that measured code could have put there: no symbolic link, no pipe, no device, a limit. */
#ifndef FG_BENCH_UNTRUSTED_FILE_H
#define FG_BENCH_UNTRUSTED_FILE_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct error;

/* ERR_NOT_FOUND if missing; ERR_CORRUPT if it is a link or no regular file.
 * The caller closes *fd. */
int untrusted_file_open(const char *path, int *fd, struct error *err);
/* Appends the content to out. As above, and ERR_LIMIT past max_bytes; out is as before then. */
int untrusted_file_read(const char *path, size_t max_bytes, struct strbuf *out, struct error *err);

#endif
