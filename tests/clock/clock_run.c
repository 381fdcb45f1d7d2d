/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_run record FOLDER SPEED COMMAND...   runs once, and keeps what its clocks said
 * clock_run replay FOLDER SPEED COMMAND...   runs once with that clock
 * clock_run step NANOSECONDS CPU_SECONDS COMMAND...   with one that goes on by so much at each call
 *
 * Prints "CPU seconds, wall seconds, calls, sequences, processes" and what the program printed; exit
 * status 3 and the reason where it cannot be done. SLOWDOWN=PART: of all code, as the work probe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/run/run.h"
#include "gate/bench/run/slowdown.h"

static int show(const struct run *run)
{
	struct strbuf text = STRBUF_INIT;
	struct error err;

	printf("%.3f %.3f %llu %u %u\n", run->cpu_seconds, (double)run->process.wall_ns / 1e9,
		(unsigned long long)run->clock.calls, run->clock.sequences, run->clock.processes);
	if (file_read(run->output_path, 1 << 20, &text, &err) == ERR_OK)
		fputs(text.data, stdout);
	strbuf_release(&text);
	return 0;
}

static struct run_clock clock_of(char **argv)
{
	if (strcmp(argv[1], "step") == 0)
		return (struct run_clock){.mode = RUN_CLOCK_STEPPED,
			.step_ns = strtoull(argv[2], NULL, 10),
			.most_cpu_ns = (uint64_t)(atof(argv[3]) * 1e9)};
	return (struct run_clock){
		.mode = strcmp(argv[1], "record") == 0 ? RUN_CLOCK_RECORD : RUN_CLOCK_REPLAY,
		.records = argv[2],
		.speed = (uint32_t)atoi(argv[3])};
}

static int run_once(char **argv, const char *scratch, struct arena *arena)
{
	struct run_clock clock = clock_of(argv);
	const struct slowdown_place everywhere = {NULL, 0, ""};
	const char *part = getenv("SLOWDOWN");
	struct run_options options = {.argv = (const char *const *)argv + 4,
		.scratch = scratch,
		.timeout_ns = 60000000000u,
		.slowdown = part ? slowdown_text(&everywhere, atof(part), arena) : NULL,
		.rate_hz = part ? SLOWDOWN_FINE_RATE_HZ : 0,
		.clock = &clock};
	struct error err = {0};
	struct run run = {0};
	/* What is there now is what is replayed. */
	int rc = clock.mode == RUN_CLOCK_REPLAY ? run_clock_seal(&clock, &err) : ERR_OK;

	if (!rc)
		rc = run_execute(&options, &run, &err);

	if (rc)
		printf("%s\n", err.message);
	else
		rc = show(&run);
	run_release(&run);
	return rc ? 3 : 0;
}

int main(int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct error err = {0};
	char *scratch = NULL;
	int status;

	if (argc < 5 || file_make_temp_dir(NULL, "clock-run-", &scratch, &err)) {
		fprintf(stderr, "clock_run record|replay FOLDER SPEED COMMAND...\n");
		return 2;
	}
	status = run_once(argv, scratch, &arena);
	file_remove_tree(scratch, NULL);
	free(scratch);
	arena_release(&arena);
	return status;
}
