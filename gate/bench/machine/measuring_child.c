/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/measuring_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/base/error.h"

#define PATIENCE_S 60

static void child(
	int out, pid_t parent, void (*measure)(void *data, void *answer), void *data, size_t size)
{
	_Alignas(max_align_t) unsigned char answer[PIPE_BUF];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	alarm(PATIENCE_S);
	memset(answer, 0, sizeof(answer));
	measure(data, answer);
	_exit(write(out, answer, size) != (ssize_t)size);
}

static bool read_answer(int in, void *answer, size_t size)
{
	unsigned char bytes[PIPE_BUF];
	ssize_t got;

	do
		got = read(in, bytes, size);
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)size)
		return false;
	memcpy(answer, bytes, size);
	return true;
}

int measuring_child_run(void (*measure)(void *data, void *answer), void *data, void *answer,
	size_t size, const char *what, struct error *err)
{
	pid_t parent = getpid(), pid;
	bool answered;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_errno(err, ERR_IO, errno, "cannot measure what %s", what);
	pid = fork();
	if (pid == 0)
		child(ends[1], parent, measure, data, size);
	close(ends[1]);
	answered = pid > 0 && read_answer(ends[0], answer, size);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!answered)
		return error_set(
			err, ERR_IO, "cannot measure what %s: the child ended early", what);
	return ERR_OK;
}
