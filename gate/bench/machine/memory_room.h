/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory this process may still touch before the kernel ends it. A control group's limit
 * is not shown by malloc(): the pages are promised, and the process is killed when it uses them.
 */
#ifndef FG_BENCH_MEMORY_ROOM_H
#define FG_BENCH_MEMORY_ROOM_H

#include <stdint.h>

/* Bytes; UINT64_MAX where nothing is known. What the page cache holds counts as free. */
uint64_t memory_room(void);

/*
 * The same of other files: cgroup_root as /sys/fs/cgroup (version 1 or 2), cgroups as the text of
 * /proc/self/cgroup, meminfo as that of /proc/meminfo.
 */
uint64_t memory_room_of(const char *cgroup_root, const char *cgroups, const char *meminfo);

#endif
