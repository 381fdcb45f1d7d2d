/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as .flamegate.yml: an answer with a position, or a configuration that is sound. */
#include "gate/bench/config/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_benchmark(const struct config_benchmark *benchmark)
{
	require(benchmark->argv[0] && *benchmark->argv[0]);
	require(*benchmark->name && *benchmark->slug && !strchr(benchmark->slug, '/'));
	require(*benchmark->directory != '/' && strcmp(benchmark->directory, "..") != 0);
	require(benchmark->timeout_ns > 0);
	require((benchmark->work == CONFIG_WORK_ITERATIONS) == !!benchmark->iterations_file);
}

static void check_config(const struct config *config)
{
	struct strbuf lines = STRBUF_INIT;

	require(config->version == 1 && config->benchmark_count > 0);
	require(config->setup && config->build && config->env && config->pass);
	require(config->policy.stage1_pairs >= 8 && config->policy.margin_total <= 1);
	for (size_t i = 0; i < config->benchmark_count; i++)
		check_benchmark(&config->benchmarks[i]);
	config_describe_changes(config, config, &lines);
	require(lines.length == 0);
	strbuf_release(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config config;
	struct error err = {0};
	int rc = config_parse(&config, (const char *)data, size, "f", &err);

	if (rc) {
		require(rc == ERR_CONFIG && err.code == ERR_CONFIG);
		require(strncmp(err.message, "f:", 2) == 0 && !strchr(err.message, '\033'));
		return 0;
	}
	check_config(&config);
	config_release(&config);
	return 0;
}
