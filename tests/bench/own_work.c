/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed work for flamegate's own gate (.flamegate.yml): the two loops that every report waits for.
 *
 *   own_work decode FILE TIMES     pprof_decode()
 *   own_work fold FILE TIMES       call_tree_build()
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/profile/call_tree.h"
#include "gate/profile/pprof.h"

static int decode(const struct strbuf *bytes, long times, struct error *err)
{
	size_t samples = 0;
	int rc = ERR_OK;

	for (long i = 0; i < times && !rc; i++) {
		struct profile *profile;

		rc = pprof_decode(bytes->data, bytes->length, NULL, &profile, err);
		if (!rc) {
			samples += profile->sample_count;
			profile_free(profile);
		}
	}
	printf("%zu samples\n", samples);
	return rc;
}

static int fold(const struct strbuf *bytes, long times, struct error *err)
{
	struct profile *profile;
	size_t nodes = 0;
	int rc = pprof_decode(bytes->data, bytes->length, NULL, &profile, err);

	if (rc)
		return rc;
	for (long i = 0; i < times && !rc; i++) {
		struct call_tree tree;

		rc = call_tree_build(&tree, profile, profile->default_type, NULL, err);
		nodes += tree.node_count;
		call_tree_release(&tree);
	}
	profile_free(profile);
	printf("%zu nodes\n", nodes);
	return rc;
}

int main(int argc, char **argv)
{
	struct strbuf bytes = STRBUF_INIT;
	struct error err = {0};
	long times = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
	int rc;

	if (times <= 0) {
		fprintf(stderr, "usage: own_work decode|fold FILE TIMES\n");
		return 2;
	}
	rc = file_read(argv[2], (size_t)64 << 20, &bytes, &err);
	if (!rc)
		rc = strcmp(argv[1], "fold") == 0 ? fold(&bytes, times, &err)
						  : decode(&bytes, times, &err);
	if (rc)
		fprintf(stderr, "own_work: %s\n", err.message);
	strbuf_release(&bytes);
	return rc ? 1 : 0;
}
