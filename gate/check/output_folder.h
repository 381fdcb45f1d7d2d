/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that a command writes its recordings and reports into. */
#ifndef FG_CHECK_OUTPUT_FOLDER_H
#define FG_CHECK_OUTPUT_FOLDER_H

struct error;

/*
 * Creates it. The folder stands in the checkout by default, so a symbolic link there may be the
 * repository's doing and is not followed (ERR_USAGE). A .gitignore in it keeps what we write out of
 * the user's commits and of the working tree that check measures.
 */
int output_folder_prepare(const char *path, struct error *err);

/*
 * <path>/recordings, empty: those of earlier checks make room, nothing else is deleted (ERR_USAGE
 * if it holds something else, or another process is writing there). *recordings is malloc'd; *lock
 * keeps others out until output_folder_unlock(), or until this process ends in whatever way.
 */
int output_folder_recordings(const char *path, char **recordings, int *lock, struct error *err);
/* -1 is fine. */
void output_folder_unlock(int lock);

#endif
