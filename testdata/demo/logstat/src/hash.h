/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_HASH_H
#define LOGSTAT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a. */
uint64_t hash_text(const char *text, size_t length);
/* Spreads the bits of a number, or of two. */
uint64_t hash_number(uint64_t number);
uint64_t hash_pair(uint64_t left, uint64_t right);

#endif
