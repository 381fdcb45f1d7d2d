/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store from a script, with synthetic recordings:
 *
 *   push_records put FOLDER STORE SEED COMMIT...     one recording of benchmark "bench-SEED" each;
 *                                                    prints "attempts N"
 *   push_records get FOLDER STORE COMMIT BENCHMARK   prints "N rounds, DETAIL"
 *   push_records list FOLDER STORE [COMMIT]          prints "COMMIT BENCHMARK DETAIL" lines
 *   push_records prune FOLDER STORE KEEP             prints what it did
 *   push_records verify FOLDER STORE
 *
 * Exit status as flamegate's; 0 of put means: it is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/store.h"
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "tests/unit/baseline/recordings.h"

static const char *const details[] = {"exact", "tree", "summary", "server"};

static int put(struct store *store, char **arguments, struct error *err)
{
	struct recording recordings[64];
	const struct recording *list[64];
	size_t count = 0;
	unsigned attempts = 0;
	char name[64];
	int rc;

	snprintf(name, sizeof(name), "bench-%s", arguments[0]);
	for (char **commit = arguments + 1; *commit && count < 64; commit++, count++) {
		struct recordings_options options = {
			.seed = strtoull(arguments[0], NULL, 10),
			.benchmark = name,
			.commit = *commit,
		};

		recordings[count] = recordings_make(&options);
		list[count] = &recordings[count];
	}
	rc = store_put(store, list, count, &attempts, err);
	if (!rc)
		printf("attempts %u\n", attempts);
	while (count)
		recording_release(&recordings[--count]);
	return rc;
}

static int get(struct store *store, char **arguments, struct error *err)
{
	struct baseline_key key = {arguments[0], arguments[1], RECORDING_TYPE_CPU, NULL};
	struct recording recording;
	enum baseline_detail detail;
	int rc = store_get(store, &key, &recording, &detail, err);

	if (rc)
		return rc;
	printf("%zu rounds, %s\n", recording.round_count, details[detail]);
	recording_release(&recording);
	return ERR_OK;
}

static int list(struct store *store, char **arguments, struct error *err)
{
	struct baseline_list found;
	int rc = store_list(store, arguments[0], true, &found, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < found.count; i++)
		printf("%s %s %s\n", found.entries[i].key.commit, found.entries[i].key.benchmark,
			details[found.entries[i].detail]);
	baseline_list_release(&found);
	return ERR_OK;
}

static int prune(struct store *store, char **arguments, struct error *err)
{
	struct store_prune_result result;
	int rc = store_prune(store, strtoul(arguments[0], NULL, 10), false, &result, err);

	if (!rc)
		printf("%zu full, %zu summarised, %zu dropped, %zu bytes were %zu\n",
			result.kept_full, result.summarised, result.dropped, result.bytes_after,
			result.bytes_before);
	return rc;
}

static int verify(struct store *store, char **arguments, struct error *err)
{
	struct store_verify_result result;
	int rc = store_verify(store, &result, err);

	(void)arguments;
	if (!rc)
		printf("%zu entries, %zu bad\n", result.entries, result.bad);
	return rc;
}

static const struct {
	const char *name;
	int arguments;
	int (*run)(struct store *, char **, struct error *);
} commands[] = {
	{"put", 2, put},
	{"get", 2, get},
	{"list", 0, list},
	{"prune", 1, prune},
	{"verify", 0, verify},
};

static int run(int index, char **argv, struct error *err)
{
	struct store_options options = {0};
	struct store *store;
	int rc = repo_open(argv[2], &options.repo, err);

	if (rc)
		return rc;
	rc = store_open(argv[3], &options, &store, err);
	if (!rc) {
		rc = commands[index].run(store, argv + 4, err);
		for (size_t i = 0; i < store_warnings(store)->count; i++)
			fprintf(stderr, "warning: %s\n", store_warnings(store)->items[i]);
		store_close(store);
	}
	repo_free(options.repo);
	return rc;
}

int main(int argc, char **argv)
{
	struct error err;
	int rc;

	process_init();
	for (int i = 0; i < (int)(sizeof(commands) / sizeof(*commands)); i++) {
		if (argc < 4 + commands[i].arguments || strcmp(argv[1], commands[i].name) != 0)
			continue;
		rc = run(i, argv, &err);
		if (rc)
			fprintf(stderr, "push_records: %s\n", err.message);
		return rc ? error_exit_status(rc) : 0;
	}
	fprintf(stderr, "usage: see the head of push_records.c\n");
	return 2;
}
