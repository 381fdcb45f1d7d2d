/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMake's own answer to which executables there are (cmake-file-api(7), codemodel version 2). It
 * lies in a build folder that was configured after codemodel_query() was made there. The project's
 * code could have written it: number and size of files are bounded, links are not followed, names
 * of files hold no path.
 */
#ifndef FG_BENCH_CODEMODEL_H
#define FG_BENCH_CODEMODEL_H

#include <stddef.h>

#include "gate/base/arena.h"

struct error;

/* In the build folder; an empty file there asks CMake to answer. */
#define CODEMODEL_QUERY_FOLDER ".cmake/api/v1/query"
#define CODEMODEL_QUERY "codemodel-v2"
#define CODEMODEL_MAX_TARGETS 5000
#define CODEMODEL_MAX_FILE_BYTES ((size_t)16 * 1024 * 1024)
#define CODEMODEL_MAX_BYTES ((size_t)256 * 1024 * 1024)

/* One executable. Paths are relative where they are inside, else absolute; all is hostile text. */
struct codemodel_target {
	const char *name;
	const char *output;  /* from the build folder */
	const char *folder;  /* whose CMakeLists.txt it belongs to, from the source folder */
	const char *file;    /* where it is added, from the source folder; "" if not known */
	size_t line;         /* 0 if not known */
	const char *sources; /* from the source folder, each ended by a line feed; no generated */
	const char *links;   /* pieces of its link command, each so ended */
};

struct codemodel {
	struct arena arena;
	struct codemodel_target *targets; /* as CMake orders them */
	size_t count;
};

/* Release with codemodel_release() only after ERR_OK. ERR_NOT_FOUND where there is no answer,
 * ERR_LIMIT, ERR_CORRUPT, ERR_IO. */
int codemodel_read(const char *build_folder, struct codemodel *out, struct error *err);
void codemodel_release(struct codemodel *model);

#endif
