/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_instructions ENGINE COMMAND...: counts a command's instructions once, in a fresh folder of
 * TMPDIR, and prints "name value" lines: the totals, what each function costs by itself and with
 * what it calls, and what is said about it. The command's output goes to $OUTPUT if that is set.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"
#include "gate/bench/instructions/instructions.h"
#include "gate/profile/pprof.h"

struct cost {
	int64_t self, total;
	size_t seen; /* 1 + the last sample that it was counted for */
};

static void add_sample(const struct profile *profile, size_t index, struct cost *costs)
{
	const struct profile_sample *sample = &profile->samples[index];

	for (uint32_t d = 0; d < sample->depth; d++) {
		const struct profile_location *location = &profile->locations[sample->locations[d]];
		struct cost *cost = &costs[location->lines[0].function];

		if (d == 0)
			cost->self += sample->values[0];
		if (cost->seen != index + 1)
			cost->total += sample->values[0];
		cost->seen = index + 1;
	}
}

static void print_profile(const struct profile *profile)
{
	struct cost *costs = xcalloc(profile->function_count + 1, sizeof(*costs));
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		add_sample(profile, i, costs);
		sum += profile->samples[i].values[0];
	}
	printf("profile %" PRId64 "\nsamples %zu\nfunctions %zu\n", sum, profile->sample_count,
		profile->function_count);
	for (size_t i = 0; i < profile->function_count; i++) {
		const char *name = profile->functions[i].name;

		printf("self:%s %" PRId64 "\ntotal:%s %" PRId64 "\nfile:%s %s\n", name,
			costs[i].self, name, costs[i].total, name, profile->functions[i].file);
	}
	for (size_t i = 0; i < profile->comment_count; i++)
		printf("comment %s\n", profile->comments[i]);
	free(costs);
}

static void print_run(const struct instructions_run *run)
{
	struct strbuf text = STRBUF_INIT;

	instructions_left_out(run, &text);
	printf("engine %s\ninstructions %" PRIu64 "\nprocesses %zu\nlost %zu\nrandomized %d\n"
	       "wall_ms %" PRIu64 "\nleft_out %s\n",
		instructions_engine_name(run->engine), run->instructions, run->process_count,
		run->lost, run->randomized, run->process.wall_ns / 1000000, text.data);
	for (size_t i = 0; i < run->process_count; i++)
		printf("process %" PRIu64 " %s\n", run->processes[i].instructions,
			run->processes[i].program);
	strbuf_release(&text);
}

static void keep_output(const struct instructions_run *run)
{
	const char *path = getenv("OUTPUT");
	struct strbuf text = STRBUF_INIT;

	if (path && run->output_path &&
		file_read(run->output_path, (size_t)64 << 20, &text, NULL) == ERR_OK)
		file_write(path, text.data, text.length, NULL);
	strbuf_release(&text);
}

static int count(const char *name, const char *const *argv, struct error *err)
{
	struct run_options options = {.argv = argv};
	struct instructions_run run = {0};
	struct profile *profile = profile_new();
	enum instructions_engine engine;
	int rc = instructions_choose(name, true, &engine, err);

	if (!rc) {
		rc = instructions_run(&options, engine, &run, err);
		keep_output(&run);
	}
	if (!rc)
		rc = instructions_profile(&run, 0, NULL, profile, err);
	if (!rc) {
		print_run(&run);
		print_profile(profile);
		if (getenv("PPROF"))
			rc = pprof_write_file(profile, getenv("PPROF"), err);
	}
	instructions_run_release(&run);
	profile_free(profile);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err;

	if (argc < 3)
		return 2;
	process_init();
	if (count(argv[1], (const char *const *)argv + 2, &err) == ERR_OK)
		return 0;
	printf("error %s\n", err.message);
	return 3;
}
