/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's end: starts the child, exchanges bytes with a deadline, and sees how it ended. */
#include "gate/profile/symbolize/symbolize_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/process/process.h"

#define SECOND_NS UINT64_C(1000000000)
#define POLL_MS 200    /* how soon a signal to us is noticed at the latest */
#define LEAST_SHARE 20 /* of a processor a child gets a twentieth, however busy the machine */

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void symbol_worker_init(struct symbol_worker *worker, const struct symbolizer_limits *limits)
{
	*worker = (struct symbol_worker){.limits = *limits, .fd = -1};
}

static int worker_start(struct symbol_worker *worker, struct error *err)
{
	int line[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0)
		return error_errno(err, ERR_TOOL, errno, "no line to a symbol reader");
	pid_t pid = fork();
	if (pid == 0)
		symbolizer_child_main(line[1], &worker->limits);
	int reason = errno;
	close(line[1]);
	if (pid < 0) {
		close(line[0]);
		return error_errno(err, ERR_TOOL, reason, "the symbol reader does not start");
	}
	worker->pid = pid;
	worker->fd = line[0];
	return ERR_OK;
}

/* A child that has closed the line gets a moment to end by itself,
 * so that we can say how it did. */
static bool ended_within(pid_t pid, unsigned milliseconds, int *status)
{
	for (unsigned waited = 0; waited < milliseconds; waited += 5) {
		pid_t got = waitpid(pid, status, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	return false;
}

static int worker_reap(struct symbol_worker *worker, unsigned milliseconds)
{
	int status = 0;
	close(worker->fd);
	if (!ended_within(worker->pid, milliseconds, &status)) {
		kill(worker->pid, SIGKILL);
		while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	worker->pid = 0;
	worker->fd = -1;
	return status;
}

void symbol_worker_fire(struct symbol_worker *worker)
{
	if (worker->pid == 0)
		return;
	worker_reap(worker, 0);
	worker->lost++;
}

void symbol_worker_stop(struct symbol_worker *worker)
{
	if (worker->pid == 0)
		return;
	/* It may be in the middle of something, and has nothing to lose. */
	worker_reap(worker, 0);
}

/* The line is closed: the child has ended, or is about to. */
static int report_death(struct symbol_worker *worker, struct error *err)
{
	int status = worker_reap(worker, 2000);
	worker->lost++;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return error_set(err, ERR_TOOL, "the symbol reader used up its CPU time");
	if (WIFSIGNALED(status))
		return error_set(err, ERR_TOOL, "the symbol reader was killed by SIG%s",
			sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
	return error_set(err, ERR_TOOL, "the symbol reader gave up");
}

struct exchange {
	struct symbol_worker *worker;
	const struct strbuf *request;
	size_t sent;
	struct strbuf *reply;
	size_t start; /* of the reply in the buffer */
};

static bool exchange_complete(const struct exchange *exchange)
{
	uint32_t length;
	size_t have = exchange->reply->length - exchange->start;
	if (have < sizeof(length))
		return false;
	memcpy(&length, exchange->reply->data + exchange->start, sizeof(length));
	return have >= sizeof(length) + length;
}

/* false: the line is broken. */
static bool exchange_send(struct exchange *exchange)
{
	ssize_t put = send(exchange->worker->fd, exchange->request->data + exchange->sent,
		exchange->request->length - exchange->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (put < 0)
		return errno == EINTR || errno == EAGAIN;
	exchange->sent += (size_t)put;
	return true;
}

static bool exchange_receive(struct exchange *exchange)
{
	char buffer[65536];
	ssize_t got = recv(exchange->worker->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	strbuf_add(exchange->reply, buffer, (size_t)got);
	return got > 0;
}

static int exchange_step(struct exchange *exchange, struct error *err)
{
	bool sending = exchange->sent < exchange->request->length;
	struct pollfd line = {
		.fd = exchange->worker->fd,
		.events = (short)(POLLIN | (sending ? POLLOUT : 0)),
	};
	if (process_interrupted())
		return error_set(err, ERR_INTERRUPTED, "interrupted");
	int ready = poll(&line, 1, POLL_MS);
	if (ready < 0 && errno != EINTR)
		return error_errno(err, ERR_TOOL, errno, "poll");
	if (ready <= 0)
		return ERR_OK;
	if ((line.revents & POLLOUT) && !exchange_send(exchange))
		return report_death(exchange->worker, err);
	if ((line.revents & ~POLLOUT) && !exchange_receive(exchange))
		return report_death(exchange->worker, err);
	return ERR_OK;
}

/* What the child has used in its life; 0: none is started. */
static uint64_t cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

/* The CPU limit ends what computes; this ends what waits. */
static bool is_idle(const struct symbol_worker *worker, uint64_t start_ns, uint64_t used_before_ns)
{
	uint64_t used = cpu_ns(worker->pid),
		 more = used > used_before_ns ? used - used_before_ns : 0;

	return now_ns() - start_ns >
	       worker->limits.max_wait_seconds * SECOND_NS + LEAST_SHARE * more;
}

int symbol_worker_ask(struct symbol_worker *worker, const struct strbuf *request,
	struct strbuf *reply, struct error *err)
{
	struct exchange exchange = {worker, request, 0, reply, reply->length};
	uint64_t start = now_ns(), used = cpu_ns(worker->pid);
	int code = worker->pid == 0 ? worker_start(worker, err) : ERR_OK;
	while (code == ERR_OK && !exchange_complete(&exchange)) {
		code = exchange_step(&exchange, err);
		if (code != ERR_OK)
			break;
		if (is_idle(worker, start, used))
			code = error_set(err, ERR_TOOL, "the symbol reader did not answer");
		else if (reply->length - exchange.start > SYMBOL_MAX_REPLY_BYTES)
			code = error_set(err, ERR_TOOL, "the symbol reader said too much");
	}
	if (code != ERR_OK)
		symbol_worker_fire(worker);
	return code;
}
