/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that accept and say nothing: sockets that only listen. They are silent for ever, so how
 * fast this machine is does not matter. */
#include "gate/vcs/repo_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "gate/base/error.h"
#include "tests/unit/vcs/notes_scene.h"

#define SILENCE_NS UINT64_C(500000000)
#define HANGS_S 300 /* the test, then */

static int listen_at(uint16_t *port, int backlog)
{
	struct sockaddr_in place = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(place);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_int_equal(bind(fd, (void *)&place, sizeof(place)), 0);
	assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (void *)&place, &length), 0);
	*port = ntohs(place.sin_port);
	return fd;
}

static int connect_to(uint16_t port)
{
	struct sockaddr_in place = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(connect(fd, (void *)&place, sizeof(place)) == 0 || errno == EINPROGRESS);
	return fd;
}

static int begin(void **state)
{
	git_set_silence(SILENCE_NS);
	alarm(HANGS_S);
	return set_up_notes(state);
}

static int end(void **state)
{
	alarm(0);
	return tear_down(state);
}

static void assert_no_children(void)
{
	siginfo_t info;

	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
}

/* The remote has a %u for the port. */
static void assert_ends(struct scene *scene, const char *remote, uint16_t port)
{
	char url[128];

	snprintf(url, sizeof(url), remote, (unsigned)port);
	assert_int_equal(git_run(&(struct git_command){.directory = scene->dir,
					 .args = GIT_ARGS("ls-remote", url),
					 .network = true},
				 &scene->err),
		ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "not a byte came from the server for 0.5 s"));
	assert_no_children();
}

static void test_a_silent_server_is_left_whatever_the_transport(void **state)
{
	struct scene *scene = *state;
	uint16_t port;
	int fd = listen_at(&port, 16);
	char ssh[256];

	assert_ends(scene, "git://127.0.0.1:%u/x", port);
	assert_ends(scene, "http://127.0.0.1:%u/x", port);
	assert_ends(scene, "https://127.0.0.1:%u/x", port); /* in the handshake */
	/* As an ssh does whose server says nothing. */
	snprintf(ssh, sizeof(ssh), "bash -c 'exec 5<>/dev/tcp/127.0.0.1/%u; cat <&5' -", port);
	setenv("GIT_SSH_COMMAND", ssh, 1);
	assert_ends(scene, "ssh://127.0.0.1:%u/x", port);
	unsetenv("GIT_SSH_COMMAND");
	close(fd);
}

static void test_a_server_that_does_not_even_accept_is_left(void **state)
{
	enum { FILLERS = 8 };
	struct scene *scene = *state;
	uint16_t port;
	int fd = listen_at(&port, 0), fillers[FILLERS];

	/* The queue is full, so the kernel answers no more. */
	for (int i = 0; i < FILLERS; i++)
		fillers[i] = connect_to(port);
	assert_ends(scene, "git://127.0.0.1:%u/x", port);
	assert_ends(scene, "http://127.0.0.1:%u/x", port);
	for (int i = 0; i < FILLERS; i++)
		close(fillers[i]);
	close(fd);
}

static void test_notes_of_a_silent_server_are_asked_for_once(void **state)
{
	struct scene *scene = *state;
	struct notes_ref *notes;
	uint16_t port;
	int fd = listen_at(&port, 16), asked = 0;
	char url[64];

	make_remote(scene);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/x", (unsigned)port);
	notes = open_notes_at(scene, url);
	assert_int_equal(notes_ref_fetch(notes, &scene->err), ERR_TOOL);
	assert_non_null(strstr(scene->err.message, "not a byte came from the server"));
	assert_non_null(strstr(scene->err.message, url));
	notes_ref_close(notes);
	for (int one; (one = accept(fd, NULL, NULL)) >= 0; close(one))
		asked++;
	assert_int_equal(asked, 1);
	close(fd);
}

/* Else git ends first, not as one whose server was silent, and the server is asked again. */
static void test_a_silent_server_is_left_before_git_gives_up_by_itself(void **state)
{
	struct scene *scene = *state;
	struct strbuf seconds = STRBUF_INIT;

	git_set_silence(0);
	assert_int_equal(git_run(&(struct git_command){.directory = scene->dir,
					 .args = GIT_ARGS("config", "--get", "http.lowSpeedTime"),
					 .out = &seconds},
				 &scene->err),
		ERR_OK);
	assert_true(strtol(seconds.data, NULL, 10) >= 45);
	strbuf_release(&seconds);
}

/* A hook of git's that is slow talks to nobody. */
static void test_a_slow_command_without_a_server_has_its_time(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(git_run(&(struct git_command){.directory = scene->dir,
					 .args = GIT_ARGS("-c", "alias.slow=!sleep 2", "slow"),
					 .network = true},
				 &scene->err),
		ERR_OK);
}

#define silence_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		silence_test(test_a_silent_server_is_left_whatever_the_transport),
		silence_test(test_a_server_that_does_not_even_accept_is_left),
		silence_test(test_notes_of_a_silent_server_are_asked_for_once),
		silence_test(test_a_silent_server_is_left_before_git_gives_up_by_itself),
		silence_test(test_a_slow_command_without_a_server_has_its_time),
	};

	isolate();
	return cmocka_run_group_tests_name("git_silence", tests, NULL, NULL);
}
