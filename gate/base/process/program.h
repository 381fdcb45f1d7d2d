/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FG_BASE_PROGRAM_H
#define FG_BASE_PROGRAM_H

/*
 * The executable file that a name stands for, as execvp() would find it with this environment
 * (NULL: ours) in this directory (NULL: ours); malloc'd, or NULL.
 */
char *program_find(const char *name, const char *const *env, const char *directory);

#endif
