/* SPDX-License-Identifier: Apache-2.0 */
/* A report with a key that comes twice is refused: two readers could understand it differently. */
#include "report/view/view_read.h"

#include <stdbool.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/view/view.h"

/* Objects are small: comparing all pairs is as good as a table, and has no bad case. */
static bool came_before(const struct json *object, const struct json *member)
{
	for (const struct json *one = json_first(object); one != member; one = json_next(one))
		if (strcmp(json_key(one), json_key(member)) == 0)
			return true;
	return false;
}

static int check_members(const struct json *object, struct error *err)
{
	if (json_length(object) > REPORT_MAX_MEMBERS)
		return view_too_many(object, err, REPORT_MAX_MEMBERS);
	for (const struct json *one = json_first(object); one; one = json_next(one))
		if (came_before(object, one))
			return json_error(one, err, "this comes twice");
	return ERR_OK;
}

/* Recursive: the parser has bounded the depth. */
int view_check_keys(const struct json *root, struct error *err)
{
	int code = json_type(root) == JSON_OBJECT ? check_members(root, err) : ERR_OK;

	for (const struct json *one = json_first(root); one && !code; one = json_next(one))
		if (json_first(one))
			code = view_check_keys(one, err);
	return code;
}
