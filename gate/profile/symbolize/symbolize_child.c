/* SPDX-License-Identifier: Apache-2.0 */
/* The child: answers requests until the line is closed. */
#include "gate/profile/symbolize/symbolize_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gate/base/error.h"

#define MAX_REQUEST_BYTES ((size_t)1 << 20)

void (*symbolizer_child_hook)(const char *path, int fd);

/* ---- requests -------------------------------------------------------------------------------- */

struct session {
	struct module_reader
		*reader; /* of the last request: a long list of addresses comes in parts */
	char *path, *build_id;
	/* functions named in the reply that is being written */
	struct map sent;
	struct strbuf functions, frames;
	uint32_t function_count;
	bool hash_code;
	struct code_budget budget;
};

static bool read_all(int fd, void *data, size_t size)
{
	char *at = data;
	while (size > 0) {
		ssize_t got = read(fd, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

static void write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t put = send(fd, data, size, MSG_NOSIGNAL);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			_exit(1);
		data += put;
		size -= (size_t)put;
	}
}

static uint32_t sent_function(struct session *session, uint32_t function)
{
	bool added;
	uint32_t id = map_intern(
		&session->sent, &function, sizeof(function), session->function_count, &added);
	if (!added)
		return id;
	const struct symbol_function *named = module_reader_function(session->reader, function);
	symbol_put_string(&session->functions, named->name);
	symbol_put_string(&session->functions, named->system_name);
	symbol_put_string(&session->functions, named->file);
	symbol_put_u32(&session->functions, named->start_line);
	session->function_count++;
	return id;
}

static void add_code(struct session *session, uint64_t address)
{
	struct code_identity identity = {.callees = ""};
	if (session->hash_code)
		module_reader_code(session->reader, &session->budget, address, &identity);
	symbol_put_string(&session->frames, identity.hash);
	symbol_put_u32(&session->frames, identity.bytes);
	symbol_put_string(&session->frames, identity.shape);
	symbol_put_string(&session->frames, identity.callees);
}

static void add_address(struct session *session, uint64_t address)
{
	struct symbol_frame frames[SYMBOL_MAX_INLINED];
	size_t count = 0;
	/* Names of 4 KiB each could make a reply that the parent would refuse. */
	if (session->functions.length + session->frames.length < SYMBOL_MAX_REPLY_BYTES / 2)
		count = module_reader_resolve(session->reader, address, frames);
	symbol_put_u32(&session->frames, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		symbol_put_u32(&session->frames, sent_function(session, frames[i].function));
		symbol_put_u32(&session->frames, frames[i].line);
	}
	if (count > 0)
		add_code(session, address);
}

static void session_close(struct session *session)
{
	module_reader_close(session->reader);
	free(session->path);
	free(session->build_id);
	session->reader = NULL;
	session->path = session->build_id = NULL;
}

static int session_open(
	struct session *session, const char *path, const char *build_id, struct error *err)
{
	if (session->reader != NULL && strcmp(session->path, path) == 0 &&
		strcmp(session->build_id, build_id) == 0)
		return ERR_OK;
	session_close(session);
	session->path = xstrdup(path);
	session->build_id = xstrdup(build_id);
	return module_reader_open(path, build_id, &session->reader, err);
}

static unsigned code_flags(const struct session *session)
{
	return session->hash_code && session->budget.left == 0 ? SYMBOL_CODE_CUT : 0;
}

static void answer_addresses(
	struct session *session, struct symbol_cursor *request, struct strbuf *reply)
{
	uint32_t count = symbol_get_u32(request);
	map_init(&session->sent);
	session->function_count = 0;
	for (uint32_t i = 0; i < count; i++)
		add_address(session, symbol_get_u64(request));
	symbol_put_u32(reply, module_reader_flags(session->reader) | code_flags(session));
	symbol_put_string(reply, "");
	symbol_put_u32(reply, session->function_count);
	strbuf_add(reply, session->functions.data, session->functions.length);
	strbuf_add(reply, session->frames.data, session->frames.length);
	map_release(&session->sent);
	strbuf_reset(&session->functions);
	strbuf_reset(&session->frames);
}

static void answer_listing(struct session *session, struct strbuf *reply)
{
	struct module_listing listing = {.files = STRBUF_INIT, .names = STRBUF_INIT};
	module_reader_list(session->reader, &listing);
	symbol_put_u32(reply, module_reader_flags(session->reader));
	symbol_put_string(reply, "");
	symbol_put_u32(reply, listing.complete);
	symbol_put_u32(reply, listing.file_count);
	strbuf_add(reply, listing.files.data, listing.files.length);
	symbol_put_u32(reply, listing.name_count);
	strbuf_add(reply, listing.names.data, listing.names.length);
	strbuf_release(&listing.files);
	strbuf_release(&listing.names);
}

/*
 * Reply: flags, warning, then functions and per address its frames and their code; or all functions
 * of the module, as struct module_listing has them. flags 0: the warning says why.
 */
static void answer(int fd, struct session *session, struct symbol_cursor *request, const char *path,
	const char *build_id)
{
	struct error err = {0};
	struct strbuf reply = STRBUF_INIT;
	enum symbol_question question = (enum symbol_question)symbol_get_u32(request);
	session->hash_code = question == SYMBOL_ASK_CODE;
	symbol_put_u32(&reply, 0);
	if (session_open(session, path, build_id, &err) == ERR_OK) {
		if (question == SYMBOL_ASK_LISTING)
			answer_listing(session, &reply);
		else
			answer_addresses(session, request, &reply);
	} else {
		symbol_put_u32(&reply, 0);
		symbol_put_string(&reply, err.message);
	}
	uint32_t length = (uint32_t)(reply.length - sizeof(length));
	memcpy(reply.data, &length, sizeof(length));
	write_all(fd, reply.data, reply.length);
	strbuf_release(&reply);
}

static void serve(int fd, struct session *session, const char *bytes, size_t size)
{
	struct symbol_cursor cursor = {bytes, bytes + size, false};
	size_t path_length = 0, id_length = 0;
	const char *path = symbol_get_string(&cursor, SYMBOL_MAX_PATH_BYTES, &path_length);
	const char *id = symbol_get_string(&cursor, SYMBOL_MAX_NAME_BYTES, &id_length);
	if (path == NULL || id == NULL)
		_exit(1);
	char *path_copy = strndup(path, path_length), *id_copy = strndup(id, id_length);
	if (path_copy == NULL || id_copy == NULL)
		_exit(1);
	if (symbolizer_child_hook != NULL)
		symbolizer_child_hook(path_copy, fd);
	answer(fd, session, &cursor, path_copy, id_copy);
	free(path_copy);
	free(id_copy);
}

void symbolizer_child_main(int fd, const struct symbolizer_limits *limits)
{
	struct session session = {.functions = STRBUF_INIT,
		.frames = STRBUF_INIT,
		.budget = {limits->max_code_units}};
	uint32_t length;
	symbolizer_confine(fd, limits);
	fd = SYMBOL_LINE_FD;
	while (read_all(fd, &length, sizeof(length))) {
		if (length > MAX_REQUEST_BYTES)
			_exit(1);
		char *bytes = xmalloc(length + 1);
		if (!read_all(fd, bytes, length))
			_exit(1);
		serve(fd, &session, bytes, length);
		free(bytes);
	}
	_exit(0);
}
