/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of one libc function's implementations for different processors. The loader picks one by
 * what the processor says of itself (an IFUNC), and valgrind's processor says other things than the
 * real one: what runs as __memcmp_evex_movbe is counted as __memcmp_avx2_movbe. Source: the symbols
 * of glibc 2.31 to 2.41 for x86-64 and aarch64.
 */
#ifndef FG_PROFILE_IFUNC_VARIANT_H
#define FG_PROFILE_IFUNC_VARIANT_H

#include <stdbool.h>

#include "gate/base/strbuf.h"

/*
 * Replaces *what by what all implementations of name's function have in common ("memcmp"); memcpy
 * and memmove, which are one code under two names, have "memmove". False, and *what is empty, for a
 * name that is none of glibc's for a certain processor.
 */
bool ifunc_variant_common(struct strbuf *what, const char *name);

#endif
