/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdio.h>

#include "timestamp.h"

/* "1.5 GiB" */
static const char *human_bytes(double bytes, char *text, size_t size)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	int unit = 0;

	for (; bytes >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	snprintf(text, size, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
	return text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_summary(const struct analysis *analysis)
{
	char text[32];

	printf("%llu requests, %llu damaged, %llu repeated, %s sent\n",
		(unsigned long long)analysis->lines, (unsigned long long)analysis->damaged,
		(unsigned long long)analysis->repeated,
		human_bytes(analysis->bytes, text, sizeof(text)));
	for (int i = 1; i < 6; i++)
		printf("%s%dxx %.2f %%", i == 1 ? "status: " : ", ", i,
			percent(analysis->by_status[i], analysis->lines));
	printf("\nlatency: mean %.2f ms, median %.2f, p95 %.2f, p99 %.2f, max %.2f\n",
		histogram_mean(&analysis->latency), histogram_quantile(&analysis->latency, 0.5),
		histogram_quantile(&analysis->latency, 0.95),
		histogram_quantile(&analysis->latency, 0.99), analysis->latency.max);
}

static void print_visits(const struct analysis *analysis)
{
	const struct sessions *sessions = &analysis->sessions;

	printf("clients: about %.0f; visits: %llu, %.1f %% of one request, median %.1f requests\n",
		unique_count(&analysis->clients), (unsigned long long)sessions->finished,
		percent(sessions->bounces, sessions->finished),
		histogram_quantile(&sessions->requests, 0.5));
}

static void print_times(const struct analysis *analysis)
{
	char text[32];
	const struct window *window = &analysis->window;

	timestamp_format(window->busiest_minute * 60000, text, sizeof(text));
	printf("busiest minute: %s with %llu requests; %llu bursts\n", text,
		(unsigned long long)window->busiest_count, (unsigned long long)window->bursts);
}

static void print_routes(const struct analysis *analysis, size_t top)
{
	const struct table_entry *rows[MAX_TOP];
	size_t count = table_top(&analysis->routes, rows, top);
	char text[32];

	printf("\n%10s %9s %9s %7s %10s  route\n", "requests", "p50 ms", "p99 ms", "errors", "sent");
	for (size_t i = 0; i < count; i++) {
		const struct route *route = rows[i]->data;

		printf("%10llu %9.2f %9.2f %6.2f%% %10s  %s\n", (unsigned long long)rows[i]->count,
			histogram_quantile(&route->latency, 0.5),
			histogram_quantile(&route->latency, 0.99),
			percent(route->errors, rows[i]->count),
			human_bytes(route->bytes, text, sizeof(text)), rows[i]->key);
	}
}

static void print_counts(const char *title, const struct table *table, size_t top)
{
	const struct table_entry *rows[MAX_TOP];
	size_t count = table_top(table, rows, top);

	printf("\n%s (%zu different)\n", title, table->count);
	for (size_t i = 0; i < count; i++)
		printf("%10llu  %s\n", (unsigned long long)rows[i]->count, rows[i]->key);
}

static void print_heavy(const struct analysis *analysis)
{
	const struct heavy *heavy = &analysis->heavy;
	int most = 0;

	for (int i = 1; i < HEAVY; i++)
		if (heavy->items[i].count > heavy->items[most].count)
			most = i;
	uint32_t address = heavy->items[most].address;
	printf("busiest client: %u.%u.%u.%u with about %u requests; a limit would refuse %llu\n",
		address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255,
		heavy->items[most].count, (unsigned long long)analysis->limiter.refused);
}

static void print_search(const struct analysis *analysis)
{
	const struct spelling *spelling = &analysis->terms.spelling;

	printf("search words: %llu known, %llu corrected, %llu unknown\n",
		(unsigned long long)spelling->known, (unsigned long long)spelling->corrected,
		(unsigned long long)spelling->unknown);
	printf("in queries: %llu look like secrets, %llu like card numbers\n",
		(unsigned long long)analysis->secrets, (unsigned long long)analysis->cards);
}

static void print_alerts(const struct analysis *analysis)
{
	printf("\nalerts\n");
	for (size_t i = 0; i < ALERT_RULES; i++)
		if (analysis->alerts.hits[i] > 0)
			printf("%10llu  %s\n", (unsigned long long)analysis->alerts.hits[i],
				alert_pattern(i));
}

void report_print(const struct analysis *analysis, const struct options *options)
{
	print_summary(analysis);
	print_visits(analysis);
	print_times(analysis);
	print_heavy(analysis);
	print_search(analysis);
	print_routes(analysis, options->top);
	print_counts("networks", &analysis->networks, options->top);
	print_counts("clients", &analysis->families, options->top);
	print_counts("systems", &analysis->systems, options->top);
	print_counts("parameters", &analysis->parameters, options->top);
	print_counts("referrers", &analysis->referrers, options->top);
	print_counts("search terms", &analysis->terms.counts, options->top);
	print_alerts(analysis);
}
