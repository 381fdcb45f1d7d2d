/* SPDX-License-Identifier: Apache-2.0 */
/* The elf.h of glibc 2.35 (Ubuntu 22.04), which knows nothing of packed relocations. */
#include <elf.h>

#undef SHT_RELR
#undef DT_RELR
#undef DT_RELRSZ
#undef DT_RELRENT
#undef DT_NUM
