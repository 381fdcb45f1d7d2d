/* SPDX-License-Identifier: Apache-2.0 */
/* Of which sources this program was made, and by what. */
#ifndef FG_CLI_BUILD_INFO_H
#define FG_CLI_BUILD_INFO_H

/*
 * "commit 1a2b3c4d5e6f-dirty, x86_64, gcc 12.2.0". Twelve digits, or "unknown" (commit.sh); the
 * same sources and compiler give the same bytes. build_info.c is all that is compiled anew for
 * another commit.
 */
extern const char build_info[];

#endif
