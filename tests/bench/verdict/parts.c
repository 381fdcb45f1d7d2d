/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/verdict/parts.h"

#include <stdio.h>
#include <unistd.h>

#define PART_BENCHMARKS 500
#define PATH_SIZE 4096

size_t parts_gates(const struct situation *situation, enum machine_noise noise, size_t divisor)
{
	if (situation->expected[noise] < 0)
		return 0;
	return (situation->gates + divisor - 1) / divisor;
}

bool parts_next(struct part *part, size_t divisor)
{
	const struct situation *situation = &situations[part->situation];
	size_t gates = parts_gates(situation, part->noise, divisor);

	part->first = part->end;
	part->end = part->first + PART_BENCHMARKS / situation->benchmarks;
	if (part->end > gates)
		part->end = gates;
	return part->first < part->end;
}

static void part_name(const struct part *part, char *name, size_t size)
{
	snprintf(name, size, "%zu.%d.%zu.%zu", part->situation, (int)part->noise, part->first,
		part->end);
}

void parts_list(size_t divisor)
{
	for (size_t i = 0; i < situation_count; i++)
		for (int noise = 0; noise < NOISE_COUNT; noise++) {
			struct part part = {.situation = i, .noise = (enum machine_noise)noise};

			while (parts_next(&part, divisor)) {
				char name[128];

				part_name(&part, name, sizeof(name));
				puts(name);
			}
		}
}

bool part_parse(const char *name, struct part *part)
{
	int noise, length = 0;

	if (sscanf(name, "%zu.%d.%zu.%zu%n", &part->situation, &noise, &part->first, &part->end,
		    &length) != 4 ||
		name[length] != '\0' || noise < 0 || noise >= NOISE_COUNT)
		return false;
	part->noise = (enum machine_noise)noise;
	return part->situation < situation_count && part->first < part->end;
}

static void part_path(const struct part *part, const char *folder, char *path)
{
	char name[128];

	part_name(part, name, sizeof(name));
	snprintf(path, PATH_SIZE, "%s/%s", folder, name);
}

/* Under another name first: a part that was stopped half-way is no part. */
bool part_write(const struct part *part, const char *folder, const struct tally *tally)
{
	char path[PATH_SIZE], draft[PATH_SIZE + 16];
	FILE *file;
	int written;

	part_path(part, folder, path);
	snprintf(draft, sizeof(draft), "%s.%d", path, (int)getpid());
	file = fopen(draft, "w");
	if (!file)
		return false;
	written = fprintf(file, "%zu %zu %zu %zu %zu %zu %zu %.17g\n", tally->gates, tally->failed,
		tally->undecided, tally->stage2, tally->right, tally->top3, tally->shifted,
		tally->planted);
	return (fclose(file) == 0) & (written > 0) && rename(draft, path) == 0;
}

bool part_add(const struct part *part, const char *folder, struct tally *tally)
{
	char path[PATH_SIZE];
	struct tally read;
	FILE *file;
	int fields;

	part_path(part, folder, path);
	file = fopen(path, "r");
	if (!file)
		return false;
	fields = fscanf(file, "%zu %zu %zu %zu %zu %zu %zu %lg", &read.gates, &read.failed,
		&read.undecided, &read.stage2, &read.right, &read.top3, &read.shifted,
		&read.planted);
	fclose(file);
	if (fields != 8)
		return false;
	tally->gates += read.gates;
	tally->failed += read.failed;
	tally->undecided += read.undecided;
	tally->stage2 += read.stage2;
	tally->right += read.right;
	tally->top3 += read.top3;
	tally->shifted += read.shifted;
	tally->planted += read.planted;
	return true;
}
