/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server's credentials from the environment. What is half set, set twice or damaged is refused.
 */
#include "gate/net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define MAX_NAME_BYTES 128

static bool is_prefix(const char *text)
{
	size_t length = strlen(text);

	return length && length < MAX_NAME_BYTES / 2 && strchr(UPPER, text[0]) &&
	       strspn(text, UPPER "0123456789_") == length;
}

/* A variable that is set to nothing is what CI makes of a secret that does not exist. */
static int read_variable(
	const char *prefix, const char *suffix, const char **value, struct error *err)
{
	char name[MAX_NAME_BYTES];
	const char *found;

	snprintf(name, sizeof(name), "%s_%s", prefix, suffix);
	found = getenv(name);
	if (!found || !found[0])
		return ERR_OK;
	for (const char *at = found; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return error_set(err, ERR_USAGE,
				"%s holds a control character (a line break at its end?)", name);
	*value = found;
	return ERR_OK;
}

static int check_combination(const struct http_credentials *found, struct error *err)
{
	const char *prefix = found->prefix;

	if (!found->user != !found->password)
		return error_set(err, ERR_USAGE, "%s_%s is set without %s_%s", prefix,
			found->user ? "USER" : "PASSWORD", prefix,
			found->user ? "PASSWORD" : "USER");
	if (found->token && found->user)
		return error_set(err, ERR_USAGE,
			"both %s_TOKEN and %s_USER are set: which of them is meant?", prefix,
			prefix);
	if (found->user && strchr(found->user, ':'))
		return error_set(err, ERR_USAGE, "%s_USER must not hold a colon", prefix);
	return ERR_OK;
}

int http_credentials_read(
	const char *prefix, struct http_credentials *credentials, struct error *err)
{
	struct http_credentials found = {.prefix = prefix};
	const struct {
		const char *suffix, **value;
	} variables[] = {
		{"TOKEN", &found.token},
		{"USER", &found.user},
		{"PASSWORD", &found.password},
		{"ORG_ID", &found.org_id},
	};
	int rc;

	if (!is_prefix(prefix))
		return error_set(err, ERR_USAGE,
			"the prefix of the credentials' variables must be "
			"upper-case letters, digits and '_'");
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		rc = read_variable(prefix, variables[i].suffix, variables[i].value, err);
		if (rc)
			return rc;
	}
	rc = check_combination(&found, err);
	if (!rc)
		*credentials = found;
	return rc;
}
