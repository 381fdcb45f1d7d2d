/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/pprof.h"

#include "gate/base/error.h"
#include "gate/base/file.h"

/*
 * A recording of ours with 40 rounds of 5,000 stacks is about 20 MB; the largest profiles that
 * servers hand out are about 40 MB. Go, perf and async-profiler cut stacks at 128 to 2,048 frames.
 */
const struct pprof_limits pprof_default_limits = {
	.max_bytes = (size_t)128 * 1024 * 1024,
	.max_samples = 2000000,
	.max_locations = 1000000,
	.max_functions = 1000000,
	.max_depth = 4096,
	.max_name_bytes = (size_t)256 * 1024,
	.max_labels = 256,
};

int pprof_read_file(const char *path, const struct pprof_limits *limits, struct profile **out,
	struct error *err)
{
	struct strbuf data = STRBUF_INIT;
	int rc;

	if (!limits)
		limits = &pprof_default_limits;
	rc = file_read(path, limits->max_bytes, &data, err);
	if (!rc) {
		rc = pprof_decode(data.data, data.length, limits, out, err);
		if (rc)
			error_prefix(err, "%s", path);
	}
	strbuf_release(&data);
	return rc;
}

int pprof_write_file(const struct profile *profile, const char *path, struct error *err)
{
	struct strbuf data = STRBUF_INIT;
	int rc = pprof_encode(profile, &data, err);

	if (!rc)
		rc = file_write(path, data.data, data.length, err);
	strbuf_release(&data);
	return rc;
}
