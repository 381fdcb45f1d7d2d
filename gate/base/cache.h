/* SPDX-License-Identifier: Apache-2.0 */
/* The user's cache folder: builds, fetched notes.
 * Whatever is in it may be deleted at any time. */
#ifndef FG_BASE_CACHE_H
#define FG_BASE_CACHE_H

#include "gate/base/strbuf.h"

struct error;

/*
 * Appends FLAMEGATE_CACHE, else XDG_CACHE_HOME/flamegate, else ~/.cache/flamegate: an absolute path
 * that need not exist. Relative paths in XDG variables are ignored; in ours they are ERR_USAGE.
 */
int cache_home(struct strbuf *path, struct error *err);

/* Creates the folder; it must be the user's own and nobody else's to read or write. */
int cache_make_private(const char *path, struct error *err);

#endif
