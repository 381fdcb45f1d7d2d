/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A private folder for the time of a run: "flamegate-scratch-" and six letters or digits, in TMPDIR
 * or /tmp. Its owner holds a lock on it (flock(2)), which the kernel gives back however the owner
 * ends. So who makes one first removes those that killed runs have left: folders of that name and
 * of this user, never links, that nobody has locked.
 */
#ifndef FG_BASE_SCRATCH_H
#define FG_BASE_SCRATCH_H

struct error;

struct scratch {
	char *path; /* NULL: none */
	int lock;
};

/* *out is untouched on failure. What cannot be swept is left as it is. */
int scratch_make(struct scratch *out, struct error *err);
/* Removes the folder as far as that goes; nothing happens where there is none. */
void scratch_remove(struct scratch *scratch);

#endif
