/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "baseline/store.h"
#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static const struct store_options options = {.timeout_ns = 0};

static void test_a_folder_is_opened_by_dir(void **state)
{
	struct scene *scene = *state;
	struct store *store = NULL;
	char url[4300];

	snprintf(url, sizeof(url), "dir:%s/", at(scene, "store"));
	assert_ok(scene, store_open(url, &options, &store, &scene->err));
	assert_contains(store_name(store), at(scene, "store"));
	assert_null(store_losses(store)[0]);
	assert_int_equal(store_warnings(store)->count, 0);
	store_close(store);
}

static void test_servers_are_opened_by_their_schemes(void **state)
{
	static const char *const urls[] = {"pyroscope://127.0.0.1:1", "pyroscopes://127.0.0.1:1",
		"parca://127.0.0.1:1", "parcas://127.0.0.1:1"};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct store *store = NULL;

		assert_ok(scene, store_open(urls[i], &options, &store, &scene->err));
		assert_contains(store_name(store), "127.0.0.1:1");
		assert_non_null(store_losses(store)[0]);
		store_close(store);
	}
}

static void test_what_names_no_store_is_refused(void **state)
{
	static const char *const urls[] = {"", "x", "dir", "dir:", "dirs:/x", "dir://x/y",
		"notes://host", "pyroscope:127.0.0.1", "pyroscope://", "parca:x", "http://x",
		"ext::sh -c id", "-x", "pyroscope://user:secret@127.0.0.1"};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct store *store = NULL;
		int rc = store_open(urls[i], &options, &store, &scene->err);

		if (rc != ERR_USAGE)
			fail_msg("%s gave %d", urls[i], rc);
		assert_null(store);
		assert_lacks(scene->err.message, "secret");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_a_folder_is_opened_by_dir),
		scene_test(test_servers_are_opened_by_their_schemes),
		scene_test(test_what_names_no_store_is_refused),
	};

	return cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
