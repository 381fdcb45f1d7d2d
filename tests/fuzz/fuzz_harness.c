/* SPDX-License-Identifier: Apache-2.0 */
/* What a harness's program might print: the first byte chooses who reads the rest. */
#include "gate/bench/harness/harness_parse.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_names(const struct harness_names *names)
{
	require(names->count <= HARNESS_MAX_BENCHMARKS);
	for (size_t i = 0; i < names->count; i++) {
		size_t length = strlen(names->items[i]);

		require(length > 0 && length <= HARNESS_MAX_NAME_BYTES);
		require(!strchr(names->items[i], '\n') && !strchr(names->items[i], '\033'));
		require(map_get_str(&names->known, names->items[i]) == i);
	}
}

static void read_names(harness_names_reader *read, const char *text, size_t size)
{
	struct harness_names names;
	struct error err = {0};
	int rc;

	harness_names_init(&names);
	rc = read(text, size, &names, &err);
	require(rc == ERR_OK || rc == ERR_LIMIT || rc == ERR_CORRUPT);
	check_names(&names);
	harness_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static harness_names_reader *const readers[] = {harness_read_lines, harness_read_catch2,
		harness_read_rust, harness_read_tree, harness_read_go_runs, harness_read_go_list};
	static harness_count_reader *const counts[] = {
		harness_count_google, harness_count_divan, harness_count_go};
	const size_t reader_count = sizeof(readers) / sizeof(readers[0]);
	const size_t count_count = sizeof(counts) / sizeof(counts[0]);
	size_t choice;

	if (!size)
		return 0;
	choice = data[0] % (reader_count + count_count);
	if (choice < reader_count)
		read_names(readers[choice], (const char *)data + 1, size - 1);
	else
		counts[choice - reader_count]((const char *)data + 1, size - 1);
	return 0;
}
