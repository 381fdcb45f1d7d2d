/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/instant.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/base/error.h"

#define CALENDAR_FORMAT "%Y-%m-%dT%H:%M:%S"
#define DAY_NS (86400 * INSTANT_SECOND_NS)
#define CALENDAR_LENGTH 19 /* of "2026-01-31T12:00:00" */

/* A run of digits as a number; its end in *end. */
static bool read_digits(const char *text, const char **end, int64_t *out)
{
	char *stop;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*out = strtoll(text, &stop, 10);
	*end = stop;
	return !errno;
}

static bool seconds_to_ns(int64_t seconds, int64_t *out)
{
	return !__builtin_mul_overflow(seconds, INSTANT_SECOND_NS, out);
}

/* "-90m" behind "now". */
static bool parse_ago(const char *text, int64_t now_ns, int64_t *out)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
	int64_t count, ns, instant;

	if (*text != '-' || !read_digits(text + 1, &text, &count))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(count, units[i].seconds, &count) ||
			!seconds_to_ns(count, &ns) || __builtin_sub_overflow(now_ns, ns, &instant))
			return false;
		*out = instant;
		return true;
	}
	return false;
}

/* ".5" behind the seconds; none is fine. Digits past the ninth do not count. */
static bool parse_fraction(const char **text, int64_t *ns)
{
	int64_t digit = INSTANT_SECOND_NS / 10;

	*ns = 0;
	if (**text != '.')
		return true;
	if (!isdigit((unsigned char)*++*text))
		return false;
	for (; isdigit((unsigned char)**text); ++*text, digit /= 10)
		*ns += (**text - '0') * digit;
	return true;
}

static bool is_two_digits(const char *text, int max)
{
	return isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) &&
	       (text[0] - '0') * 10 + text[1] - '0' <= max;
}

/* "Z", "+01:00": how far the clock there is ahead. */
static bool parse_zone(const char *text, int64_t *seconds)
{
	*seconds = 0;
	if (*text == 'Z' || *text == 'z')
		return !text[1];
	if (strlen(text) != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':' ||
		!is_two_digits(text + 1, 23) || !is_two_digits(text + 4, 59))
		return false;
	*seconds = ((text[1] - '0') * 10 + text[2] - '0') * 3600 +
		   ((text[4] - '0') * 10 + text[5] - '0') * 60;
	if (text[0] == '-')
		*seconds = -*seconds;
	return true;
}

/* strptime() is lax (blanks, the 31st of February): what it read must print as it was written. */
static bool parse_calendar(const char *text, int64_t *out)
{
	struct tm tm = {0};
	const char *rest = strptime(text, CALENDAR_FORMAT, &tm);
	char again[64];
	int64_t fraction, ahead, ns;
	time_t seconds;

	if (!rest)
		return false;
	seconds = timegm(&tm);
	strftime(again, sizeof(again), CALENDAR_FORMAT, &tm);
	if (rest - text != CALENDAR_LENGTH || strncmp(again, text, CALENDAR_LENGTH) != 0)
		return false;
	if (!parse_fraction(&rest, &fraction) || !parse_zone(rest, &ahead))
		return false;
	if (!seconds_to_ns(seconds - ahead, &ns) || __builtin_add_overflow(ns, fraction, &ns))
		return false;
	*out = ns;
	return true;
}

static bool parse_seconds(const char *text, int64_t *out)
{
	int64_t seconds;

	return read_digits(text, &text, &seconds) && !*text && seconds_to_ns(seconds, out);
}

int instant_parse(const char *text, int64_t now_ns, int64_t *out, struct error *err)
{
	int64_t instant = now_ns;
	bool valid;

	if (strncmp(text, "now", 3) == 0)
		valid = !text[3] || parse_ago(text + 3, now_ns, &instant);
	else
		valid = parse_seconds(text, &instant) || parse_calendar(text, &instant);
	if (!valid || instant < 0)
		return error_set(err, ERR_USAGE,
			"\"%s\" is no time: expected now, now-90m (s, m, h, d), "
			"2026-01-31T12:00:00Z or seconds since 1970",
			text);
	*out = instant;
	return ERR_OK;
}

void instant_add(struct strbuf *out, int64_t ns)
{
	time_t seconds = (time_t)(ns / INSTANT_SECOND_NS);
	char text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), CALENDAR_FORMAT, &tm);
	strbuf_addf(out, "%s.%03dZ", text, (int)(ns % INSTANT_SECOND_NS / 1000000));
}

int64_t instant_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * INSTANT_SECOND_NS + now.tv_nsec;
}

bool instant_is_future(int64_t ns)
{
	return ns > instant_now() + DAY_NS;
}

int64_t instant_rank(int64_t ns)
{
	return instant_is_future(ns) ? 0 : ns;
}
