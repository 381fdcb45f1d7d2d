/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must never reach a Parca server (v0.28, tried on a real one):
 *
 *   no period type, or a profile of no bytes    the whole server ends
 *   an empty unit or period type                /api/profiles/types fails from then on
 *   '-', '/', a blank, ':' in a type            500, or a type that no query can name
 *   no label __name__                           400
 *   ids that are not 1..N in order              400; our encoder writes no others
 */
#include "baseline/parca/parca_internal.h"

#include <string.h>

#include "gate/base/error.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

bool parca_is_word(const char *text)
{
	size_t length = strspn(text, LETTERS DIGITS);

	return length > 0 && !text[length] && !strchr(DIGITS, text[0]);
}

static int check_word(const char *text, const char *what, struct error *err)
{
	if (!*text)
		return error_set(err, ERR_CORRUPT,
			"not sent to Parca: the %s is empty, which would harm the server", what);
	if (!parca_is_word(text))
		return error_set(err, ERR_CORRUPT,
			"not sent to Parca: the %s \"%s\" has characters other "
			"than letters, digits and '_'",
			what, text);
	return ERR_OK;
}

static int check_type(const struct profile_value_type *type, const char *what, const char *unit,
	struct error *err)
{
	int rc = check_word(type->type, what, err);

	return rc ? rc : check_word(type->unit, unit, err);
}

static int check_labels(const struct label *labels, size_t count, struct error *err)
{
	bool named = false;
	int rc = ERR_OK;

	for (size_t i = 0; i < count && !rc; i++) {
		bool is_name = strcmp(labels[i].name, "__name__") == 0;

		rc = check_word(labels[i].name, "label", err);
		if (!rc && is_name)
			rc = check_word(labels[i].value, "label __name__", err);
		named |= is_name;
	}
	if (!rc && !named)
		rc = error_set(
			err, ERR_CORRUPT, "not sent to Parca: the label __name__ is missing");
	return rc;
}

int parca_check(
	const struct label *labels, size_t count, const struct profile *profile, struct error *err)
{
	int rc = check_labels(labels, count, err);

	if (!rc)
		rc = check_type(&profile->period_type, "period type", "period type's unit", err);
	for (size_t i = 0; i < profile->type_count && !rc; i++)
		rc = check_type(&profile->types[i], "sample type", "sample type's unit", err);
	if (!rc && !profile->type_count)
		rc = error_set(err, ERR_CORRUPT, "not sent to Parca: the profile has no types");
	if (!rc && !profile->sample_count)
		rc = error_set(err, ERR_CORRUPT, "not sent to Parca: the profile has no samples");
	return rc;
}
