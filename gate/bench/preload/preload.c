/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/preload/preload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/process/program.h"
#include "gate/base/strbuf.h"
#include "gate/bench/elf/elf_file.h"

#define MAX_SCRIPTS 4     /* the kernel follows as many */
#define SHEBANG_BYTES 256 /* and reads as much of the first line */

/* What one look-up needs. */
struct lookup {
	const char *const *env;
	const char *directory; /* where the command runs */
};

static char *find_program(const struct lookup *lookup, const char *name)
{
	return program_find(name, lookup->env, lookup->directory);
}

bool preload_is_privileged(const struct stat *info, bool has_capabilities, uid_t user, gid_t group)
{
	bool new_user = (info->st_mode & S_ISUID) && info->st_uid != user;
	bool new_group =
		(info->st_mode & S_ISGID) && (info->st_mode & S_IXGRP) && info->st_gid != group;

	return new_user || new_group || (has_capabilities && user != 0);
}

static int check_privileges(const char *path, struct error *err)
{
	struct stat info;

	if (stat(path, &info) < 0)
		return error_errno(err, ERR_IO, errno, "cannot read %s", path);
	if (!preload_is_privileged(&info, getxattr(path, "security.capability", NULL, 0) > 0,
		    geteuid(), getegid()))
		return ERR_OK;
	return error_set(err, ERR_BENCHMARK,
		"%s is setuid, setgid or has file capabilities: the loader ignores LD_PRELOAD for "
		"it, so it cannot be profiled; run a copy without them (cp drops them)",
		path);
}

static int refuse_go(const char *name, const char *what, struct error *err)
{
	return error_set(err, ERR_BENCHMARK,
		"%s is a %s, which cannot be profiled by preloading; build it with CGO_ENABLED=1 "
		"go build -ldflags=-linkmode=external (tests: CGO_ENABLED=1 go test -c "
		"-ldflags=-linkmode=external), or record it with go test -cpuprofile",
		name, what);
}

static int refuse_static(const struct elf_file *elf, const char *name, struct error *err)
{
	if (elf_file_has_section(elf, ".go.buildinfo"))
		return refuse_go(name, "statically linked Go program", err);
	return error_set(err, ERR_BENCHMARK,
		"%s is statically linked, so it cannot be profiled by preloading; build it without "
		"-static or -static-pie (Rust: a -gnu target without -C "
		"target-feature=+crt-static)",
		name);
}

/* It has a loader, but a thread of its own making is none of the C library's. */
static int refuse_without_library(const struct elf_file *elf, const char *name, struct error *err)
{
	if (elf_file_has_section(elf, ".go.buildinfo"))
		return refuse_go(name, "Go program without the C library", err);
	return error_set(err, ERR_BENCHMARK,
		"%s does not use the C library, which the sampler needs, so it cannot be profiled "
		"by preloading; link it with glibc",
		name);
}

static int check_interpreter(const char *interpreter, const char *name, struct error *err)
{
	const char *base = strrchr(interpreter, '/') ? strrchr(interpreter, '/') + 1 : interpreter;

	if (!strncmp(base, "ld-linux", 8))
		return ERR_OK;
	if (!strncmp(base, "ld-musl", 7))
		return error_set(err, ERR_BENCHMARK,
			"%s is built for musl libc; the sampler needs glibc: build it for a "
			"glibc (-gnu) target, in a Debian or Ubuntu image rather than Alpine",
			name);
	return error_set(err, ERR_BENCHMARK,
		"%s is started by %.200s, not by glibc's loader, and cannot be profiled by "
		"preloading; build it for glibc",
		name, interpreter);
}

static int check_sanitizers(const struct elf_file *elf, const char *name, struct error *err)
{
	static const struct {
		const char *symbol, *library, *flag;
	} sanitizers[] = {
		{"__asan_init", "libasan.so", "address"},
		{"__hwasan_init", "libhwasan.so", "hwaddress"},
		{"__tsan_init", "libtsan.so", "thread"},
		{"__msan_init", "libmsan.so", "memory"},
		{"__lsan_init", "liblsan.so", "leak"},
	};
	size_t i;

	for (i = 0; i < sizeof(sanitizers) / sizeof(sanitizers[0]); i++)
		if (elf_file_has_dynamic_string(elf, sanitizers[i].symbol) ||
			elf_file_has_dynamic_string(elf, sanitizers[i].library))
			return error_set(err, ERR_BENCHMARK,
				"%s is built with -fsanitize=%s: its run-time library must be "
				"loaded first, and its timings say little about the real "
				"program; benchmark a build without sanitizers",
				name, sanitizers[i].flag);
	return ERR_OK;
}

int preload_check_elf(const char *name, const void *data, size_t size, struct error *err)
{
	const char *interpreter;
	struct elf_file elf;
	int rc;

	switch (elf_file_open(&elf, data, size)) {
	case ELF_KIND_NATIVE:
		break;
	case ELF_KIND_FOREIGN:
		return error_set(err, ERR_BENCHMARK,
			"%s is built for another machine or word size than flamegate; build it for "
			"this one (64-bit), or run it there",
			name);
	case ELF_KIND_NONE:
		return error_set(err, ERR_BENCHMARK,
			"%s is neither an ELF program nor a script that starts with #!", name);
	default:
		return error_set(err, ERR_BENCHMARK, "%s is a damaged ELF file", name);
	}
	interpreter = elf_file_interpreter(&elf);
	if (!interpreter)
		return refuse_static(&elf, name, err);
	rc = check_interpreter(interpreter, name, err);
	if (!rc && !elf_file_needs_library(&elf))
		rc = refuse_without_library(&elf, name, err);
	return rc ? rc : check_sanitizers(&elf, name, err);
}

static char *next_word(char **at)
{
	char *start = *at + strspn(*at, " \t"), *end = start + strcspn(start, " \t");

	if (!*start)
		return NULL;
	*at = *end ? end + 1 : end;
	*end = '\0';
	return start;
}

static bool is_assignment(const char *word)
{
	return strchr(word, '=') && *word != '=' && *word != '-';
}

/* The program of "env [-S] [-i] [NAME=value...] PROGRAM ...". */
static char *program_of_env(char *arguments)
{
	char *word;

	while ((word = next_word(&arguments)))
		if (!strncmp(word, "-S", 2) && word[2])
			return word + 2;
		else if (*word != '-' && !is_assignment(word))
			return word;
	return NULL;
}

static bool has_basename(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, name);
}

/*
 * The file that a #! line starts, malloc'd. `#!/usr/bin/env NAME` starts env first, which is an
 * ordinary program: what counts is NAME.
 */
static int script_program(const struct lookup *lookup, const char *path,
	const struct strbuf *content, char **program, struct error *err)
{
	size_t length = content->length < SHEBANG_BYTES ? content->length : SHEBANG_BYTES;
	char line[SHEBANG_BYTES + 1], *at = line + 2, *word;

	memcpy(line, content->data, length);
	line[length] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	word = next_word(&at);
	if (word && has_basename(word, "env"))
		word = program_of_env(at);
	*program = word ? find_program(lookup, word) : NULL;
	if (*program)
		return ERR_OK;
	return error_set(err, ERR_BENCHMARK,
		"%s: its #! line names no program that exists (%.200s)", path,
		word ? word : "nothing");
}

/* One step: checks a program, or says which program a script (*next) starts. */
static int check_file(const struct lookup *lookup, const char *path, char **next, struct error *err)
{
	struct strbuf content = STRBUF_INIT;
	int rc = file_read(path, ELF_MAX_FILE_BYTES, &content, err);

	*next = NULL;
	if (rc)
		goto out;
	if (content.length >= 2 && !memcmp(content.data, "#!", 2)) {
		rc = script_program(lookup, path, &content, next, err);
		goto out;
	}
	rc = check_privileges(path, err);
	if (!rc)
		rc = preload_check_elf(path, content.data, content.length, err);
out:
	strbuf_release(&content);
	return rc;
}

/* Takes path. */
static int check_chain(const struct lookup *lookup, char *path, struct error *err)
{
	int scripts = 0, rc = ERR_OK;
	char *next;

	while (path && !rc) {
		rc = check_file(lookup, path, &next, err);
		if (!rc && next && ++scripts > MAX_SCRIPTS)
			rc = error_set(err, ERR_BENCHMARK,
				"%s: more than %d scripts start one another", path, MAX_SCRIPTS);
		free(path);
		path = next;
	}
	free(path);
	return rc;
}

static char *without_arguments(const char *command)
{
	size_t length = strlen(command), more = sizeof(PRELOAD_ARGUMENTS) - 1;
	char *copy = xstrdup(command);

	if (length > more && strcmp(copy + length - more, PRELOAD_ARGUMENTS) == 0)
		copy[length - more] = '\0';
	return copy;
}

/*
 * The program of a shell command that is nothing but words: NULL for anything that the shell would
 * interpret, and for built-in commands, of which no file tells.
 */
static char *simple_command_program(const struct lookup *lookup, const char *command)
{
	static const char *const wrappers[] = {"exec", "env", "time", "nice", "command"};
	char *copy = without_arguments(command), *at = copy, *word, *program = NULL;
	size_t i;

	if (strpbrk(copy, "|&;<>()$`\\\"'*?[]#~!{}\n\r")) {
		free(copy);
		return NULL;
	}
	while ((word = next_word(&at))) {
		for (i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
			if (!strcmp(word, wrappers[i]))
				break;
		if (i == sizeof(wrappers) / sizeof(wrappers[0]) && !is_assignment(word))
			break;
	}
	if (word && *word != '-')
		program = find_program(lookup, word);
	free(copy);
	return program;
}

static bool is_shell_command(const char *const *argv)
{
	return argv[1] && !strcmp(argv[1], "-c") && argv[2] &&
	       (has_basename(argv[0], "sh") || has_basename(argv[0], "bash") ||
		       has_basename(argv[0], "dash"));
}

char *preload_program(const char *const *argv, const char *const *env, const char *directory)
{
	const struct lookup lookup = {env, directory};

	return is_shell_command(argv) ? simple_command_program(&lookup, argv[2])
				      : find_program(&lookup, argv[0]);
}

int preload_check(
	const char *const *argv, const char *const *env, const char *directory, struct error *err)
{
	const struct lookup lookup = {env, directory};
	char *program = find_program(&lookup, argv[0]);
	int rc;

	if (!program)
		return error_set(err, ERR_BENCHMARK,
			"%s: no such program, or it is not executable; does the build make it?",
			argv[0]);
	rc = check_chain(&lookup, program, err);
	if (rc || !is_shell_command(argv))
		return rc;
	return check_chain(&lookup, simple_command_program(&lookup, argv[2]), err);
}
