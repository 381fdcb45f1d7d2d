/* SPDX-License-Identifier: Apache-2.0 */
#include "timestamp.h"

#include <stdio.h>

#define DAY_MS INT64_C(86400000)

/* Days since 1970 of a date in the Gregorian calendar; years begin in March. */
int64_t days_of_date(int year, int month, int day)
{
	int y = month <= 2 ? year - 1 : year;
	int era = y / 400;
	int year_of_era = y - era * 400;
	int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return (int64_t)era * 146097 + day_of_era - 719468;
}

/* Reads exactly n digits, or returns -1. */
int parse_digits(const char **text, int n)
{
	int value = 0;

	for (; n > 0; n--, (*text)++) {
		if (**text < '0' || **text > '9')
			return -1;
		value = value * 10 + (**text - '0');
	}
	return value;
}

static int parse_separator(const char **text, char separator)
{
	if (**text != separator)
		return -1;
	(*text)++;
	return 0;
}

static int parse_fraction_ms(const char **text)
{
	int value = 0, scale = 100;

	if (**text != '.')
		return 0;
	for ((*text)++; **text >= '0' && **text <= '9'; (*text)++, scale /= 10)
		value += (**text - '0') * scale;
	return value;
}

static int64_t parse_offset_ms(const char **text)
{
	int sign = **text == '-' ? 1 : -1;

	if (**text != '+' && **text != '-')
		return 0;
	(*text)++;
	int hours = parse_digits(text, 2);
	if (**text == ':')
		(*text)++;
	return sign * (hours * 60 + parse_digits(text, 2)) * INT64_C(60000);
}

int64_t timestamp_parse(const char *text)
{
	int year = parse_digits(&text, 4), bad = parse_separator(&text, '-');
	int month = parse_digits(&text, 2);
	bad |= parse_separator(&text, '-');
	int day = parse_digits(&text, 2);
	bad |= parse_separator(&text, 'T');
	int hour = parse_digits(&text, 2);
	bad |= parse_separator(&text, ':');
	int minute = parse_digits(&text, 2);
	bad |= parse_separator(&text, ':');
	int second = parse_digits(&text, 2);

	if (bad || year < 1970 || month < 1 || month > 12 || day < 1 || hour < 0 || minute < 0 ||
		second < 0)
		return -1;
	int64_t seconds = days_of_date(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	int64_t fraction = parse_fraction_ms(&text);
	return seconds * 1000 + fraction + parse_offset_ms(&text);
}

void timestamp_format(int64_t milliseconds, char *text, size_t size)
{
	int64_t days = milliseconds / DAY_MS;
	int minutes = (int)(milliseconds % DAY_MS / 60000), year = 1970, month = 1;

	while (days_of_date(year + 1, 1, 1) <= days)
		year++;
	while (month < 12 && days_of_date(year, month + 1, 1) <= days)
		month++;
	snprintf(text, size, "%04d-%02d-%02d %02d:%02d", year, month,
		(int)(days - days_of_date(year, month, 1)) + 1, minutes / 60, minutes % 60);
}

int timestamp_weekday(int64_t milliseconds)
{
	return (int)((milliseconds / DAY_MS + 3) % 7);
}
