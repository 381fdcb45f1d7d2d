/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds a profile against the truth. Reads captures, the program's symbols (from nm, on stdin) and
 * "truth FUNCTION PERMILLE" lines, and prints for each of these functions what part of the weight
 * of their samples it has: a sample belongs to the function nearest to its leaf that is in the
 * list.
 *
 *	nm -n --defined-only PROGRAM | shares [-s SIGMAS] [-p POINTS] DIR TRUTHS
 *
 * Exit 1 when one is further from its truth than SIGMAS of the binomial error of so many samples
 * and POINTS per mille together, 3 when something cannot be read.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/profile/capture/capture_read.h"

#define MAX_FUNCTIONS 16

struct function {
	char name[64];
	unsigned long long start, limit;
	double truth, weight; /* per mille; ns */
};

static struct function functions[MAX_FUNCTIONS];
static size_t count;

static int read_truths(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (count < MAX_FUNCTIONS && sscanf(line, "truth %63s %lf", functions[count].name,
						     &functions[count].truth) == 2)
			count++;
	if (file)
		fclose(file);
	return count > 0;
}

/* In the order of their addresses: a symbol ends where the next one begins. */
static int read_symbols(void)
{
	struct function *open = NULL;
	char line[1024], name[512];
	unsigned long long address;
	size_t found = 0;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%llx %*c %511s", &address, name) != 2)
			continue;
		if (open && address > open->start) {
			open->limit = address;
			open = NULL;
		}
		for (size_t i = 0; i < count; i++)
			if (strcmp(functions[i].name, name) == 0) {
				functions[i].start = address;
				open = &functions[i];
				found++;
			}
	}
	return found == count;
}

static struct function *function_at(
	const struct capture_process *process, const struct capture_frame *frame)
{
	uint64_t address = frame->address - !frame->exact;

	if (frame->module == CAPTURE_NO_MODULE ||
		strcmp(process->modules[frame->module].path, process->executable) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (address >= functions[i].start && address < functions[i].limit)
			return &functions[i];
	return NULL;
}

/* The first frame is the interrupted instruction itself. */
static struct function *function_of(
	const struct capture_process *process, const struct capture_stack *stack)
{
	struct function *found = NULL;

	for (uint32_t i = 0; i < stack->depth && !found; i++) {
		struct capture_frame frame = stack->frames[i];

		frame.exact |= i == 0;
		found = function_at(process, &frame);
	}
	return found;
}

struct sums {
	double inside, outside, squares, samples;
};

static void add_process(const struct capture_process *process, struct sums *sums)
{
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *sample = &process->entries[i];
		struct function *function;

		if (sample->kind != CAPTURE_CPU)
			continue;
		function = function_of(process, &process->stacks[sample->stack]);
		sums->samples += (double)sample->count;
		if (!function) {
			sums->outside += (double)sample->sum;
			continue;
		}
		function->weight += (double)sample->sum;
		sums->inside += (double)sample->sum;
		sums->squares += sample->sum_squares;
	}
}

/* Kish's effective number of samples: what unequal weights leave of them. */
static int judge(const struct sums *sums, double sigmas, double points)
{
	double effective = sums->squares > 0 ? sums->inside * sums->inside / sums->squares : 0;
	int wrong = effective == 0;

	for (size_t i = 0; i < count; i++) {
		double truth = functions[i].truth / 1000;
		double share = sums->inside > 0 ? functions[i].weight / sums->inside : 0;
		double sigma = effective > 0 ? sqrt(truth * (1 - truth) / effective) : 1;
		int bad = fabs(share - truth) > sigmas * sigma + points / 1000;

		printf("share %s %.1f truth %.1f sigma %.1f%s\n", functions[i].name, share * 1000,
			functions[i].truth, sigma * 1000, bad ? " WRONG" : "");
		wrong |= bad;
	}
	printf("shares_samples %.0f\nshares_effective %.0f\nshares_outside_permille %.1f\n",
		sums->samples, effective,
		1000 * sums->outside / (sums->inside + sums->outside + 1));
	return wrong;
}

int main(int argc, char **argv)
{
	double sigmas = 4, points = 0;
	struct sums sums = {0};
	struct capture_set set;
	struct error err;
	int option;

	while ((option = getopt(argc, argv, "s:p:")) != -1) {
		if (option == 's')
			sigmas = strtod(optarg, NULL);
		else if (option == 'p')
			points = strtod(optarg, NULL);
		else
			return 2;
	}
	if (argc - optind != 2 || !read_truths(argv[optind + 1]) || !read_symbols()) {
		fprintf(stderr, "shares: wrong arguments, or a truth without a symbol\n");
		return 3;
	}
	if (capture_set_read(&set, argv[optind], NULL, &err) != ERR_OK) {
		fprintf(stderr, "shares: %s\n", err.message);
		return 3;
	}
	for (size_t i = 0; i < set.process_count; i++)
		add_process(&set.processes[i], &sums);
	capture_set_release(&set);
	return judge(&sums, sigmas, points);
}
