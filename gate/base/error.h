/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: an int code (0 = fine) and a message that a user can act on.
 *
 * Functions that can fail return enum error_code as int and fill the caller's struct error.
 * Libraries never print and never exit. The code says who has to act, and so decides the exit
 * status.
 */
#ifndef FG_BASE_ERROR_H
#define FG_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

enum error_code {
	ERR_OK = 0,
	ERR_USAGE,       /* the command line or the configuration is wrong        -> exit 2 */
	ERR_CONFIG,      /* .flamegate.yml is wrong: message is file:line:column  -> exit 2 */
	ERR_BENCHMARK,   /* the benchmark or its build failed or was killed       -> exit 3 */
	ERR_MEASURE,     /* the measurement does not add up                       -> exit 3 */
	ERR_CORRUPT,     /* a file or an answer is not what it should be          -> exit 3 */
	ERR_LIMIT,       /* input past a stated limit                             -> exit 3 */
	ERR_IO,          /* the system refused: files, processes, memory          -> exit 3 */
	ERR_TOOL,        /* git or another program we need failed or is missing   -> exit 3 */
	ERR_INTERRUPTED, /* SIGINT or SIGTERM                                     -> exit 3 */
	ERR_NOT_FOUND,   /* what was asked for does not exist; callers often go on */
};

#define ERROR_MESSAGE_BYTES 4096

struct error {
	int code;
	char message[ERROR_MESSAGE_BYTES];
};

/* Sets code and message (truncated to fit, always terminated) and returns code. err may be NULL. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set, with ": <strerror(errno_value)>" appended. */
int error_errno(struct error *err, int code, int errno_value, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Puts "<context>: " before the message that is already there; returns err->code. */
int error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The process exit status (2 or 3) for an error code. */
int error_exit_status(int code);

#endif
