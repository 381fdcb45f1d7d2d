/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/error.h"

#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return code;
}

int error_errno(struct error *err, int code, int errno_value, const char *format, ...)
{
	char reason[128];
	va_list args;
	size_t used;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s",
		strerror_r(errno_value, reason, sizeof(reason)));
	return code;
}

int error_prefix(struct error *err, const char *format, ...)
{
	char old[ERROR_MESSAGE_BYTES];
	va_list args;
	size_t used;

	if (!err)
		return ERR_IO;
	memcpy(old, err->message, sizeof(old));
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", old);
	return err->code;
}

int error_exit_status(int code)
{
	return code == ERR_USAGE || code == ERR_CONFIG ? 2 : 3;
}
