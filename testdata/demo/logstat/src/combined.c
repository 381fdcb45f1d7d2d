/* SPDX-License-Identifier: Apache-2.0 */
#include "combined.h"

static void skip_spaces(const char **at)
{
	while (**at == ' ')
		(*at)++;
}

/* A word, or what is between the quotes (or brackets) that it starts with. */
struct span combined_field(const char **at)
{
	char end = ' ';
	struct span field;

	skip_spaces(at);
	if (**at == '"' || **at == '[')
		end = *(*at)++ == '"' ? '"' : ']';
	field.text = *at;
	while (**at != end && **at != '\0' && **at != '\n') {
		if (**at == '\\' && (*at)[1] != '\0')
			(*at)++;
		(*at)++;
	}
	field.length = (size_t)(*at - field.text);
	if (**at == end)
		(*at)++;
	return field;
}

/* A decimal number; -1 if it is none. */
double parse_decimal(struct span text)
{
	double value = 0, scale = 0;

	for (size_t i = 0; i < text.length; i++) {
		char c = text.text[i];

		if (c == '.' && scale == 0) {
			scale = 1;
		} else if (c >= '0' && c <= '9') {
			value = value * 10 + (c - '0');
			scale *= 10;
		} else {
			return -1;
		}
	}
	return text.length == 0 ? -1 : scale > 1 ? value / scale : value;
}

int combined_parse(struct record *record, const char *line)
{
	record->address = combined_field(&line);
	combined_field(&line);
	record->user = combined_field(&line);
	combined_field(&line);
	record->request = combined_field(&line);
	record->status = (int)parse_decimal(combined_field(&line));
	record->bytes = parse_decimal(combined_field(&line));
	record->referrer = combined_field(&line);
	record->agent = combined_field(&line);
	record->milliseconds = parse_decimal(combined_field(&line)) * 1000;
	return record->request.length > 0 && record->bytes >= 0 && record->milliseconds >= 0 ? 0 : -1;
}
