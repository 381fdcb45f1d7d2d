/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which remote is meant, and which of the repository's settings git needs to reach it. The
 * environment hands them over, since they may hold secrets.
 */
#include "gate/vcs/notes/notes_ref_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/base/text.h"

#define MAX_HANDED_OVER 4096

/* ---- what git says about the configuration -------------------------------------------------- */

/* "file:.git/config\0remote.origin.url\nhttps://...\0"; a key alone has no value and means true. */
struct config_entry {
	const char *origin, *key, *value; /* value NULL: none; key ends at '\n' or NUL */
	size_t key_length;
};

static bool next_entry(const struct strbuf *list, size_t *at, struct config_entry *entry)
{
	const char *end = list->data + list->length, *newline;

	if (*at >= list->length)
		return false;
	entry->origin = list->data + *at;
	entry->key = entry->origin + strlen(entry->origin) + 1;
	if (entry->key >= end)
		return false;
	*at += (size_t)(entry->key - entry->origin) + strlen(entry->key) + 1;
	newline = strchr(entry->key, '\n');
	entry->key_length = newline ? (size_t)(newline - entry->key) : strlen(entry->key);
	entry->value = newline ? newline + 1 : NULL;
	return true;
}

/* Includes and conditions (includeIf) have been followed. */
#define CONFIG_QUESTION GIT_ARGS("config", "--list", "-z", "--show-origin")

int notes_read_config(struct notes_ref *notes, struct error *err)
{
	return git_run(
		&(struct git_command){
			.directory = notes->repo->root,
			.args = CONFIG_QUESTION,
			.out = &notes->config,
		},
		err);
}

/* The part between "remote." and the last dot, if the key is remote.NAME.<variable>. */
static bool is_remote_key(const struct config_entry *entry, const char *variable, const char **name,
	size_t *name_length)
{
	size_t prefix = strlen("remote."), suffix = strlen(variable) + 1;

	if (entry->key_length <= prefix + suffix || strncmp(entry->key, "remote.", prefix) != 0)
		return false;
	*name = entry->key + prefix;
	*name_length = entry->key_length - prefix - suffix;
	return (*name)[*name_length] == '.' &&
	       strncmp(*name + *name_length + 1, variable, suffix - 1) == 0;
}

static bool names(const char *text, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(text, name, length) == 0;
}

/* ---- which remote --------------------------------------------------------------------------- */

/* The first URL is the one that git fetches from. */
static const char *configured_url(const struct notes_ref *notes, const char *wanted)
{
	struct config_entry entry;
	const char *name;
	size_t at = 0, length;

	while (next_entry(&notes->config, &at, &entry)) {
		if (entry.value && is_remote_key(&entry, "url", &name, &length) &&
			names(name, length, wanted))
			return entry.value;
	}
	return NULL;
}

/* The only remote there is, or NULL; all of their names in list. */
static const char *only_remote(struct notes_ref *notes, struct strbuf *list)
{
	struct config_entry entry;
	const char *name, *only = NULL;
	size_t at = 0, length, count = 0;

	while (next_entry(&notes->config, &at, &entry)) {
		if (!is_remote_key(&entry, "url", &name, &length) ||
			(only && names(name, length, only)))
			continue;
		only = arena_strndup(&notes->arena, name, length);
		count++;
		strbuf_addf(list, "%s%s", list->length ? ", " : "", only);
	}
	return count == 1 ? only : NULL;
}

static int no_such_remote(struct notes_ref *notes, const char *wanted, struct error *err)
{
	struct strbuf list = STRBUF_INIT, text = STRBUF_INIT;

	only_remote(notes, &list);
	text_defuse(&text, wanted, strlen(wanted));
	strbuf_addf(&text, "\" is no remote of %s", notes->repo->root);
	if (list.length) {
		strbuf_addstr(&text, " (there is: ");
		text_defuse(&text, list.data, list.length);
		strbuf_addch(&text, ')');
	}
	error_set(err, ERR_NOT_FOUND, "\"%s; a path or a URL has a slash", text.data);
	strbuf_release(&list);
	strbuf_release(&text);
	return ERR_NOT_FOUND;
}

/*
 * Not what a program would take for an option, and not "helper::address": such a remote may run
 * commands (ext) or wait for ever (fd); who needs one configures it as a remote.
 */
static bool may_be_url(const char *text)
{
	const char *separator = strpbrk(text, "/:");

	if (*text == '-' || !separator || strncmp(separator, "::", 2) == 0)
		return false;
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 127)
			return false;
	}
	return true;
}

/* "https://user:token@host/path": the part before '@'. */
static void split_url(struct notes_ref *notes)
{
	struct notes_remote *remote = &notes->remote;
	const char *start = strstr(remote->url, "://"), *at;
	struct strbuf shown = STRBUF_INIT;

	remote->user_info = "";
	start = start ? start + 3 : remote->url;
	at = memrchr(start, '@', strcspn(start, "/"));
	if (at && at > start) {
		remote->user_info = arena_strndup(&notes->arena, start, (size_t)(at - start));
		strbuf_add(&shown, remote->url, (size_t)(start - remote->url));
		text_defuse(&shown, at + 1, strlen(at + 1));
	} else {
		text_defuse(&shown, remote->url, strlen(remote->url));
	}
	if (remote->name) {
		strbuf_reset(&shown);
		text_defuse(&shown, remote->name, strlen(remote->name));
	}
	remote->shown = arena_strdup(&notes->arena, shown.data);
	strbuf_release(&shown);
}

static const char *default_remote(struct notes_ref *notes)
{
	struct strbuf list = STRBUF_INIT;
	const char *only;

	if (configured_url(notes, "origin"))
		return "origin";
	only = only_remote(notes, &list);
	strbuf_release(&list);
	return only ? only : NOTES_HERE;
}

int notes_choose_remote(struct notes_ref *notes, const char *wanted, struct error *err)
{
	struct notes_remote *remote = &notes->remote;

	wanted = arena_strdup(&notes->arena, wanted ? wanted : default_remote(notes));
	remote->url = configured_url(notes, wanted);
	if (remote->url) {
		remote->name = wanted;
	} else if (strcmp(wanted, NOTES_HERE) == 0) {
		remote->url = notes->repo->common_dir;
	} else if (may_be_url(wanted)) {
		remote->url = wanted;
	} else {
		return no_such_remote(notes, wanted, err);
	}
	split_url(notes);
	if (remote->url == notes->repo->common_dir)
		remote->shown = "this repository";
	return ERR_OK;
}

/* ---- what is handed over -------------------------------------------------------------------- */

/* How to reach a server. */
static const char *const handed_over[] = {
	"http.",
	"https.",
	"credential.",
	"core.sshcommand",
	"core.askpass",
	"core.gitproxy",
	"url.",
	"ssh.",
	"protocol.",
	"transfer.credentialsinurl",
};

/* Of the remote itself. Not "vcs" and "mirror", and of URLs only the first. */
static const char *const remote_variables[] = {
	"proxy",
	"proxyauthmethod",
	"uploadpack",
	"receivepack",
};

static bool is_handed_over(const struct config_entry *entry)
{
	if (strncmp(entry->key, "protocol.ext.", strlen("protocol.ext.")) == 0)
		return false;
	for (size_t i = 0; i < sizeof(handed_over) / sizeof(*handed_over); i++) {
		if (strncmp(entry->key, handed_over[i], strlen(handed_over[i])) == 0)
			return true;
	}
	return false;
}

/* GIT_CONFIG_KEY_<n> and GIT_CONFIG_VALUE_<n>, after those that the user's environment has. */
struct handover {
	struct notes_ref *notes;
	size_t capacity, count; /* of notes->env */
	unsigned long number, entries;
};

static void add_variable(struct handover *handover, const char *variable)
{
	struct notes_ref *notes = handover->notes;

	notes->env = grow_array(
		notes->env, &handover->capacity, handover->count + 2, sizeof(*notes->env));
	notes->env[handover->count++] = variable;
	notes->env[handover->count] = NULL;
}

static void hand_over(struct handover *handover, const char *key, size_t length, const char *value)
{
	struct arena *arena = &handover->notes->arena;

	if (handover->entries++ >= MAX_HANDED_OVER)
		return;
	add_variable(handover,
		arena_printf(arena, "GIT_CONFIG_KEY_%lu=%.*s", handover->number, (int)length, key));
	add_variable(handover, arena_printf(arena, "GIT_CONFIG_VALUE_%lu=%s", handover->number,
				       value ? value : "true"));
	handover->number++;
}

static void hand_over_remote(
	struct handover *handover, const char *variable, const char *value, const char *fallback)
{
	char key[64];

	snprintf(key, sizeof(key), "remote." NOTES_PRIVATE_REMOTE ".%s", variable);
	if (value || fallback)
		hand_over(handover, key, strlen(key), value ? value : fallback);
}

static void hand_over_remote_variable(struct handover *handover, const struct config_entry *entry)
{
	const struct notes_remote *remote = &handover->notes->remote;
	const char *name;
	size_t length;

	for (size_t i = 0; i < sizeof(remote_variables) / sizeof(*remote_variables); i++) {
		if (is_remote_key(entry, remote_variables[i], &name, &length) &&
			names(name, length, remote->name))
			hand_over_remote(handover, remote_variables[i], entry->value, NULL);
	}
}

static const char *push_url(const struct notes_ref *notes)
{
	struct config_entry entry;
	const char *name;
	size_t at = 0, length;

	while (notes->remote.name && next_entry(&notes->config, &at, &entry)) {
		if (entry.value && is_remote_key(&entry, "pushurl", &name, &length) &&
			names(name, length, notes->remote.name))
			return entry.value;
	}
	return NULL;
}

/* Settings that would change what our fetches and pushes do, or make them fail. */
static void neutralise(struct handover *handover)
{
	static const char *const fixed[][2] = {
		{"push.pushOption", ""}, /* empties the list */
		{"fetch.writeCommitGraph", "false"}, {"gc.writeCommitGraph", "false"},
		{"repack.writeBitmaps", "false"}, /* impossible where blobs are missing */
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		hand_over(handover, fixed[i][0], strlen(fixed[i][0]), fixed[i][1]);
	if (handover->notes->remote.url != handover->notes->repo->common_dir)
		return;
	/* The other side is ours too: it sends no blobs unasked, runs no hooks,
	 * does no housework. */
	hand_over_remote(handover, "uploadpack",
		"git -c uploadpack.allowFilter=true -c "
		"uploadpack.allowAnySHA1InWant=true upload-pack",
		NULL);
	hand_over_remote(handover, "receivepack",
		"git -c core.hooksPath=/dev/null -c receive.autogc=false receive-pack", NULL);
}

static void add_fixed_variables(struct handover *handover)
{
	static const char *const identity[] = {
		"GIT_AUTHOR_NAME=flamegate",
		"GIT_AUTHOR_EMAIL=flamegate@localhost",
		"GIT_COMMITTER_NAME=flamegate",
		"GIT_COMMITTER_EMAIL=flamegate@localhost",
	};
	struct arena *arena = &handover->notes->arena;

	for (size_t i = 0; i < sizeof(identity) / sizeof(*identity); i++)
		add_variable(handover, identity[i]);
	add_variable(handover, arena_printf(arena, "GIT_DIR=%s", handover->notes->dir));
	add_variable(handover, arena_printf(arena, "GIT_CONFIG_COUNT=%lu", handover->number));
}

/* What the private repository sees by itself (the user's and the system's files) must not come
 * twice: an http.extraheader would be sent twice, and refused. */
static void collect(struct map *seen, const struct strbuf *list)
{
	struct config_entry entry;
	size_t at = 0;

	while (next_entry(list, &at, &entry))
		map_put(seen, entry.origin, (size_t)(list->data + at - entry.origin), 1);
}

static void hand_over_config(struct handover *handover, const struct map *seen)
{
	const struct strbuf *list = &handover->notes->config;
	struct config_entry entry;
	size_t at = 0;

	while (next_entry(list, &at, &entry)) {
		size_t length = (size_t)(list->data + at - entry.origin);

		if (is_handed_over(&entry) && map_get(seen, entry.origin, length) == MAP_NONE)
			hand_over(handover, entry.key, entry.key_length, entry.value);
		else if (handover->notes->remote.name)
			hand_over_remote_variable(handover, &entry);
	}
}

int notes_make_environment(struct notes_ref *notes, struct error *err)
{
	const char *inherited = getenv("GIT_CONFIG_COUNT");
	struct handover handover = {.notes = notes};
	const char *git_dir[] = {NULL, NULL};
	struct strbuf own = STRBUF_INIT;
	struct map seen;
	int rc;

	map_init(&seen);
	git_dir[0] = arena_printf(&notes->arena, "GIT_DIR=%s", notes->dir);
	rc = git_run(
		&(struct git_command){
			.directory = notes->repo->root,
			.args = CONFIG_QUESTION,
			.env = git_dir,
			.out = &own,
		},
		err);
	if (rc)
		goto out;
	collect(&seen, &own);
	handover.number = inherited ? strtoul(inherited, NULL, 10) : 0;
	hand_over_config(&handover, &seen);
	hand_over_remote(&handover, "url", notes->remote.url, NULL);
	hand_over_remote(&handover, "pushurl", push_url(notes), NULL);
	neutralise(&handover);
	add_fixed_variables(&handover);
out:
	map_release(&seen);
	strbuf_release(&own);
	return rc;
}
