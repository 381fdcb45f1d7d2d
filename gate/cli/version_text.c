/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled anew whenever the commit changes: keep it small. */
#include "gate/cli/commands.h"

#include "commit.h"
#include "gate/check/version.h"

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "another processor"
#endif

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char version_text[] =
	"flamegate " FLAMEGATE_VERSION " (" FLAMEGATE_COMMIT ", " ARCHITECTURE ", " COMPILER ")";
