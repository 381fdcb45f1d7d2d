/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between HEAD, the index and the working tree, sorted into what a snapshot does with
 * it. Read from "git status": it alone applies filters, sparse checkouts and ignore rules as "git
 * add" would.
 */
#ifndef FG_VCS_REPO_STATUS_H
#define FG_VCS_REPO_STATUS_H

#include "gate/vcs/repo_internal.h"

/* Lists of NUL-terminated paths, relative to the repository's root. */
struct repo_status {
	struct strbuf changed;   /* tracked, to be read anew */
	struct strbuf gone;      /* tracked, not there as a file any more */
	struct strbuf untracked; /* not ignored; without repositories that are no submodules */
	size_t dirty_submodules; /* have another commit than the index says, or changes */
	bool any;
};

/* Release with repo_status_release() only after ERR_OK. ERR_USAGE names a file with a conflict. */
int repo_status_read(struct repo *repo, struct repo_status *status, struct error *err);
void repo_status_release(struct repo_status *status);

#endif
