/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_GLOB_H
#define LOGSTAT_GLOB_H

#include "url.h"

/* Shell pattern with * and ?, over the whole text. */
int glob_match(const char *pattern, struct span text);

#endif
