/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/conceal.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "gate/base/arena.h"

static char *take(char *entry)
{
	char *copy = xstrdup(entry);

	explicit_bzero(entry, strlen(entry));
	return copy;
}

/* The program's environment to its end: setenv() replaces environ, and the strings stay in use. */
static char **copies;

static void move_environment(void)
{
	size_t count = 0;

	while (environ && environ[count])
		count++;
	copies = xcalloc(count + 1, sizeof(*copies));
	for (size_t i = 0; i < count; i++)
		copies[i] = take(environ[i]);
	environ = copies;
}

void conceal_environment(void)
{
	move_environment();
	prctl(PR_SET_DUMPABLE, 0);
}
