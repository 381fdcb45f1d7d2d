/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "baseline/store_internal.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/recordings.h"
#include "tests/unit/bench/scene.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define OTHER_COMMIT "fedcba9876543210fedcba9876543210fedcba98"

static struct store *open_store(const struct scene *scene, const char *rest)
{
	struct store *store = xcalloc(1, sizeof(*store));
	struct error err;

	(void)scene;
	store->kind = &store_directory;
	if (store_directory.open(store, NULL, rest, &err))
		fail_msg("%s", err.message);
	return store;
}

static struct store *begin_store(const struct scene *scene)
{
	return open_store(scene, at(scene, "store"));
}

static struct recording make(const char *benchmark, const char *commit, int64_t time_ns)
{
	return recordings_make(&(struct recordings_options){.seed = (uint64_t)time_ns + 1,
		.nodes = 8,
		.rounds = 2,
		.round_seconds = 0.1,
		.benchmark = benchmark,
		.commit = commit,
		.time_ns = time_ns});
}

static void put(struct scene *scene, struct store *store, const struct recording *recording)
{
	unsigned attempts = 0;

	assert_ok(scene, store_put(store, &recording, 1, &attempts, &scene->err));
	assert_int_equal(attempts, 1);
}

static void put_new(struct scene *scene, struct store *store, const char *benchmark,
	const char *commit, int64_t time_ns)
{
	struct recording recording = make(benchmark, commit, time_ns);

	put(scene, store, &recording);
	recording_release(&recording);
}

/* The time of what is found, or -1. */
static int64_t get_time(struct scene *scene, struct store *store, const char *benchmark,
	const char *commit, enum baseline_detail *detail)
{
	struct baseline_key key = {commit, benchmark, "cpu", NULL};
	struct recording recording;
	int64_t time_ns;
	int rc = store_get(store, &key, &recording, detail, &scene->err);

	if (rc == ERR_NOT_FOUND)
		return -1;
	assert_ok(scene, rc);
	assert_int_equal(recording_check(&recording, NULL), ERR_OK);
	time_ns = recording.time_ns;
	recording_release(&recording);
	return time_ns;
}

static size_t count_entries(struct scene *scene, struct store *store)
{
	struct baseline_list list;
	size_t count;

	assert_ok(scene, store_list(store, NULL, true, &list, &scene->err));
	count = list.count;
	baseline_list_release(&list);
	return count;
}

/* How many names below the store match the shell pattern. */
static size_t count_names(const struct scene *scene, const char *pattern)
{
	char script[256];
	struct strbuf out = STRBUF_INIT;

	snprintf(script, sizeof(script), "find store -name '%s' | wc -l >count", pattern);
	sh(scene, script);
	assert_int_equal(file_read(at(scene, "count"), 100, &out, NULL), ERR_OK);
	size_t count = (size_t)strtoul(out.data, NULL, 10);
	strbuf_release(&out);
	return count;
}

static void test_a_recording_from_the_future_hides_no_other(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 1234567890);
	sh(scene, "cd store/" COMMIT " && for old in *; do new=${old%.*}.9000000000000000000 &&"
		  " mv \"$old\" \"$new\" && sed -i s/1234567890/9000000000000000000/ "
		  "\"$new\"/*.json &&"
		  " grep -q 9000000000000000000 \"$new\"/*.json; done");
	put_new(scene, store, "parse", COMMIT, 5);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 5);
	store_close(store);
}

static void test_what_is_put_comes_back_exactly(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct recording one = make("parse/\"large\"", COMMIT, 5), two;
	struct config_policy policy = config_policy_default();
	struct arena arena = ARENA_INIT;
	struct baseline_key key = {COMMIT, one.benchmark, "cpu", NULL};
	enum baseline_detail detail;

	one.policy.margin_total = 0.7;
	key.environment = recording_environment(&one, &arena);
	put(scene, store, &one);
	assert_ok(scene, store_get(store, &key, &two, &detail, &scene->err));
	assert_int_equal(detail, BASELINE_EXACT);
	assert_string_equal(two.benchmark, one.benchmark);
	assert_int_equal(two.profile->sample_count, one.profile->sample_count);
	assert_memory_equal(&two.policy, &policy, sizeof(policy));
	assert_memory_equal(two.rounds, one.rounds, 2 * sizeof(*one.rounds));
	assert_int_equal(count_names(scene, "cpu.pb.gz"), 1);
	assert_int_equal(count_names(scene, ".*"), 0);
	arena_release(&arena);
	recording_release(&one);
	recording_release(&two);
	store_close(store);
}

static void test_an_empty_store_has_nothing(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_verify_result verified = {9, 9, 9};
	const char *commits[] = {COMMIT};
	bool found = true;
	enum baseline_detail detail;

	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), -1);
	assert_contains(scene->err.message, "no cpu baseline of parse");
	assert_int_equal(count_entries(scene, store), 0);
	assert_ok(scene, store_find(store, commits, 1, &found, &scene->err));
	assert_false(found);
	assert_ok(scene, store_verify(store, &verified, &scene->err));
	assert_int_equal(verified.entries + verified.bad, 0);
	assert_int_equal(store_warnings(store)->count, 0);
	store_close(store);
}

static void test_only_a_newer_recording_replaces_one(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 100);
	put_new(scene, store, "parse", COMMIT, 99);
	assert_int_equal(count_names(scene, "recording.json"), 1);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 100);
	put_new(scene, store, "parse", COMMIT, 101);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 101);
	put_new(scene, store, "parse", COMMIT, 101);
	assert_int_equal(count_entries(scene, store), 1);
	assert_int_equal(count_names(scene, "recording.json"), 1);
	store_close(store);
}

static void test_names_that_look_alike_are_kept_apart(void **state)
{
	static const char *const names[] = {
		"a/b", "a_b", "a\nb", "../../a", ".", "", "a b", "A_B", "\xff", "\xfe"};
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	char long_name[2][301];
	enum baseline_detail detail;
	int64_t time_ns = 1;

	for (size_t i = 0; i < 2; i++) {
		memset(long_name[i], 'x', 300);
		long_name[i][299] = (char)('0' + i);
		long_name[i][300] = '\0';
		put_new(scene, store, long_name[i], COMMIT, (int64_t)i + 50);
	}
	for (size_t i = 0; i < 8; i++)
		if (*names[i])
			put_new(scene, store, names[i], COMMIT, time_ns++);
	time_ns = 1;
	for (size_t i = 0; i < 8; i++)
		if (*names[i])
			assert_int_equal(
				get_time(scene, store, names[i], COMMIT, &detail), time_ns++);
	assert_int_equal(get_time(scene, store, long_name[1], COMMIT, &detail), 51);
	assert_int_equal(count_entries(scene, store), 9);
	sh(scene, "test $(ls -A) = store || test \"$(ls -A | grep -v count)\" = store");
	store_close(store);
}

static void test_lists_are_newest_commit_first(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct baseline_list list;

	put_new(scene, store, "zip", COMMIT, 3);
	put_new(scene, store, "ast", COMMIT, 1);
	put_new(scene, store, "mid", OTHER_COMMIT, 2);
	assert_ok(scene, store_list(store, NULL, true, &list, &scene->err));
	assert_int_equal(list.count, 3);
	assert_string_equal(list.entries[0].key.benchmark, "ast");
	assert_string_equal(list.entries[1].key.benchmark, "zip");
	assert_string_equal(list.entries[2].key.benchmark, "mid");
	assert_int_equal(list.entries[0].rounds, 2);
	assert_int_equal(list.entries[0].detail, BASELINE_EXACT);
	assert_true(list.entries[0].cpu_seconds > 0.09 && list.entries[0].bytes > 1000);
	baseline_list_release(&list);
	assert_ok(scene, store_list(store, OTHER_COMMIT, false, &list, &scene->err));
	assert_int_equal(list.count, 1);
	baseline_list_release(&list);
	store_close(store);
}

static void test_commits_with_entries_are_found(void **state)
{
	static const char *const commits[] = {
		OTHER_COMMIT, COMMIT, "0000000000000000000000000000000000000000"};
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	bool found[3] = {true, false, true};

	put_new(scene, store, "parse", COMMIT, 3);
	sh(scene, "mkdir store/0000000000000000000000000000000000000000");
	assert_ok(scene, store_find(store, commits, 3, found, &scene->err));
	assert_false(found[0]);
	assert_true(found[1]);
	assert_false(found[2]);
	store_close(store);
}

static void test_environments_are_told_apart(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct recording other = recordings_make(&(struct recordings_options){
		.seed = 4, .nodes = 8, .commit = COMMIT, .time_ns = 9, .kernel = "Linux 7"});
	struct baseline_key key = {COMMIT, "parse", "cpu", "0000000000000000"};
	struct arena arena = ARENA_INIT;
	struct recording found;
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 10);
	put(scene, store, &other);
	assert_int_equal(store_get(store, &key, &found, &detail, &scene->err), ERR_NOT_FOUND);
	key.environment = recording_environment(&other, &arena);
	assert_ok(scene, store_get(store, &key, &found, &detail, &scene->err));
	assert_int_equal(found.time_ns, 9);
	recording_release(&found);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 10);
	arena_release(&arena);
	recording_release(&other);
	store_close(store);
}

/* ---- what others put there ------------------------------------------------------------------ */

/* After `script` the entry is no longer believed, and the warning says why. */
static void assert_distrusted(struct scene *scene, const char *script, const char *why)
{
	struct store *store = begin_store(scene);
	struct store_verify_result verified;
	enum baseline_detail detail;

	sh(scene, "rm -rf store elsewhere");
	put_new(scene, store, "parse", COMMIT, 5);
	put_new(scene, store, "other", COMMIT, 5);
	sh(scene, script);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), -1);
	assert_int_equal(get_time(scene, store, "other", COMMIT, &detail), 5);
	assert_int_equal(store_warnings(store)->count, 1);
	assert_contains(store_warnings(store)->items[0], why);
	assert_ok(scene, store_verify(store, &verified, &scene->err));
	assert_int_equal(verified.entries, 2);
	assert_int_equal(verified.bad, 1);
	store_close(store);
}

#define IN_PARSE "cd store/" COMMIT "/parse-*; "

static void test_damaged_and_foreign_folders_are_skipped(void **state)
{
	struct scene *scene = *state;

	assert_distrusted(scene, IN_PARSE "echo junk >recording.json", "recording.json");
	assert_distrusted(scene, IN_PARSE "echo junk >cpu.pb.gz", "cpu.pb.gz");
	assert_distrusted(scene, IN_PARSE "head -c 100 cpu.pb.gz >x; mv x cpu.pb.gz", "cpu.pb.gz");
	assert_distrusted(scene,
		IN_PARSE "cp ../other-*/cpu.pb.gz .; sed -i "
			 "'s/\"sampled_seconds\":[0-9.]*/\"sampled_seconds\":1/' "
			 "recording.json",
		"do not belong together");
	assert_distrusted(scene, IN_PARSE "rm cpu.pb.gz", "does not exist");
	assert_distrusted(scene, IN_PARSE "truncate -s 20M recording.json", "larger than");
	assert_distrusted(scene, IN_PARSE "sed -i s/Linux/Minix/ recording.json", "its name");
	assert_distrusted(scene, IN_PARSE "sed -i 's/\"5\"/\"6\"/' recording.json", "its name");
}

static void test_a_folder_of_another_commit_is_skipped(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 5);
	sh(scene, "cp -r store/" COMMIT " store/" OTHER_COMMIT);
	assert_int_equal(get_time(scene, store, "parse", OTHER_COMMIT, &detail), -1);
	assert_contains(store_warnings(store)->items[0], "copied from another commit");
	assert_int_equal(count_entries(scene, store), 1);
	store_close(store);
}

static void test_links_are_not_followed(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct recording recording = make("parse", OTHER_COMMIT, 5);
	const struct recording *list[] = {&recording};
	enum baseline_detail detail;

	assert_distrusted(scene,
		"d=$(echo store/" COMMIT "/parse-*); mv $d elsewhere; ln -s ../../elsewhere $d",
		"is no folder of ours");
	assert_distrusted(scene, IN_PARSE "mv recording.json x; ln -s x recording.json", "link");
	assert_distrusted(scene, IN_PARSE "mv cpu.pb.gz x; ln -s x cpu.pb.gz", "link");
	sh(scene, "rm -rf store elsewhere; mkdir store elsewhere; ln -s ../elsewhere "
		  "store/" OTHER_COMMIT);
	assert_int_equal(get_time(scene, store, "parse", OTHER_COMMIT, &detail), -1);
	assert_contains(store_warnings(store)->items[0], "links are not followed");
	assert_fails(scene, store_put(store, list, 1, NULL, &scene->err), ERR_CORRUPT, "link");
	sh(scene, "test -z \"$(ls -A elsewhere)\"");
	recording_release(&recording);
	store_close(store);
}

/* The newest of a key is what a check takes; an older one that is damaged is damaged all the same,
 * and one that is taken in place of a damaged one makes that no better. */
static void test_verify_reads_older_ones_too_and_names_the_rest(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_verify_result verified;
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 5);
	sh(scene, "cp -r store/" COMMIT " kept");
	put_new(scene, store, "parse", COMMIT, 6);
	sh(scene, "cp -r kept/* store/" COMMIT "/");
	assert_ok(scene, store_verify(store, &verified, &scene->err));
	assert_int_equal(verified.entries, 2);
	assert_int_equal(verified.bad, 0);
	assert_int_equal(verified.unread, 0);
	sh(scene, "cd store/" COMMIT "; set -- parse-*; echo junk >$2/cpu.pb.gz");
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 5);
	assert_ok(scene, store_verify(store, &verified, &scene->err));
	assert_int_equal(verified.bad, 1);
	sh(scene, "cd store/" COMMIT "; set -- parse-*; echo junk >$1/cpu.pb.gz; touch ../x");
	sh(scene, "mkdir elsewhere; ln -s ../elsewhere store/" OTHER_COMMIT);
	assert_ok(scene, store_verify(store, &verified, &scene->err));
	assert_int_equal(verified.entries, 2);
	assert_int_equal(verified.bad, 2);
	assert_int_equal(verified.unread, 2);
	store_close(store);
}

static void test_strange_names_are_skipped(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);

	put_new(scene, store, "parse", COMMIT, 5);
	sh(scene, "mkdir store/README store/" COMMIT "/x; touch store/" COMMIT "/parse-y;"
		  "mkfifo store/" COMMIT "/p.0000000000000000001; mkdir store/.flamegate-abc123");
	assert_int_equal(count_entries(scene, store), 1);
	assert_int_equal(store_warnings(store)->count, 4);
	store_close(store);
}

static void test_a_damaged_recording_is_put_anew(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 5);
	sh(scene, IN_PARSE "echo junk >cpu.pb.gz");
	put_new(scene, store, "parse", COMMIT, 5);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 5);
	assert_int_equal(count_names(scene, ".*"), 0);
	store_close(store);
}

static void test_a_store_that_cannot_be_is_refused(void **state)
{
	struct scene *scene = *state;
	struct store store = {.kind = &store_directory};

	put_file(scene, "file", "x");
	assert_fails(scene, store_directory.open(&store, NULL, "", &scene->err), ERR_USAGE, "dir:");
	assert_fails(scene, store_directory.open(&store, NULL, at(scene, "file"), &scene->err),
		ERR_USAGE, "not a folder");
	arena_release(&store.arena);
}

static void test_nothing_half_written_stays_after_a_failure(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct recording good = make("parse", COMMIT, 5), bad = make("render", OTHER_COMMIT, 5);
	const struct recording *both[] = {&good, &bad};

	sh(scene, "mkdir store; touch store/" OTHER_COMMIT);
	assert_fails(scene, store_put(store, both, 2, NULL, &scene->err), ERR_IO, "folder");
	assert_int_equal(count_names(scene, "*.*"), 0);
	recording_release(&good);
	recording_release(&bad);
	store_close(store);
}

/* ---- prune ----------------------------------------------------------------------------------- */

static const char *numbered_commit(struct arena *arena, int number)
{
	return arena_printf(arena, "%040d", number);
}

static void fill(struct scene *scene, struct store *store, struct arena *arena, int commits)
{
	for (int i = 0; i < commits; i++) {
		put_new(scene, store, "parse", numbered_commit(arena, i), 1000 + i);
		put_new(scene, store, "render", numbered_commit(arena, i), 1000 + i);
	}
}

static void test_prune_keeps_the_newest_and_summarises_the_rest(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_prune_result result;
	struct arena arena = ARENA_INIT;
	enum baseline_detail detail;

	fill(scene, store, &arena, 5);
	assert_ok(scene, store_prune(store, 2, false, &result, &scene->err));
	assert_int_equal(result.kept_full, 4);
	assert_int_equal(result.summarised, 6);
	assert_int_equal(result.dropped, 0);
	assert_true(result.bytes_after < result.bytes_before && result.bytes_after > 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(
			get_time(scene, store, "render", numbered_commit(&arena, i), &detail),
			1000 + i);
		assert_int_equal(detail, i < 3 ? BASELINE_SUMMARY : BASELINE_EXACT);
	}
	assert_int_equal(count_entries(scene, store), 10);
	assert_int_equal(count_names(scene, "cpu.pb.gz"), 4);
	assert_int_equal(count_names(scene, "summary"), 6);
	assert_ok(scene, store_prune(store, 2, false, &result, &scene->err));
	assert_int_equal(result.summarised, 0);
	assert_int_equal(store_warnings(store)->count, 0);
	arena_release(&arena);
	store_close(store);
}

static void test_prune_waits_until_it_is_worth_it(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_prune_result result = {9, 9, 9, 9, 9};
	struct arena arena = ARENA_INIT;

	fill(scene, store, &arena, 5);
	assert_ok(scene, store_prune(store, 4, true, &result, &scene->err));
	assert_int_equal(result.summarised + result.kept_full + result.bytes_before, 0);
	assert_int_equal(count_names(scene, "summary"), 0);
	assert_ok(scene, store_prune(store, 3, true, &result, &scene->err));
	assert_int_equal(result.summarised, 4);
	arena_release(&arena);
	store_close(store);
}

static void test_prune_drops_what_cannot_be_read(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_prune_result result;
	struct arena arena = ARENA_INIT;

	fill(scene, store, &arena, 2);
	sh(scene, "echo junk >$(echo store/0*0/parse-*/cpu.pb.gz); mkdir store/$(printf %040d "
		  "0)/mine; mkdir store/$(printf %040d 0)/.flamegate-old "
		  "store/$(printf %040d 0)/.flamegate-new; touch -d yesterday "
		  "store/$(printf %040d 0)/.flamegate-old");
	assert_ok(scene, store_prune(store, 1, false, &result, &scene->err));
	assert_int_equal(result.dropped, 1);
	assert_int_equal(result.summarised, 1);
	assert_int_equal(count_entries(scene, store), 3);
	assert_int_equal(count_names(scene, "mine"), 1);
	assert_int_equal(count_names(scene, ".flamegate-old"), 0);
	assert_int_equal(count_names(scene, ".flamegate-new"), 1);
	arena_release(&arena);
	store_close(store);
}

static void test_a_newer_recording_replaces_a_summary(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_prune_result result;
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 5);
	assert_ok(scene, store_prune(store, 0, false, &result, &scene->err));
	put_new(scene, store, "parse", COMMIT, 5);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 5);
	assert_int_equal(detail, BASELINE_SUMMARY);
	put_new(scene, store, "parse", COMMIT, 6);
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 6);
	assert_int_equal(detail, BASELINE_EXACT);
	store_close(store);
}

/* A crash between the two steps of summarising. */
static void test_a_summary_beside_its_recording_does_no_harm(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_prune_result result;
	enum baseline_detail detail;

	put_new(scene, store, "parse", COMMIT, 5);
	sh(scene, "cp -r store copy");
	assert_ok(scene, store_prune(store, 0, false, &result, &scene->err));
	sh(scene, "cp $(echo copy/*/parse*/cpu.pb.gz) $(echo store/*/parse*)");
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 5);
	assert_int_equal(detail, BASELINE_SUMMARY);
	sh(scene, "cp copy/*/parse*/* $(echo store/*/parse*)");
	assert_int_equal(get_time(scene, store, "parse", COMMIT, &detail), 5);
	assert_int_equal(detail, BASELINE_EXACT);
	store_close(store);
}

/* ---- many at once ---------------------------------------------------------------------------- */

#define WRITERS 16
#define ROUNDS 12

/* Puts ever newer recordings of one key, and one of its own; exits with what went wrong. */
static void write_many(const struct scene *scene, int writer, int done)
{
	char folder[4200], name[32];
	struct store *store;
	struct error err;

	snprintf(folder, sizeof(folder), "%s/store", scene->dir);
	snprintf(name, sizeof(name), "own-%d", writer);
	store = open_store(scene, folder);
	for (int i = 1; i <= ROUNDS; i++) {
		struct recording shared = make("shared", COMMIT, i * WRITERS + writer);
		struct recording own = make(name, COMMIT, i);
		const struct recording *both[] = {&shared, &own};

		if (store_put(store, both, 2, NULL, &err)) {
			fprintf(stderr, "# writer %d: %s\n", writer, err.message);
			_exit(1);
		}
		/* Told only after it is there: SIGKILL may come at any time. */
		if (write(done, &(int[2]){writer, i}, 2 * sizeof(int)) < 0)
			_exit(2);
		recording_release(&shared);
		recording_release(&own);
	}
	_exit(0);
}

static size_t read_until_done(struct scene *scene, struct store *store, pid_t *pids, int kill_some)
{
	int64_t last = -1;
	size_t reads = 0;
	uint64_t random = 3;
	int left = WRITERS, victims = kill_some ? WRITERS / 2 : 0;

	while (left) {
		enum baseline_detail detail;
		int64_t time_ns = get_time(scene, store, "shared", COMMIT, &detail);
		int status, victim = (int)recordings_below(&random, WRITERS);

		assert_true(time_ns >= last); /* never an older one, never none again */
		last = time_ns;
		reads++;
		if (victims && last >= 0 && !recordings_below(&random, 40) && pids[victim] > 0) {
			kill(pids[victim], SIGKILL);
			victims--;
		}
		for (int i = 0; i < WRITERS; i++)
			if (pids[i] > 0 && waitpid(pids[i], &status, WNOHANG) == pids[i]) {
				assert_true(kill_some || (WIFEXITED(status) && !status));
				assert_false(WIFEXITED(status) && WEXITSTATUS(status));
				pids[i] = 0;
				left--;
			}
	}
	return reads;
}

static void race(struct scene *scene, int kill_some)
{
	struct store *store = begin_store(scene);
	int done[2], report[2], newest[WRITERS] = {0};
	pid_t pids[WRITERS];
	size_t reads;

	assert_int_equal(pipe2(done, O_CLOEXEC | O_NONBLOCK), 0);
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			write_many(scene, i, done[1]);
	}
	reads = read_until_done(scene, store, pids, kill_some);
	while (read(done[0], report, sizeof(report)) == sizeof(report))
		newest[report[0]] = report[1];
	for (int i = 0; i < WRITERS; i++) {
		char name[32];
		enum baseline_detail detail;

		snprintf(name, sizeof(name), "own-%d", i);
		assert_true(get_time(scene, store, name, COMMIT, &detail) >=
			    (newest[i] ? newest[i] : -1));
		assert_true(kill_some || newest[i] == ROUNDS);
	}
	print_message("# %zu reads beside %d writers%s\n", reads, WRITERS,
		kill_some ? ", some of them killed" : "");
	assert_int_equal(store_warnings(store)->count, 0);
	close(done[0]);
	close(done[1]);
	store_close(store);
}

static void test_readers_beside_16_writers_see_whole_recordings(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	enum baseline_detail detail;

	race(scene, 0);
	assert_int_equal(
		get_time(scene, store, "shared", COMMIT, &detail), ROUNDS * WRITERS + WRITERS - 1);
	assert_int_equal(count_names(scene, ".*"), 0);
	store_close(store);
}

static void test_writers_that_are_killed_leave_nothing_half(void **state)
{
	struct scene *scene = *state;
	struct store *store = begin_store(scene);
	struct store_verify_result verified;

	race(scene, 1);
	assert_ok(scene, store_verify(store, &verified, &scene->err));
	assert_true(verified.entries > WRITERS / 2);
	assert_int_equal(verified.bad, 0);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_a_recording_from_the_future_hides_no_other),
		scene_test(test_what_is_put_comes_back_exactly),
		scene_test(test_an_empty_store_has_nothing),
		scene_test(test_only_a_newer_recording_replaces_one),
		scene_test(test_names_that_look_alike_are_kept_apart),
		scene_test(test_lists_are_newest_commit_first),
		scene_test(test_commits_with_entries_are_found),
		scene_test(test_environments_are_told_apart),
		scene_test(test_damaged_and_foreign_folders_are_skipped),
		scene_test(test_a_folder_of_another_commit_is_skipped),
		scene_test(test_links_are_not_followed),
		scene_test(test_verify_reads_older_ones_too_and_names_the_rest),
		scene_test(test_strange_names_are_skipped),
		scene_test(test_a_damaged_recording_is_put_anew),
		scene_test(test_a_store_that_cannot_be_is_refused),
		scene_test(test_nothing_half_written_stays_after_a_failure),
		scene_test(test_prune_keeps_the_newest_and_summarises_the_rest),
		scene_test(test_prune_waits_until_it_is_worth_it),
		scene_test(test_prune_drops_what_cannot_be_read),
		scene_test(test_a_newer_recording_replaces_a_summary),
		scene_test(test_a_summary_beside_its_recording_does_no_harm),
		scene_test(test_readers_beside_16_writers_see_whole_recordings),
		scene_test(test_writers_that_are_killed_leave_nothing_half),
	};

	return cmocka_run_group_tests_name("directory", tests, NULL, NULL);
}
