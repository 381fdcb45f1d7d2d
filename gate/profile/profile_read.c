/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/profile_read.h"

#include "gate/base/file.h"
#include "gate/profile/callgrind.h"
#include "gate/profile/pprof.h"

int profile_read_data(
	const struct strbuf *data, const char *path, struct profile **out, struct error *err)
{
	int rc;

	if (callgrind_is_format(data->data, data->length))
		return callgrind_decode(data->data, data->length, path, NULL, out, err);
	rc = pprof_decode(data->data, data->length, NULL, out, err);
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
