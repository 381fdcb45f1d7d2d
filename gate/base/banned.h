/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that invite overflow, injection or hidden state. Included by the compiler's command
 * line into every file of the product, after the system headers that declare them.
 */
#ifndef FG_BASE_BANNED_H
#define FG_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat strtok sprintf vsprintf gets
#pragma GCC poison atoi atol atoll atof mktemp tmpnam tempnam system popen
#pragma GCC poison gmtime localtime ctime asctime

#endif
