/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures as people read them, the same in every output: one decimal for percentages ("5.1 %"),
 * three digits for times ("12.3 ms"). Appended to out; unknown numbers (NaN) become "?".
 * Locale-free as long as nobody calls setlocale(LC_NUMERIC), which flamegate does not.
 */
#ifndef FG_REPORT_FIGURE_H
#define FG_REPORT_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

/* Fractions of 1 in, percentages out. */
void figure_percent(struct strbuf *out, double fraction);          /* "5.1 %", "-0.3 %" */
void figure_signed_percent(struct strbuf *out, double fraction);   /* "+5.1 %", "-0.3 %", "0.0 %" */
void figure_interval(struct strbuf *out, double low, double high); /* "3.9 to 6.3 %" */
void figure_signed_interval(struct strbuf *out, double low, double high); /* "+3.9 to +6.3 %" */
/* "takes"-less core of a comparison: "8.4 % more", "3.0 % less", "as much" below 0.005 %; of many
 * things "fewer" and "as many". */
void figure_more_or_less(struct strbuf *out, double fraction, bool many);

/* Differences without noise keep two decimals: "+1.23 %". */
void figure_exact_percent(struct strbuf *out, double fraction);

void figure_seconds(struct strbuf *out, double seconds); /* "1.23 s", "45.6 ms", "7.89 µs", "0 s" */
void figure_bytes(struct strbuf *out, double bytes);     /* "512 B", "1.50 KiB", "-12.3 MiB" */
void figure_number(struct strbuf *out, double number);   /* "7.25", "12,346", "1.23 M", "4.56 G" */
/* A cost in its unit: seconds, bytes, or the number of what is counted. */
void figure_cost(struct strbuf *out, double cost, const char *unit);
/* As figure_cost, with the word for what is counted: "1.23 M objects". A unit that is not a plain
 * word (it comes from a profile and is hostile) is left out. */
void figure_cost_of(struct strbuf *out, double cost, const char *unit);

/* A difference of costs, with its sign and two digits: "+48 ms", "-4.7 MiB", "+314 ms", "0 s"; what
 * is counted has all: "+1,234 objects". */
void figure_difference(struct strbuf *out, double difference, const char *unit);

/* Short, lower-case letters only: fit to be shown anywhere. */
bool figure_is_unit(const char *unit);

void figure_count(struct strbuf *out, uint64_t count); /* "1,234,567" */
/* "1 pair", "3 pairs". */
void figure_plural(struct strbuf *out, uint64_t count, const char *noun);

#endif
