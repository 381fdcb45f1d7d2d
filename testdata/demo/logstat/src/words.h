/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_WORDS_H
#define LOGSTAT_WORDS_H

#include <stddef.h>

/* Whether the word is in the sorted list. */
int word_find(const char *const *list, size_t count, const char *word, size_t length);

#endif
