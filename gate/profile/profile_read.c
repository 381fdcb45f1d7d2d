/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/profile_read.h"

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/callgrind/callgrind.h"
#include "gate/profile/format_guess.h"
#include "gate/profile/pprof.h"

/* The decoder's words stay where the data looks like nothing else. */
static int say_what_it_is(const struct strbuf *data, struct error *err)
{
	struct strbuf words = STRBUF_INIT;

	format_guess(data->data, data->length, &words);
	if (words.length)
		error_set(err, ERR_CORRUPT,
			"not a profile that is read here (pprof, "
			"or callgrind's output); it looks like %s",
			words.data);
	strbuf_release(&words);
	return ERR_CORRUPT;
}

int profile_read_data(
	const struct strbuf *data, const char *path, struct profile **out, struct error *err)
{
	int rc;

	if (callgrind_is_format(data->data, data->length))
		return callgrind_decode(data->data, data->length, path, NULL, out, err);
	rc = pprof_decode(data->data, data->length, NULL, out, err);
	if (rc == ERR_CORRUPT)
		rc = say_what_it_is(data, err);
	return rc ? error_prefix(err, "%s", path) : ERR_OK;
}

int profile_read_file(const char *path, struct profile **out, struct error *err)
{
	size_t limit = pprof_default_limits.max_bytes > callgrind_default_limits.max_bytes
			       ? pprof_default_limits.max_bytes
			       : callgrind_default_limits.max_bytes;
	struct strbuf data = STRBUF_INIT;
	int rc = file_read(path, limit, &data, err);

	if (!rc)
		rc = profile_read_data(&data, path, out, err);
	strbuf_release(&data);
	return rc;
}
