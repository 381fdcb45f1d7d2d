/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/memory_room.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/strbuf.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)

/* What control groups of versions 1 and 2 call the same things. */
static const struct cgroup_layout {
	const char *folder, *entry; /* below the root; how its line in /proc/self/cgroup begins */
	const char *limit, *usage, *cache[2];
} layouts[] = {
	{"", "0::", "memory.max", "memory.current", {"inactive_file ", "active_file "}},
	{"/memory", ":memory:", "memory.limit_in_bytes", "memory.usage_in_bytes",
		{"total_inactive_file ", "total_active_file "}},
};

/* False for "max" and anything else that is no number. */
static bool parse(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 10);
	return true;
}

/* The number behind the key, at the start of a line; 0 if there is none. */
static uint64_t number_after(const char *text, const char *key)
{
	size_t length = strlen(key);
	uint64_t value = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, length))
			return parse(line + length + strspn(line + length, " "), &value) ? value
											 : 0;
	}
	return 0;
}

static bool read_file(const char *folder, const char *name, struct strbuf *content)
{
	char *path = file_join(folder, name);
	int rc;

	strbuf_reset(content);
	rc = file_read(path, MAX_FILE_BYTES, content, NULL);
	free(path);
	return rc == ERR_OK;
}

static uint64_t room_of_group(const struct cgroup_layout *layout, const char *folder)
{
	struct strbuf content = STRBUF_INIT;
	uint64_t limit, usage, cache = 0, room = UINT64_MAX;

	if (!read_file(folder, layout->limit, &content) || !parse(content.data, &limit) ||
		!read_file(folder, layout->usage, &content) || !parse(content.data, &usage))
		goto out;
	if (read_file(folder, "memory.stat", &content))
		cache = number_after(content.data, layout->cache[0]) +
			number_after(content.data, layout->cache[1]);
	usage -= cache < usage ? cache : usage;
	room = usage < limit ? limit - usage : 0;
out:
	strbuf_release(&content);
	return room;
}

/* Appends the group's path ("/a/b"), or nothing: a path that leads out of our view is no use. */
static bool find_group(const struct cgroup_layout *layout, const char *cgroups, struct strbuf *path)
{
	for (const char *line = cgroups; *line;
		line += strcspn(line, "\n"), line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		const char *found = memmem(line, length, layout->entry, strlen(layout->entry));

		if (!found || (*layout->entry == '0' && found != line))
			continue;
		found += strlen(layout->entry);
		if (!memmem(found, (size_t)(line + length - found), "..", 2))
			strbuf_add(path, found, (size_t)(line + length - found));
		return true;
	}
	return false;
}

/*
 * A group's limit holds for all below it. In a container the path may be the host's, of which we
 * see only the root: that is ours then.
 */
static uint64_t room_of_layout(
	const struct cgroup_layout *layout, const char *cgroup_root, const char *cgroups)
{
	struct strbuf folder = STRBUF_INIT;
	uint64_t room = UINT64_MAX;
	size_t root;

	strbuf_addf(&folder, "%s%s", cgroup_root, layout->folder);
	root = folder.length;
	if (!find_group(layout, cgroups, &folder))
		goto out;
	for (;;) {
		uint64_t here = room_of_group(layout, folder.data);

		room = here < room ? here : room;
		if (folder.length <= root)
			break;
		while (folder.length > root && folder.data[folder.length - 1] != '/')
			strbuf_truncate(&folder, folder.length - 1);
		strbuf_truncate(&folder, folder.length > root ? folder.length - 1 : root);
	}
out:
	strbuf_release(&folder);
	return room;
}

uint64_t memory_room_of(const char *cgroup_root, const char *cgroups, const char *meminfo)
{
	uint64_t available = number_after(meminfo, "MemAvailable:"), room = UINT64_MAX;

	if (available > 0)
		room = available * 1024;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		uint64_t here = room_of_layout(&layouts[i], cgroup_root, cgroups);

		room = here < room ? here : room;
	}
	return room;
}

uint64_t memory_room(void)
{
	struct strbuf cgroups = STRBUF_INIT, meminfo = STRBUF_INIT;
	uint64_t room;

	read_file("/proc/self", "cgroup", &cgroups);
	read_file("/proc", "meminfo", &meminfo);
	room = memory_room_of("/sys/fs/cgroup", cgroups.data, meminfo.data);
	strbuf_release(&cgroups);
	strbuf_release(&meminfo);
	return room;
}
