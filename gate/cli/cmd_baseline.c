/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate baseline list | show | prune | verify`; push and pull are in cmd_baseline_move.c. */
#include "gate/base/error.h"
#include "gate/bench/config/config.h"
#include "gate/bench/machine/calibration.h"
#include "gate/bench/recording/recording.h"
#include "gate/cli/baseline_place.h"
#include "gate/cli/commands.h"
#include "gate/compare/comparison.h"
#include "gate/net/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_ID 12
#define SHOWN_FUNCTIONS 15
#define MAX_KEEP 100000

struct baseline_settings {
	const char *directory, *store;
	struct baseline_filter filter;
	bool json, if_needed;
	uint64_t keep;
};

#define AT(member) offsetof(struct baseline_settings, member)
#define STORE_OPTION                                                                               \
	{                                                                                          \
		"store", 0, OPTION_STRING, &argument_url,                                          \
			"the store (default: baseline.store of .flamegate.yml, else notes)",       \
			AT(store)                                                                  \
	}
#define DIRECTORY_OPTION                                                                           \
	{                                                                                          \
		"directory", 'C', OPTION_STRING, &argument_folder,                                 \
			"the repository (default: here)", AT(directory)                            \
	}
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int no_more(const char *const *operands, size_t at, const char *verb, struct error *err)
{
	if (!operands[0] || (at && !operands[at]))
		return ERR_OK;
	return error_set(err, ERR_USAGE, "baseline %s: what is '%s'?", verb, operands[at]);
}

/* ---- list ---------------------------------------------------------------------------------- */

static void print_entry(const struct baseline_entry *entry)
{
	struct strbuf name = STRBUF_INIT, type = STRBUF_INIT, environment = STRBUF_INIT;

	printf("%-*.*s  %-24s  %-13s  %-16s  %-7s  %3zu  %8.3f s  %s\n", SHORT_ID, SHORT_ID,
		entry->key.commit, baseline_plain(&name, entry->key.benchmark),
		baseline_plain(&type, entry->key.profile_type),
		baseline_plain(&environment, entry->key.environment),
		baseline_detail_text(entry->detail), entry->rounds, entry->cpu_seconds,
		baseline_time_text(entry->time_ns));
	strbuf_release(&name);
	strbuf_release(&type);
	strbuf_release(&environment);
}

static void print_table(const struct baseline_list *list)
{
	printf("%-*s  %-24s  %-13s  %-16s  %-7s  %3s  %10s  %s\n", SHORT_ID, "commit", "benchmark",
		"type", "environment", "kept", "runs", "CPU", "recorded");
	for (size_t i = 0; i < list->count; i++)
		print_entry(&list->entries[i]);
}

static void print_json(const struct baseline_list *list)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer json;

	json_writer_init(&json, &text, 1);
	json_array_begin(&json);
	for (size_t i = 0; i < list->count; i++) {
		const struct baseline_entry *entry = &list->entries[i];

		json_object_begin(&json);
		json_member_string(&json, "commit", entry->key.commit);
		json_member_string(&json, "benchmark", entry->key.benchmark);
		json_member_string(&json, "profile_type", entry->key.profile_type);
		json_member_string(&json, "environment", entry->key.environment);
		json_member_string(&json, "detail", baseline_detail_text(entry->detail));
		json_member_uint64(&json, "rounds", entry->rounds);
		json_member_double(&json, "cpu_seconds", entry->cpu_seconds);
		json_member_int64(&json, "time", entry->time_ns / 1000000000);
		json_member_uint64(&json, "bytes", entry->bytes);
		json_object_end(&json);
	}
	json_array_end(&json);
	puts(text.data);
	strbuf_release(&text);
}

static int run_list(void *data, const char *const *operands, struct error *err)
{
	const struct baseline_settings *settings = data;
	struct baseline_place place;
	struct baseline_list list = {.arena = ARENA_INIT};
	char id[OBJECT_ID_SIZE];
	int rc = no_more(operands, 1, "list", err);

	if (rc)
		return -1;
	rc = baseline_place_open(&place, settings->directory, settings->store, err);
	if (!rc && operands[0])
		rc = baseline_place_commit(&place, operands[0], id, err);
	if (!rc)
		rc = store_list(place.store, operands[0] ? id : NULL, true, &list, err);
	if (!rc && settings->json)
		print_json(&list);
	else if (!rc && list.count)
		print_table(&list);
	else if (!rc)
		printf("%s: no baselines\n", store_name(place.store));
	if (!rc)
		baseline_list_release(&list);
	fflush(stdout);
	baseline_place_close(&place);
	return rc ? -1 : 0;
}

static const struct option_spec list_options_table[] = {
	STORE_OPTION,
	{"json", 0, OPTION_FLAG, NULL, "as JSON, one array", AT(json)},
	DIRECTORY_OPTION,
};

const struct command command_baseline_list = {
	.name = "baseline list",
	.summary = "what a store holds",
	.operands = "[COMMIT]",
	.operand = &argument_commit,
	.operand_count = 1,
	.text = "Lists the baselines of a commit, or of all: benchmark, profile type, environment, "
		"and how\nmuch of each is kept.",
	.options = list_options_table,
	.option_count = COUNT(list_options_table),
	.settings_size = sizeof(struct baseline_settings),
	.run = run_list,
};

/* ---- show ---------------------------------------------------------------------------------- */

struct hot {
	const char *name, *file;
	int64_t line;
	double self;
};

static int by_cost(const void *left, const void *right)
{
	const struct hot *a = left, *b = right;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void print_totals(const struct recording *recording)
{
	double sum = 0, squares = 0, count = (double)recording->round_count, mean, sd;

	for (size_t i = 0; i < recording->round_count; i++) {
		double seconds = recording->rounds[i].cpu_seconds;

		sum += seconds;
		squares += seconds * seconds;
	}
	mean = count > 0 ? sum / count : 0;
	sd = count > 1 ? sqrt(fmax(0, (squares - count * mean * mean) / (count - 1))) : 0;
	printf("  %zu runs, %.4f CPU seconds each, spread %.1f %%\n", recording->round_count, mean,
		mean > 0 ? 100 * sd / mean : 0);
}

static void print_calibration(const struct calibration *calibration)
{
	if (!(calibration->ns[0] > 0))
		return;
	printf("  machine:");
	for (size_t i = 0; i < CALIBRATION_COUNT; i++)
		printf(" %s %.3g ns", calibration_names[i], calibration->ns[i]);
	putchar('\n');
}

/* Self cost by function, hottest first; malloc'd. */
static struct hot *hot_functions(const struct recording *recording, int type, size_t *count)
{
	const struct profile *profile = recording->profile;
	struct hot *hot = xcalloc(profile->function_count + 1, sizeof(*hot));

	for (size_t i = 0; i < profile->function_count; i++)
		hot[i] = (struct hot){.name = profile->functions[i].name,
			.file = profile->functions[i].file,
			.line = profile->functions[i].start_line};
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf =
			sample->depth ? &profile->locations[sample->locations[0]] : NULL;

		if (leaf && leaf->line_count)
			hot[leaf->lines[0].function].self += (double)sample->values[type];
	}
	*count = profile->function_count;
	qsort(hot, *count, sizeof(*hot), by_cost);
	return hot;
}

static void print_functions(const struct recording *recording)
{
	int type = recording_value_type(recording);
	struct strbuf name = STRBUF_INIT, file = STRBUF_INIT;
	size_t count = 0;
	struct hot *hot = type >= 0 ? hot_functions(recording, type, &count) : NULL;
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += hot[i].self;
	for (size_t i = 0; i < count && i < SHOWN_FUNCTIONS && hot[i].self > 0; i++)
		printf("  %5.1f %%  %s  %s:%lld\n", 100 * hot[i].self / all,
			baseline_plain(&name, hot[i].name), baseline_plain(&file, hot[i].file),
			(long long)hot[i].line);
	strbuf_release(&name);
	strbuf_release(&file);
	free(hot);
}

static int show_one(
	void *data, struct store *store, const struct baseline_entry *entry, struct error *err)
{
	struct recording recording;
	enum baseline_detail detail;
	struct strbuf text = STRBUF_INIT;
	int rc = store_get(store, &entry->key, &recording, &detail, err);

	(void)data;
	if (rc)
		return rc;
	printf("%s of %.*s, %s (%s), recorded %s\n", baseline_plain(&text, entry->key.benchmark),
		SHORT_ID, entry->key.commit, entry->key.profile_type, baseline_detail_text(detail),
		baseline_time_text(recording.time_ns));
	printf("  environment %s: %s\n", entry->key.environment,
		baseline_plain(&text, recording.fingerprint.cpu_model));
	printf("  kernel %s\n", baseline_plain(&text, recording.fingerprint.kernel));
	if (recording.fingerprint.compiler[0])
		printf("  built with %s\n", baseline_plain(&text, recording.fingerprint.compiler));
	print_calibration(&recording.calibration);
	print_totals(&recording);
	print_functions(&recording);
	recording_release(&recording);
	strbuf_release(&text);
	return ERR_OK;
}

static int run_show(void *data, const char *const *operands, struct error *err)
{
	const struct baseline_settings *settings = data;
	struct baseline_place place;
	int rc = no_more(operands, 1, "show", err);

	if (rc)
		return -1;
	rc = baseline_place_open(&place, settings->directory, settings->store, err);
	if (!rc)
		rc = baseline_each(&place, operands[0], &settings->filter, show_one, NULL, err);
	fflush(stdout);
	baseline_place_close(&place);
	return rc ? -1 : 0;
}

static const struct option_spec show_options_table[] = {
	STORE_OPTION,
	{"benchmark", 'B', OPTION_STRING, &argument_benchmark, "only this benchmark",
		AT(filter.benchmark)},
	{"type", 't', OPTION_STRING, &argument_type, "only this profile type", AT(filter.type)},
	{"environment", 'E', OPTION_STRING, &argument_environment, "only this environment",
		AT(filter.environment)},
	DIRECTORY_OPTION,
};

const struct command command_baseline_show = {
	.name = "baseline show",
	.summary = "one commit's baselines in detail",
	.operands = "[COMMIT]",
	.operand = &argument_commit,
	.operand_count = 1,
	.text = "Shows where and when a commit (default: HEAD) was recorded, its totals, and its "
		"hottest\n"
		"functions.",
	.options = show_options_table,
	.option_count = COUNT(show_options_table),
	.settings_size = sizeof(struct baseline_settings),
	.run = run_show,
};

/* ---- prune --------------------------------------------------------------------------------- */

static int run_prune(void *data, const char *const *operands, struct error *err)
{
	const struct baseline_settings *settings = data;
	struct baseline_place place;
	struct store_prune_result result = {0};
	int rc = no_more(operands, 0, "prune", err);

	if (!rc)
		rc = baseline_refuse_pull_request("pruned", err);
	if (!rc && settings->keep > MAX_KEEP)
		rc = error_set(err, ERR_USAGE, "--keep is at most %d", MAX_KEEP);
	if (rc)
		return -1;
	rc = baseline_place_open(&place, settings->directory, settings->store, err);
	if (!rc) {
		size_t keep = settings->keep     ? settings->keep
			      : place.has_config ? place.config.keep
						 : 100;

		rc = store_prune(place.store, keep, settings->if_needed, &result, err);
	}
	if (!rc && !result.kept_full && !result.summarised && !result.dropped)
		printf("%s: nothing to prune\n", store_name(place.store));
	else if (!rc)
		printf("%s: %zu kept in full, %zu as summaries, %zu dropped\n",
			store_name(place.store), result.kept_full, result.summarised,
			result.dropped);
	fflush(stdout);
	baseline_place_close(&place);
	return rc ? -1 : 0;
}

static const struct option_spec prune_options_table[] = {
	STORE_OPTION,
	{"keep", 'k', OPTION_NUMBER, &argument_number,
		"commits with full call trees (default: baseline.keep, else 100)", AT(keep)},
	{"if-needed", 0, OPTION_FLAG, NULL, "only where the store has grown enough to be worth it",
		AT(if_needed)},
	DIRECTORY_OPTION,
};

const struct command command_baseline_prune = {
	.name = "baseline prune",
	.summary = "make a store smaller",
	.operands = "",
	.text = "Keeps full call trees of the newest commits and the hottest functions of older "
		"ones. A\n"
		"notes ref is rewritten, so that the old blobs can go.",
	.options = prune_options_table,
	.option_count = COUNT(prune_options_table),
	.settings_size = sizeof(struct baseline_settings),
	.run = run_prune,
};

/* ---- verify -------------------------------------------------------------------------------- */

static void print_verified(const char *store, const struct store_verify_result *result)
{
	printf("%s: %zu baseline%s read, %zu bad", store, result->entries,
		result->entries == 1 ? "" : "s", result->bad);
	if (result->unread)
		printf("; %zu other record%s could not be read", result->unread,
			result->unread == 1 ? "" : "s");
	putchar('\n');
}

static int run_verify(void *data, const char *const *operands, struct error *err)
{
	const struct baseline_settings *settings = data;
	struct baseline_place place;
	struct store_verify_result result = {0};
	int rc = no_more(operands, 0, "verify", err);

	if (rc)
		return -1;
	rc = baseline_place_open(&place, settings->directory, settings->store, err);
	if (!rc)
		rc = store_verify(place.store, &result, err);
	if (!rc)
		print_verified(store_name(place.store), &result);
	if (!rc && result.bad + result.unread)
		rc = error_set(err, ERR_CORRUPT,
			"%zu of %zu records of %s cannot be used (see above)",
			result.bad + result.unread, result.entries + result.unread,
			store_name(place.store));
	fflush(stdout);
	baseline_place_close(&place);
	return rc ? -1 : 0;
}

static const struct option_spec verify_options_table[] = {
	STORE_OPTION,
	DIRECTORY_OPTION,
};

const struct command command_baseline_verify = {
	.name = "baseline verify",
	.summary = "read and check all of a store",
	.operands = "",
	.text = "Reads every baseline and checks it. Exit status 3 if one cannot be used, or if "
		"something\n"
		"else lies there that could not be read: each is named.",
	.options = verify_options_table,
	.option_count = COUNT(verify_options_table),
	.settings_size = sizeof(struct baseline_settings),
	.run = run_verify,
};
