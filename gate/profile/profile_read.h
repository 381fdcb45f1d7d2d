/* SPDX-License-Identifier: Apache-2.0 */
/* A profile that somebody else made, in any format that is read here: its content tells which. */
#ifndef FG_PROFILE_PROFILE_READ_H
#define FG_PROFILE_PROFILE_READ_H

#include "gate/base/strbuf.h"
#include "gate/profile/profile.h"

struct error;

/*
 * pprof (gzip or raw), callgrind's and cachegrind's output. *out is new (profile_free() it) and
 * untouched on failure: ERR_NOT_FOUND if the file is missing, ERR_CORRUPT where it is broken or in
 * none of these formats (then the message says what it looks like), ERR_LIMIT past the format's
 * limits.
 */
int profile_read_file(const char *path, struct profile **out, struct error *err);
/* The same of a file's content; path is for messages. */
int profile_read_data(
	const struct strbuf *data, const char *path, struct profile **out, struct error *err);

#endif
