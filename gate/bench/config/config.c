/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/config/config_schema.h"

static const char *const no_strings[] = {NULL};

struct config_policy config_policy_default(void)
{
	struct arena arena = ARENA_INIT;
	struct error err;
	const struct config_reader reader = {&arena, "defaults", &err};
	struct config config = {.setup = no_strings};

	/* The table's defaults parse: a test says so. */
	config_fill_defaults(&reader, "policy.", &config);
	arena_release(&arena);
	return config.policy;
}

/* First of all: another version's keys would only confuse. */
static int read_version(
	const struct config_reader *reader, const struct yaml_node *root, struct config *config)
{
	for (size_t i = 0; root->kind == YAML_MAP && i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		if (strcmp(key->path, "version") != 0)
			continue;
		for (const struct yaml_node *name = root->first; name; name = name->next->next) {
			if (strcmp(name->text, key->path) == 0)
				return key->type->parse(
					reader, name->next, key->path, &config->version);
		}
	}
	return ERR_OK;
}

static bool names_store(const struct yaml_node *root)
{
	for (const struct yaml_node *name = root->first; name; name = name->next->next)
		if (strcmp(name->text, "baseline") == 0)
			return true;
	return false;
}

int config_parse(struct config *config, const char *text, size_t length, const char *origin,
	struct error *err)
{
	struct config fresh = {.arena = ARENA_INIT};
	struct error ignored;
	const struct config_reader reader = {&fresh.arena, origin, err ? err : &ignored};
	struct yaml_node *root;
	int rc;

	fresh.origin = arena_strdup(&fresh.arena, origin);
	rc = config_fill_defaults(&reader, "", &fresh);
	if (!rc)
		rc = yaml_read(&reader, text, length, &root);
	if (!rc)
		rc = read_version(&reader, root, &fresh);
	if (!rc)
		rc = config_read_map(&reader, root, "", &fresh);
	if (!rc)
		fresh.has_store = names_store(root);
	if (rc)
		arena_release(&fresh.arena);
	else
		*config = fresh;
	return rc;
}

int config_read_file(struct config *config, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = file_read(path, CONFIG_MAX_BYTES, &text, err);

	if (rc == ERR_LIMIT)
		rc = error_set(err, ERR_CONFIG, "%s:1:1: the file is larger than %d bytes", path,
			CONFIG_MAX_BYTES);
	if (!rc)
		rc = config_parse(config, text.data, text.length, path, err);
	strbuf_release(&text);
	return rc;
}

void config_release(struct config *config)
{
	arena_release(&config->arena);
	*config = (struct config){.arena = ARENA_INIT};
}

const struct config_benchmark *config_find(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->benchmark_count; i++) {
		if (strcmp(config->benchmarks[i].name, name) == 0)
			return &config->benchmarks[i];
	}
	return NULL;
}

bool config_may_have(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->benchmark_count; i++) {
		const struct config_benchmark *entry = &config->benchmarks[i];
		size_t length = strlen(entry->name);

		if (strncmp(entry->name, name, length) == 0 &&
			(!name[length] || (name[length] == '/' && name[length + 1] &&
						  entry->harness != CONFIG_HARNESS_NONE)))
			return true;
	}
	return false;
}
