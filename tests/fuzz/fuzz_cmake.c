/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as CMake files, each ended by a byte 0: what is found names paths of the tree alone, within the limits. */
#include "gate/bench/cmake/cmake.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)128 * 1024 * 1024)

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Relative, without a part that leads upwards. */
static void check_path(const char *path)
{
	require(*path && *path != '/');
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		require(strncmp(at, "..", 2) != 0 || (at[2] && at[2] != '/'));
	}
}

static void check_site(const struct cmake_site *site)
{
	require(site->name && site->file && site->line && site->links && site->options);
	require(site->output == NULL || *site->output);
	if (site->output)
		check_path(site->output);
	for (const char *at = site->sources; at && *at;) {
		size_t length = strcspn(at, "\n");
		char *path = strndup(at, length);

		require(at[length] == '\n' && path);
		check_path(path);
		free(path);
		at += length + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {"CMakeLists.txt", "a/CMakeLists.txt", "a/b.cmake"};
	static const char *const folders[] = {".", "a", "a"};
	struct arena arena = ARENA_INIT;
	struct cmake_text texts[3];
	struct cmake_sites sites;
	char *text = malloc(size + 1);
	size_t count = 0, at = 0;

	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	for (; count < 3 && at <= size; count++) {
		texts[count] = (struct cmake_text){paths[count], folders[count], text + at};
		at += strlen(text + at) + 1;
	}
	cmake_read(&arena, texts, count, &sites);
	require(sites.count <= CMAKE_MAX_SITES && arena.used_bytes < MOST_BYTES);
	for (size_t i = 0; i < sites.count; i++)
		check_site(&sites.items[i]);
	arena_release(&arena);
	free(text);
	return 0;
}
