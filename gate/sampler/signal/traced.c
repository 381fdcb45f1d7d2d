/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/traced.h"

#include <string.h>

#include "gate/sampler/raw.h"

bool fg_is_traced(void)
{
	static const char name[] = "\nTracerPid:\t";
	char status[1024] = ""; /* it stands near the beginning (proc_pid_status(5)) */
	int fd = fg_raw_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	const char *found;

	if (fd < 0)
		return false;
	if (fg_raw_read(fd, status, sizeof(status) - 1) <= 0)
		status[0] = '\0';
	fg_raw_close(fd);
	found = strstr(status, name);
	return found && found[sizeof(name) - 1] != '0';
}
