/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's functions that wait, behind the names that interpose_wait*.c takes. */
#ifndef FG_SAMPLER_REAL_WAITS_H
#define FG_SAMPLER_REAL_WAITS_H

#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* What programs built with _FORTIFY_SOURCE call; the C library's headers hide them. */
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	const sigset_t *mask, size_t room);
ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict buffer, size_t bytes, size_t room, int flags,
	__SOCKADDR_ARG address, socklen_t *restrict length);

#define FG_REAL_WAITS(each)                                                                        \
	each(poll) each(ppoll) each(__poll_chk) each(__ppoll_chk) each(select) each(pselect) each( \
		epoll_wait) each(epoll_pwait) each(epoll_pwait2) each(nanosleep)                   \
		each(clock_nanosleep) each(pause) each(sigsuspend) each(sem_wait) each(            \
			sem_trywait) each(sem_timedwait) each(sem_clockwait) each(semop)           \
			each(semtimedop) each(msgsnd) each(msgrcv) each(accept) each(accept4)      \
				each(connect) each(recv) each(recvfrom) each(recvmsg)              \
					each(recvmmsg) each(send) each(sendto) each(sendmsg) each( \
						sendmmsg) each(__recv_chk) each(__recvfrom_chk)    \
						each(read) each(__read_chk) each(readv)            \
							each(write) each(writev) each(getrandom)

struct fg_real_waits {
#define FG_REAL_POINTER(name) __typeof__(name) *name;
	FG_REAL_WAITS(FG_REAL_POINTER)
#undef FG_REAL_POINTER
};

/* thread or init. Looked up once; what this C library lacks fails with ENOSYS. */
const struct fg_real_waits *fg_real_waits(void);
/* For tests: what stands in for the C library. */
extern struct fg_real_waits fg_real_waits_table;

#endif
