/* SPDX-License-Identifier: Apache-2.0 */
#include "ip.h"

static int parse_octet(const char **text)
{
	int value = 0, digits = 0;

	for (; **text >= '0' && **text <= '9' && digits < 3; (*text)++, digits++)
		value = value * 10 + (**text - '0');
	return digits == 0 || value > 255 ? -1 : value;
}

int ip_parse(struct span span, uint32_t *address)
{
	uint32_t result = 0;
	const char *text = span.text;

	for (int i = 0; i < 4; i++) {
		int octet = parse_octet(&text);

		if (octet < 0 || (i < 3 && *text++ != '.'))
			return -1;
		result = result << 8 | (uint32_t)octet;
	}
	*address = result;
	return text == span.text + span.length ? 0 : -1;
}
