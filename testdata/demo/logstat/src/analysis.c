/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

#include "entropy.h"
#include "hash.h"
#include "ip.h"
#include "referrer.h"
#include "timestamp.h"

#define MAX_TEXT 1024
#define LIMIT_RATE 0.01
#define LIMIT_BURST 15

void analysis_init(struct analysis *analysis)
{
	memset(analysis, 0, sizeof(*analysis));
	table_init(&analysis->routes);
	table_init(&analysis->networks);
	table_init(&analysis->families);
	table_init(&analysis->systems);
	table_init(&analysis->parameters);
	table_init(&analysis->referrers);
	networks_init(&analysis->network_trie);
	agents_init(&analysis->agents);
	terms_init(&analysis->terms);
	sessions_init(&analysis->sessions);
	limiter_init(&analysis->limiter, LIMIT_RATE, LIMIT_BURST);
}

void analysis_release(struct analysis *analysis)
{
	table_release(&analysis->routes);
	table_release(&analysis->networks);
	table_release(&analysis->families);
	table_release(&analysis->systems);
	table_release(&analysis->parameters);
	table_release(&analysis->referrers);
	networks_release(&analysis->network_trie);
	terms_release(&analysis->terms);
	sessions_release(&analysis->sessions);
}

static struct route *route_of(struct table_entry *entry)
{
	if (entry->data == NULL)
		entry->data = calloc(1, sizeof(struct route));
	if (entry->data == NULL)
		abort();
	return entry->data;
}

void add_route(struct analysis *analysis, const struct request *request, struct span path,
	const struct record *record)
{
	char key[MAX_TEXT + 16];
	size_t length = request->method.length < 15 ? request->method.length : 15;

	memcpy(key, request->method.text, length);
	key[length++] = ' ';
	length += path_template(path, key + length, MAX_TEXT);
	struct table_entry *entry = table_get(&analysis->routes, key, length);
	struct route *route = route_of(entry);
	entry->count++;
	route->bytes += record->bytes;
	route->errors += record->status >= 500;
	histogram_add(&route->latency, record->milliseconds);
}

void add_query(struct analysis *analysis, struct span query)
{
	struct span key, value;
	char text[MAX_TEXT];

	while (query_next(&query, &key, &value)) {
		table_count(&analysis->parameters, key.text, key.length);
		size_t length = url_decode(value, 1, text, sizeof(text));
		analysis->secrets += (uint64_t)looks_random((struct span){text, length});
		analysis->cards += (uint64_t)looks_like_card((struct span){text, length});
		if (key.length == 1 && key.text[0] == 'q')
			terms_add(&analysis->terms, (struct span){text, length});
	}
}

void add_request(struct analysis *analysis, const struct record *record)
{
	struct request request;
	char path[MAX_TEXT];

	if (request_split(record->request, &request) != 0) {
		analysis->damaged++;
		return;
	}
	struct span decoded = {path, url_decode(request.path, 0, path, sizeof(path))};
	alerts_check(&analysis->alerts, decoded);
	add_route(analysis, &request, decoded, record);
	add_query(analysis, request.query);
}

static void count_name(struct table *table, const char *name)
{
	table_count(table, name, strlen(name));
}

void add_client(struct analysis *analysis, const struct record *record, int64_t milliseconds)
{
	uint32_t address, words;

	if (ip_parse(record->address, &address) != 0) {
		analysis->damaged++;
		return;
	}
	words = agent_scan(&analysis->agents, record->agent);
	count_name(&analysis->networks, network_find(&analysis->network_trie, address));
	count_name(&analysis->families, agent_family(words));
	count_name(&analysis->systems, agent_system(words));
	uint64_t client = hash_pair(address, hash_text(record->agent.text, record->agent.length));
	unique_add(&analysis->clients, client);
	session_touch(&analysis->sessions, client, milliseconds);
	limiter_allow(&analysis->limiter, client, milliseconds);
	heavy_update(&analysis->heavy, client, address, sketch_add(&analysis->requests_by_client, client));
}

void add_referrer(struct analysis *analysis, const struct record *record)
{
	if (record->referrer.length < 2)
		return;
	struct span domain = referrer_domain(record->referrer);
	if (domain.length > 0)
		table_count(&analysis->referrers, domain.text, domain.length);
}

void analysis_add(struct analysis *analysis, const struct record *record)
{
	int64_t milliseconds = timestamp_parse(record->time);

	if (milliseconds < 0 || record->status < 100 || record->status > 599) {
		analysis->damaged++;
		return;
	}
	analysis->by_status[record->status / 100]++;
	analysis->bytes += record->bytes;
	histogram_add(&analysis->latency, record->milliseconds);
	window_add(&analysis->window, milliseconds);
	add_client(analysis, record, milliseconds);
	add_request(analysis, record);
	add_referrer(analysis, record);
}

void analysis_finish(struct analysis *analysis)
{
	window_finish(&analysis->window);
	sessions_finish(&analysis->sessions);
}
