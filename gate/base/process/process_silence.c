/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process_silence.h"

#include <dirent.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/process/process_internal.h"
#include "gate/base/process/process_look.h"

#define WAITING_SHARE 50
#define ANSWER_BYTES 32768
#define ALL_STATES 0xffffffffu

struct sockets {
	uint32_t *inodes;
	size_t count, capacity;
};

static bool has_inode(const struct sockets *sockets, uint32_t inode)
{
	for (size_t i = 0; i < sockets->count; i++)
		if (sockets->inodes[i] == inode)
			return true;
	return false;
}

/* ---- /proc --------------------------------------------------------------------------------- */

static void add_socket(struct sockets *sockets, int folder, const char *name)
{
	char target[64];
	ssize_t length = readlinkat(folder, name, target, sizeof(target) - 1);
	unsigned inode;

	if (length <= 0)
		return;
	target[length] = '\0';
	if (sscanf(target, "socket:[%u]", &inode) != 1)
		return;
	sockets->inodes = grow_array(
		sockets->inodes, &sockets->capacity, sockets->count + 1, sizeof(*sockets->inodes));
	sockets->inodes[sockets->count++] = inode;
}

static void add_sockets_of(struct sockets *sockets, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		add_socket(sockets, dirfd(folder), entry->d_name);
	closedir(folder);
}

/* What went by read() and write(), of files and pipes, and of sockets where a program uses them. */
static uint64_t bytes_of(pid_t pid)
{
	unsigned long long in, out;
	uint64_t sum = 0;
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	text = process_read_proc(path);
	if (text && sscanf(text, "rchar: %llu wchar: %llu", &in, &out) == 2)
		sum = in + out;
	free(text);
	return sum;
}

/* ---- what TCP has carried (sock_diag(7)) ----------------------------------------------------- */

static uint64_t carried_by(const struct inet_diag_msg *message, size_t length)
{
	const struct rtattr *attribute = (const void *)(message + 1);
	struct tcp_info info = {0};
	size_t size;

	length -= sizeof(*message);
	for (; RTA_OK(attribute, length); attribute = RTA_NEXT(attribute, length)) {
		if (attribute->rta_type != INET_DIAG_INFO)
			continue;
		size = RTA_PAYLOAD(attribute);
		memcpy(&info, RTA_DATA(attribute), size < sizeof(info) ? size : sizeof(info));
	}
	return info.tcpi_bytes_received + info.tcpi_bytes_acked;
}

/* False at the end of the answer; *failed if it is a refusal. */
static bool read_message(
	const struct nlmsghdr *header, const struct sockets *sockets, uint64_t *bytes, bool *failed)
{
	const struct inet_diag_msg *message = NLMSG_DATA(header);

	if (header->nlmsg_type == NLMSG_DONE)
		return false;
	if (header->nlmsg_type == NLMSG_ERROR ||
		header->nlmsg_len < NLMSG_LENGTH(sizeof(*message))) {
		*failed = true;
		return false;
	}
	if (has_inode(sockets, message->idiag_inode))
		*bytes += carried_by(message, header->nlmsg_len - NLMSG_HDRLEN);
	return true;
}

static bool read_answer(int fd, const struct sockets *sockets, uint64_t *bytes)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
	bool more = true, failed = false;

	while (more) {
		ssize_t got = recv(fd, answer, sizeof(answer), 0);
		size_t length = got > 0 ? (size_t)got : 0;
		const struct nlmsghdr *header = (const void *)answer;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		for (; more && NLMSG_OK(header, length); header = NLMSG_NEXT(header, length))
			more = read_message(header, sockets, bytes, &failed);
	}
	return !failed;
}

static bool add_carried(int fd, int family, const struct sockets *sockets, uint64_t *bytes)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 request;
	} question = {
		.header = {.nlmsg_len = sizeof(question),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.request = {.sdiag_family = (__u8)family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_ext = 1 << (INET_DIAG_INFO - 1),
			.idiag_states = ALL_STATES},
	};

	return send(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question) &&
	       read_answer(fd, sockets, bytes);
}

/* False where the kernel does not tell, as in some containers. */
static bool count_carried(const struct sockets *sockets, uint64_t *bytes)
{
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	bool known;

	if (fd < 0)
		return false;
	known = add_carried(fd, AF_INET, sockets, bytes);
	/* A kernel without IPv6 has none to count. */
	if (known)
		add_carried(fd, AF_INET6, sockets, bytes);
	close(fd);
	return known;
}

/* ---- together ------------------------------------------------------------------------------ */

void process_signs_read(pid_t root, struct process_signs *out)
{
	struct pid_set tree = {0};
	struct sockets sockets = {0};

	*out = (struct process_signs){0};
	pid_set_add(&tree, root);
	process_tree_below(root, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		out->bytes += bytes_of(tree.pids[i]);
		add_sockets_of(&sockets, tree.pids[i]);
		out->cpu_ns += process_cpu_ns(tree.pids[i]);
	}
	out->waits = sockets.count && count_carried(&sockets, &out->bytes);
	pid_set_release(&tree);
	free(sockets.inodes);
}

/* Processes that have ended take their numbers with them, so any difference is a sign. */
static bool is_alive(
	const struct process_silence *silence, const struct process_signs *signs, uint64_t now_ns)
{
	uint64_t waiting_ns = (now_ns - silence->since_ns) / WAITING_SHARE;

	return !signs->waits || signs->bytes != silence->signs.bytes ||
	       signs->cpu_ns < silence->signs.cpu_ns ||
	       signs->cpu_ns - silence->signs.cpu_ns > waiting_ns;
}

uint64_t process_silence_add(
	struct process_silence *silence, const struct process_signs *signs, uint64_t now_ns)
{
	if (!silence->since_ns || is_alive(silence, signs, now_ns))
		*silence = (struct process_silence){now_ns, *signs};
	return now_ns - silence->since_ns;
}
