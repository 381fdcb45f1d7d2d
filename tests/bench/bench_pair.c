/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What taking turns gains: SD of log(T1/T0) of pairs of one and the same program, as whole runs in
 * random order, and in turns of 20, 30 and 100 ms, standing still by SIGSTOP or parked in the
 * sample handler; how much the idle version ran on; what the turns cost in CPU and elapsed time;
 * and the increase of the total that 16 + 24 such pairs detect. The cells take turns pair by pair,
 * so that the machine's moods meet all alike.
 *
 *	bench_pair FOLDER [pairs]
 *
 * Each pair is one line in FOLDER/pair.csv: stopped and started again it goes on where it was.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/process.h"
#include "gate/bench/run/pair.h"
#include "gate/verdict/estimate/mde.h"

#define PAIRS 20
#define MS UINT64_C(1000000)
#define ARGUMENTS 6

/* About one CPU second each: a tight loop, an interpreter, and much memory. */
static const struct program {
	const char *name, *argv[ARGUMENTS];
} programs[] = {
	{"gzip", {"gzip", "-6c", "text", NULL}},
	{"python3", {"python3", "-c",
			    "d = {}\nfor i in range(2500000): d[i % 5003] = d.get(i % 4999, 0) + i",
			    NULL}},
	{"sort", {"sort", "--parallel=1", "-S", "200M", "text", NULL}},
};
#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static const struct cell {
	const char *name;
	uint64_t slice_ns; /* 0: whole runs */
	enum pair_way way;
} cells[] = {
	{"whole runs", 0, PAIR_PARK},
	{"SIGSTOP 20 ms", 20 * MS, PAIR_STOP},
	{"SIGSTOP 30 ms", 30 * MS, PAIR_STOP},
	{"SIGSTOP 100 ms", 100 * MS, PAIR_STOP},
	{"parked 20 ms", 20 * MS, PAIR_PARK},
	{"parked 30 ms", 30 * MS, PAIR_PARK},
	{"parked 100 ms", 100 * MS, PAIR_PARK},
};
#define CELLS (sizeof(cells) / sizeof(cells[0]))

/* Sums over one cell's pairs; the file is read back for it. */
struct sums {
	unsigned pairs;
	double sum, squares; /* of log(T1/T0) */
	double idle_seconds, cpu_seconds, wall_seconds;
	unsigned leaks;
};

static struct sums table[PROGRAMS][CELLS];

struct pair {
	double cpu_seconds[2], idle_seconds, wall_seconds;
	unsigned leaks;
};

static void add_to(struct sums *sums, const struct pair *pair)
{
	double ratio = log(pair->cpu_seconds[1] / pair->cpu_seconds[0]);

	sums->pairs++;
	sums->sum += ratio;
	sums->squares += ratio * ratio;
	sums->idle_seconds += pair->idle_seconds;
	sums->cpu_seconds += pair->cpu_seconds[0] + pair->cpu_seconds[1];
	sums->wall_seconds += pair->wall_seconds;
	sums->leaks += pair->leaks;
}

/* A line that a kill has cut is not counted. */
static void read_back(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned program, cell;
	struct pair pair;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%u,%u,%lf,%lf,%lf,%lf,%u;", &program, &cell, &pair.cpu_seconds[0],
			    &pair.cpu_seconds[1], &pair.idle_seconds, &pair.wall_seconds,
			    &pair.leaks) == 7 &&
			strchr(line, ';') && program < PROGRAMS && cell < CELLS)
			add_to(&table[program][cell], &pair);
	if (file)
		fclose(file);
}

static void write_line(const char *path, size_t program, size_t cell, const struct pair *pair)
{
	FILE *file = fopen(path, "ae");

	if (!file)
		return;
	fprintf(file, "\n%zu,%zu,%.9f,%.9f,%.9f,%.9f,%u;", program, cell, pair->cpu_seconds[0],
		pair->cpu_seconds[1], pair->idle_seconds, pair->wall_seconds, pair->leaks);
	fclose(file);
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Lines of words that neither compress nor sort at once; the same everywhere. */
static int make_text(const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t state = 88172645463325252ULL;
	int rc;

	while (text.length < 14000000) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		strbuf_addf(&text, "%llu %llx word%llu\n", (unsigned long long)(state % 100000),
			(unsigned long long)(state >> 40), (unsigned long long)(state % 777));
	}
	rc = file_write(path, text.data, text.length, err);
	strbuf_release(&text);
	return rc;
}

static int run_whole(
	const struct run_options *options, unsigned number, struct run runs[2], struct error *err)
{
	int first = (int)(number & 1);
	int rc = run_execute(options, &runs[first], err);

	return rc ? rc : run_execute(options, &runs[!first], err);
}

static int run_in_turns(const struct run_options *options, const struct cell *cell, unsigned number,
	struct run runs[2], struct pair *out, struct error *err)
{
	const struct run_options both[2] = {*options, *options};
	const struct pair_options pair = {
		.slice_ns = cell->slice_ns, .seed = number + 1, .way = cell->way};
	struct pair_report report;
	int rc = pair_run(both, &pair, runs, &report, err);

	for (int version = 0; version < 2; version++) {
		out->idle_seconds += (double)report.versions[version].idle_cpu_ns / 1e9;
		out->leaks += report.versions[version].leaks;
	}
	return rc;
}

static int run_pair(const struct run_options *options, const struct cell *cell, unsigned number,
	struct pair *out, struct error *err)
{
	struct run runs[2] = {{0}};
	double start = seconds_now();
	int rc = cell->slice_ns ? run_in_turns(options, cell, number, runs, out, err)
				: run_whole(options, number, runs, err);

	out->wall_seconds = seconds_now() - start;
	for (int version = 0; version < 2; version++) {
		out->cpu_seconds[version] = runs[version].cpu_seconds;
		run_release(&runs[version]);
	}
	return rc;
}

static double deviation(const struct sums *sums)
{
	double n = sums->pairs, mean = sums->sum / n;

	return n > 1 ? sqrt((sums->squares - n * mean * mean) / (n - 1)) : NAN;
}

static double detectable(const struct sums *sums, const struct cell *cell)
{
	const struct verdict_total_power total = {.n = {16, 24},
		.alpha = {0.01, 0.01},
		.deviation = deviation(sums),
		.margin = cell->slice_ns ? 0.005 : 0.01};

	return mde_total(&total);
}

/* Of a whole run's, in per cent more. */
static double more(double seconds, const struct sums *sums, double whole, const struct sums *wholes)
{
	return 100 * (seconds / sums->pairs / (whole / wholes->pairs) - 1);
}

static void show_row(const char *program, const struct cell *cell, const struct sums *sums,
	const struct sums *whole)
{
	printf("| %s | %s | %u | %.2f %% | %+.2f ± %.2f %% | %.2f %% | %u | %+.1f %% | %+.0f %% | "
	       "+%.1f %% |\n",
		program, cell->name, sums->pairs, 100 * deviation(sums),
		100 * sums->sum / sums->pairs, 100 * deviation(sums) / sqrt(sums->pairs),
		100 * sums->idle_seconds / sums->cpu_seconds, sums->leaks,
		more(sums->cpu_seconds, sums, whole->cpu_seconds, whole),
		more(sums->wall_seconds, sums, whole->wall_seconds, whole),
		100 * detectable(sums, cell));
}

static void show(void)
{
	printf("| program | run as | pairs | SD of log(T1/T0) | its mean | "
	       "idle version's CPU time | leaks | CPU time | elapsed | detectable |\n"
	       "|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t p = 0; p < PROGRAMS; p++)
		for (size_t c = 0; c < CELLS; c++)
			if (table[p][c].pairs)
				show_row(programs[p].name, &cells[c], &table[p][c], &table[p][0]);
}

static int run_all(const char *folder, unsigned pairs, const char *csv, struct error *err)
{
	cpu_set_t cpu;
	int rc = ERR_OK;

	run_choose_cpus(1, 1, &cpu);
	for (unsigned number = 0; number < pairs; number++)
		for (size_t i = 0; i < PROGRAMS * CELLS && !rc; i++) {
			size_t p = i / CELLS, c = i % CELLS;
			struct run_options options = {.argv = programs[p].argv,
				.directory = folder,
				.scratch = folder,
				.cpus = &cpu};
			struct pair pair = {0};

			if (table[p][c].pairs > number)
				continue;
			rc = run_pair(&options, &cells[c], number, &pair, err);
			if (rc) {
				error_prefix(err, "%s, %s", programs[p].name, cells[c].name);
				continue;
			}
			add_to(&table[p][c], &pair);
			write_line(csv, p, c, &pair);
		}
	return rc;
}

int main(int argc, char **argv)
{
	unsigned pairs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : PAIRS;
	char folder[PATH_MAX], csv[PATH_MAX + 16], text[PATH_MAX + 16];
	struct error err;
	int rc;

	process_init();
	if (argc < 2 || file_mkdirs(argv[1], &err) || !realpath(argv[1], folder)) {
		fprintf(stderr, "usage: bench_pair FOLDER [pairs]\n");
		return 2;
	}
	snprintf(csv, sizeof(csv), "%s/pair.csv", folder);
	snprintf(text, sizeof(text), "%s/text", folder);
	read_back(csv);
	rc = make_text(text, &err);
	if (!rc)
		rc = run_all(folder, pairs, csv, &err);
	show();
	if (rc)
		fprintf(stderr, "bench_pair: %s\n", err.message);
	return rc ? error_exit_status(rc) : 0;
}
