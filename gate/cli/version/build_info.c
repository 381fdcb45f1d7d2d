/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/version/build_info.h"

#include "commit.h" /* FLAMEGATE_COMMIT, by the Makefile */

#define TEXT(number) #number
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

#if defined(__x86_64__)
#define PROCESSOR "x86_64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#define PROCESSOR "unknown processor"
#endif

#if defined(__clang__)
#define COMPILER "clang " VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define COMPILER "gcc " VERSION(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif

const char build_info[] = "commit " FLAMEGATE_COMMIT ", " PROCESSOR ", " COMPILER;
