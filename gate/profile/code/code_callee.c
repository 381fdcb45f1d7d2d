/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code/code_callee.h"

#include <string.h>

#include "gate/base/file.h"

void code_callee_digits(const char *name, size_t length, char digits[CODE_CALLEE_DIGITS + 1])
{
	char hash[65];

	sha256_hex(name, length, hash);
	memcpy(digits, hash, CODE_CALLEE_DIGITS);
	digits[CODE_CALLEE_DIGITS] = '\0';
}

bool code_callees_are_valid(const char *callees, size_t length)
{
	if (length % CODE_CALLEE_DIGITS != 0 ||
		length > (size_t)CODE_MAX_CALLEES * CODE_CALLEE_DIGITS)
		return false;
	for (size_t i = 0; i < length; i++)
		if (callees[i] == '\0' || strchr("0123456789abcdef", callees[i]) == NULL)
			return false;
	return true;
}
