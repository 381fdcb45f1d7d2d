/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two configurations, a line for each key and benchmark, for people. */
#include "gate/bench/config/config.h"

#include "gate/bench/config/config_schema.h"

#include <string.h>

static const void *field_of(const void *target, const struct config_key *key)
{
	return (const char *)target + key->offset;
}

/* label: how people call the key. */
static void describe_key(const struct config_key *key, const char *label, const void *before,
	const void *after, struct strbuf *lines)
{
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT;

	key->type->show(field_of(before, key), &old);
	key->type->show(field_of(after, key), &new);
	if (old.length != new.length || memcmp(old.data, new.data, old.length) != 0) {
		if (key->type->brief)
			strbuf_addf(lines, "%s: %s -> %s\n", label, old.data, new.data);
		else
			strbuf_addf(lines, "%s changed\n", label);
	}
	strbuf_release(&old);
	strbuf_release(&new);
}

/* Of an entry of a list, which is shown as a whole or, for benchmarks, one by one. */
static bool is_in_list(const struct config_key *key)
{
	return strchr(key->path, '[');
}

static bool is_in_benchmark(const struct config_key *key)
{
	return strncmp(key->path, CONFIG_IN_BENCHMARK, strlen(CONFIG_IN_BENCHMARK)) == 0;
}

static void describe_benchmark(const struct config_benchmark *before,
	const struct config_benchmark *after, struct strbuf *lines)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];
		struct strbuf label = STRBUF_INIT;

		if (!key->type->show || !is_in_benchmark(key))
			continue;
		strbuf_addf(&label, "benchmark %s: %s", before->name,
			key->path + strlen(CONFIG_IN_BENCHMARK));
		describe_key(key, label.data, before, after, lines);
		strbuf_release(&label);
	}
}

void config_describe_changes(
	const struct config *before, const struct config *after, struct strbuf *lines)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		if (key->type->show && !is_in_list(key))
			describe_key(key, key->path, before, after, lines);
	}
	for (size_t i = 0; i < before->benchmark_count; i++) {
		const struct config_benchmark *old = &before->benchmarks[i];
		const struct config_benchmark *new = config_find(after, old->name);

		if (new)
			describe_benchmark(old, new, lines);
		else
			strbuf_addf(lines, "benchmark %s: removed\n", old->name);
	}
	for (size_t i = 0; i < after->benchmark_count; i++) {
		if (!config_find(before, after->benchmarks[i].name))
			strbuf_addf(lines, "benchmark %s: added\n", after->benchmarks[i].name);
	}
}
