/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/arena.h"
#include "gate/base/file.h"
#include "gate/bench/block.h"
#include "gate/bench/fingerprint.h"
#include "gate/check/version.h"
#include "gate/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROBE_MS 500
#define GOOD_SHARE 0.95
#define GOOD_COVERAGE 0.9

struct doctor_settings {
	uint64_t burn_ms;
};

static const struct option_spec doctor_options_table[] = {
	{"burn", 0, OPTION_NUMBER, "MS",
		"only use CPU time for MS milliseconds: the program that doctor profiles",
		offsetof(struct doctor_settings, burn_ms)},
};

static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int burn(uint64_t milliseconds)
{
	volatile uint64_t sink = 0;

	while (cpu_ms() < milliseconds)
		for (unsigned i = 0; i < 100000; i++)
			sink += i;
	return 0;
}

static void show(const char *what, const char *value)
{
	printf("%-14s%s\n", what, value[0] ? value : "not readable");
}

static void show_machine(void)
{
	struct arena arena = ARENA_INIT;
	struct fingerprint fingerprint;

	fingerprint_read(&fingerprint, &arena);
	show("flamegate", FLAMEGATE_VERSION);
	show("cpu", fingerprint.cpu_model);
	show("cpus", arena_printf(&arena, "%u online, %u for us", fingerprint.cpus_online,
			     fingerprint.cpus_allowed));
	show("kernel", fingerprint.kernel);
	show("libc", fingerprint.libc);
	show("governor", fingerprint.governor);
	show("virtual", fingerprint.virtualization[0] ? fingerprint.virtualization : "no");
	show("perf_paranoid", fingerprint.perf_event_paranoid);
	show("environment", fingerprint_id(&fingerprint, &arena));
	arena_release(&arena);
}

static int show_git(void)
{
	const char *const argv[] = {"git", "--version", NULL};
	struct strbuf text = STRBUF_INIT;
	struct process_options options = {.argv = argv, .capture = &text, .capture_limit = 4096};
	struct process_result result;
	struct error err = {0};
	int rc = process_run(&options, &result, &err);

	if (!rc) {
		text.data[strcspn(text.data, "\n")] = '\0';
		show("git", text.data);
	} else {
		show("git", "missing: install it, check needs it for worktrees");
	}
	strbuf_release(&text);
	return rc;
}

static bool by_perf(const struct capture_set *captures)
{
	return captures->process_count && captures->processes[0].mechanism == CAPTURE_PERF;
}

static bool judge(const struct run *run)
{
	const struct capture_set *captures = &run->captures;
	double all = (double)(captures->samples + captures->lost);
	double share = all > 0 ? (double)captures->complete / all : 0;
	double coverage = run->cpu_seconds > 0 ? run->sampled_seconds / run->cpu_seconds : 0;

	printf("%-14s%s, %.0f samples per CPU second\n", "sampling",
		by_perf(captures) ? "perf task-clock, kernel time included" : "POSIX CPU timer",
		run->cpu_seconds > 0 ? (double)captures->samples / run->cpu_seconds : 0);
	printf("%-14s%.1f %% complete stacks, samples account for %.1f %% of the CPU time\n", "",
		100 * share, 100 * coverage);
	if (!by_perf(captures))
		puts("advice        sudo sysctl kernel.perf_event_paranoid=1 gives 997 Hz instead "
		     "of one "
		     "sample a kernel tick");
	return share >= GOOD_SHARE && coverage >= GOOD_COVERAGE;
}

static int probe(struct error *err)
{
	char self[4096], milliseconds[16];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *const argv[] = {self, "doctor", "--burn", milliseconds, NULL};
	struct run_options options = {
		.argv = argv, .env = (const char *const *)environ, .directory = "."};
	struct run run = {0};
	char *scratch = NULL;
	int rc;
	bool good = false;

	if (length <= 0)
		return error_set(err, ERR_IO, "cannot read /proc/self/exe");
	self[length] = '\0';
	snprintf(milliseconds, sizeof(milliseconds), "%d", PROBE_MS);
	rc = file_make_temp_dir(NULL, "flamegate-", &scratch, err);
	if (rc)
		return rc;
	options.scratch = scratch;
	rc = block_run(&options, &run, err);
	if (!rc)
		good = judge(&run);
	if (!rc && !good)
		rc = error_set(err, ERR_MEASURE, "sampling does not work well enough here");
	run_release(&run);
	file_remove_tree(scratch, err->code ? NULL : err);
	free(scratch);
	return rc;
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct doctor_settings *settings = data;
	char *library = NULL;

	if (operands[0]) {
		error_set(err, ERR_USAGE, "doctor takes no operands ('%s')", operands[0]);
		return -1;
	}
	if (settings->burn_ms)
		return burn(settings->burn_ms);
	show_machine();
	if (preload_library(&library, err))
		return -1;
	show("library", library);
	free(library);
	fflush(stdout);
	if (probe(err))
		return -1;
	if (show_git())
		return error_exit_status(ERR_TOOL);
	puts("This machine can measure.");
	return 0;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "what this machine can measure, and what to change",
	.operands = "",
	.text = "Shows the environment, profiles a small program of its own, and says how well "
		"that went.",
	.options = doctor_options_table,
	.option_count = sizeof(doctor_options_table) / sizeof(doctor_options_table[0]),
	.settings_size = sizeof(struct doctor_settings),
	.run = run,
};
