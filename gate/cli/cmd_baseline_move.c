/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate baseline push | pull`: recordings into a store and out of it. */
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/output_folder.h"
#include "gate/cli/baseline_place.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RECORD "flamegate-record"
#define DEFAULT_PULL "flamegate-baseline"
#define SHORT_ID 12

struct move_settings {
	const char *directory, *store, *output, *commit;
	struct baseline_filter filter;
};

#define AT(member) offsetof(struct move_settings, member)
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- push ---------------------------------------------------------------------------------- */

/* "DIR" as record writes it, or the folder with the recordings itself. */
static int read_measurements(
	const char *folder, struct measurements **measurements, struct error *err)
{
	char *inner = file_join(folder, "recordings");
	char *marker = file_join(inner, MEASUREMENTS_FILE_NAME);
	int rc = measurements_read(file_exists(marker) ? inner : folder, measurements, err);

	if (rc == ERR_USAGE)
		error_set(err, rc, "%s holds no recordings: run `flamegate record` first", folder);
	if (!rc && strcmp((*measurements)->kind, "record") != 0) {
		rc = error_set(err, ERR_USAGE,
			"%s was written by `flamegate %s`: a baseline is made by `flamegate record`",
			folder, (*measurements)->kind);
		measurements_free(*measurements);
	}
	free(marker);
	free(inner);
	return rc;
}

/* CPU time and what was counted besides, benchmark by benchmark. */
static const struct recording **collect(const struct measurements *measurements, size_t *count)
{
	const struct recording **recordings = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < measurements->benchmark_count; i++) {
		const struct measured_benchmark *benchmark = &measurements->benchmarks[i];

		recordings = grow_array(recordings, &capacity,
			*count + benchmark->reference_count + 1, sizeof(*recordings));
		if (benchmark->head_only)
			recordings[(*count)++] = &benchmark->recordings[VERSION_HEAD];
		for (size_t k = 0; k < benchmark->reference_count; k++)
			if (benchmark->references[k].counted)
				recordings[(*count)++] = &benchmark->references[k].head;
	}
	return recordings;
}

/* What is wrong with one recording, or is too much of it for the store, says nothing of others. */
static bool is_unfit(int rc)
{
	return rc == ERR_MEASURE || rc == ERR_LIMIT || rc == ERR_CORRUPT || rc == ERR_USAGE;
}

static void tell_unfit(const struct recording *recording, const struct error *why)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s (%s) was not pushed: %s", recording->benchmark,
		recording->profile_type, why->message);
	output_progress(NULL, line.data);
	strbuf_release(&line);
}

/* One by one: *unfit are named. Where none gets there the reason is not theirs,
 * and is the error. */
static int put_each(struct store *store, const struct recording *const *recordings, size_t count,
	size_t *unfit, struct error *err)
{
	size_t refused = 0;
	struct error one = {0};

	for (size_t i = 0; i < count; i++) {
		int rc = store_put(store, &recordings[i], 1, NULL, &one);

		if (rc && !is_unfit(rc))
			return error_set(err, rc, "%s", one.message);
		if (rc) {
			tell_unfit(recordings[i], &one);
			refused++;
		}
	}
	if (refused == count)
		return error_set(err, one.code, "%s", one.message);
	*unfit += refused;
	return ERR_OK;
}

/* All at once, if the store takes them so. *unfit grows by those that it does not take. */
static int put(struct store *store, const struct measurements *measurements, size_t *unfit,
	struct error *err)
{
	size_t count, refused = 0;
	const struct recording **recordings = collect(measurements, &count);
	unsigned attempts = 1;
	int rc = count ? store_put(store, recordings, count, &attempts, err)
		       : error_set(err, ERR_MEASURE, "no benchmark was recorded: nothing to push");

	if (is_unfit(rc) && count > 1)
		rc = put_each(store, recordings, count, &refused, err);
	if (!rc)
		printf("%s: %zu baseline%s of %.*s pushed%s\n", store_name(store), count - refused,
			count - refused == 1 ? "" : "s", SHORT_ID, measurements->head.id,
			attempts > 1 ? " (after others who pushed at the same time)" : "");
	*unfit += refused;
	free(recordings);
	return rc;
}

/* A copy that fails is reported, but does not keep the others from being made. */
static int publish(const struct baseline_place *place, const struct measurements *measurements,
	struct error *err)
{
	int worst = ERR_OK;

	for (size_t i = 0; place->has_config && place->config.publish[i]; i++) {
		struct store *store = NULL;
		struct error lost = {0};
		size_t unfit = 0;
		int rc = baseline_place_store(place, place->config.publish[i], &store, &lost);

		if (!rc)
			rc = put(store, measurements, &unfit, &lost);
		if (!rc && unfit)
			rc = error_set(&lost, ERR_MEASURE, "%s lacks %zu baselines",
				store_name(store), unfit);
		if (rc)
			output_progress(NULL, lost.message);
		if (rc && !worst)
			worst = error_set(err, rc, "a copy was not published: %s", lost.message);
		store_close(store);
	}
	return worst;
}

/* What record could not measure: named again, as it is missing from what was pushed. */
static size_t tell_unrecorded(const struct measurements *measurements)
{
	size_t count = 0;

	for (size_t i = 0; i < measurements->benchmark_count; i++) {
		const struct measured_benchmark *benchmark = &measurements->benchmarks[i];
		struct strbuf line = STRBUF_INIT;

		if (benchmark->outcome != OUTCOME_ERROR)
			continue;
		strbuf_addf(&line, "%s was not recorded: %s", benchmark->name, benchmark->detail);
		output_progress(NULL, line.data);
		strbuf_release(&line);
		count++;
	}
	return count;
}

static int push(const struct baseline_place *place, const struct measurements *measurements,
	bool copies, struct error *err)
{
	size_t unfit = 0;
	int rc = put(place->store, measurements, &unfit, err);

	if (!rc && copies)
		rc = publish(place, measurements, err);
	unfit += tell_unrecorded(measurements);
	if (!rc && unfit)
		rc = error_set(err, ERR_MEASURE,
			"what could be was pushed; %zu more %s not recorded or not fit for the "
			"store (see above)",
			unfit, unfit == 1 ? "was" : "were");
	return rc;
}

/*
 * Recordings that come from elsewhere, such as another job's artifact, could name any commit, and
 * stand for it from then on.
 */
static int check_commit(const struct baseline_place *place, const struct measurements *measurements,
	const char *revision, struct error *err)
{
	char id[OBJECT_ID_SIZE];
	size_t count;
	const struct recording **recordings;
	int rc = baseline_place_commit(place, revision, id, err);

	if (rc)
		return rc;
	recordings = collect(measurements, &count);
	for (size_t i = 0; i < count && !rc; i++)
		if (strcmp(recordings[i]->commit, id) != 0)
			rc = error_set(err, ERR_CORRUPT,
				"'%s' was recorded of another commit (%.*s) "
				"than %.*s: nothing is pushed",
				recordings[i]->benchmark, SHORT_ID, recordings[i]->commit, SHORT_ID,
				id);
	free(recordings);
	return rc;
}

static int run_push(void *data, const char *const *operands, struct error *err)
{
	const struct move_settings *settings = data;
	struct measurements *measurements = NULL;
	struct baseline_place place;
	int rc;

	if (operands[0] && operands[1]) {
		error_set(err, ERR_USAGE, "baseline push wants one folder");
		return -1;
	}
	if (baseline_refuse_pull_request("pushed", err) ||
		read_measurements(operands[0] ? operands[0] : DEFAULT_RECORD, &measurements, err))
		return -1;
	rc = baseline_place_open(&place, settings->directory, settings->store, err);
	if (!rc && settings->commit)
		rc = check_commit(&place, measurements, settings->commit, err);
	if (!rc)
		rc = push(&place, measurements, !settings->store, err);
	fflush(stdout);
	baseline_place_close(&place);
	measurements_free(measurements);
	return rc ? -1 : 0;
}

static const struct option_spec push_options_table[] = {
	{"store", 0, OPTION_STRING, &argument_url,
		"the store (default: baseline.store and baseline.publish of "
		".flamegate.yml, else notes)",
		AT(store)},
	{"commit", 0, OPTION_STRING, &argument_revision,
		"refuse recordings of another commit (for recordings that come from elsewhere)",
		AT(commit)},
	{"directory", 'C', OPTION_STRING, &argument_folder, "the repository (default: here)",
		AT(directory)},
};

const struct command command_baseline_push = {
	.name = "baseline push",
	.summary = "keep what was recorded",
	.operands = "[DIR]",
	.operand = &argument_folder,
	.operand_count = 1,
	.text = "Puts the recordings of `flamegate record` (default: " DEFAULT_RECORD
		") into the store.\n"
		"What was not recorded, or does not fit into the store, is named: exit status 3, "
		"with all\n"
		"others pushed.\n"
		"Others may push at the same time; nothing is lost. Credentials for servers come "
		"from\n"
		"the environment: FLAMEGATE_TOKEN, or FLAMEGATE_USER and FLAMEGATE_PASSWORD.",
	.options = push_options_table,
	.option_count = COUNT(push_options_table),
	.settings_size = sizeof(struct move_settings),
	.run = run_push,
};

/* ---- pull ---------------------------------------------------------------------------------- */

/* A benchmark's name as a file name; the hash keeps different names apart. */
static char *folder_name(const struct baseline_key *key)
{
	static const char safe[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	struct strbuf name = STRBUF_INIT;
	size_t length = strlen(key->benchmark);
	uint64_t hash = hash_bytes(key->benchmark, length, 0) ^
			hash_bytes(key->environment, strlen(key->environment), 1);

	for (size_t i = 0; i < length && i < 60; i++)
		strbuf_addch(&name, strchr(safe, key->benchmark[i]) ? key->benchmark[i] : '_');
	strbuf_addf(&name, "-%08x-%s", (unsigned)hash, key->profile_type);
	return strbuf_detach(&name, NULL);
}

static int pull_one(
	void *data, struct store *store, const struct baseline_entry *entry, struct error *err)
{
	const char *folder = data;
	const struct baseline_key *key = &entry->key;
	struct recording recording;
	enum baseline_detail detail;
	char *name = NULL, *path = NULL;
	int rc = store_get(store, key, &recording, &detail, err);

	if (rc)
		return rc;
	/* It becomes part of a path: recording_read() has checked it, the list has not. */
	if (strcmp(recording.profile_type, key->profile_type) != 0)
		rc = error_set(
			err, ERR_CORRUPT, "the store lists another profile type than it has");
	name = folder_name(key);
	path = file_join(folder, name);
	if (!rc)
		rc = output_folder_prepare(folder, err);
	if (!rc && file_is_link(path))
		rc = error_set(
			err, ERR_USAGE, "%s is a symbolic link: nothing is written there", path);
	if (!rc)
		rc = recording_write(&recording, path, err);
	if (!rc)
		printf("%s\n", path);
	recording_release(&recording);
	free(name);
	free(path);
	return rc;
}

static int run_pull(void *data, const char *const *operands, struct error *err)
{
	const struct move_settings *settings = data;
	const char *folder = settings->output ? settings->output : DEFAULT_PULL;
	struct baseline_place place;
	int rc;

	if (operands[0] && operands[1]) {
		error_set(err, ERR_USAGE, "baseline pull wants one commit");
		return -1;
	}
	rc = baseline_place_open(&place, settings->directory, settings->store, err);
	if (!rc)
		rc = baseline_each(&place, operands[0], &settings->filter, pull_one,
			(void *)(uintptr_t)folder, err);
	fflush(stdout);
	baseline_place_close(&place);
	return rc ? -1 : 0;
}

static const struct option_spec pull_options_table[] = {
	{"store", 0, OPTION_STRING, &argument_url,
		"the store (default: baseline.store of .flamegate.yml, else notes)", AT(store)},
	{"output", 'o', OPTION_STRING, &argument_folder,
		"folder for the recordings (default: " DEFAULT_PULL ")", AT(output)},
	{"benchmark", 'B', OPTION_STRING, &argument_benchmark, "only this benchmark",
		AT(filter.benchmark)},
	{"type", 't', OPTION_STRING, &argument_type, "only this profile type", AT(filter.type)},
	{"environment", 'E', OPTION_STRING, &argument_environment, "only this environment",
		AT(filter.environment)},
	{"directory", 'C', OPTION_STRING, &argument_folder, "the repository (default: here)",
		AT(directory)},
};

const struct command command_baseline_pull = {
	.name = "baseline pull",
	.summary = "get a commit's recordings",
	.operands = "[COMMIT]",
	.operand = &argument_commit,
	.operand_count = 1,
	.text = "Writes the baselines of a commit (default: HEAD) as recordings, one folder each, "
		"and prints\n"
		"their paths: pprof files for any tool, and operands for `flamegate compare`.",
	.options = pull_options_table,
	.option_count = COUNT(pull_options_table),
	.settings_size = sizeof(struct move_settings),
	.run = run_pull,
};
