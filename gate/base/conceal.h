/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps our environment from the code that we measure. It runs as the same user, and the kernel
 * shows that user each process's environment in /proc/PID/environ, its memory and its open files: a
 * token that we were started with would be anybody's who looks through the processes above it.
 */
#ifndef FG_BASE_CONCEAL_H
#define FG_BASE_CONCEAL_H

/*
 * Early in main(), before any thread or process is started. Moves environ to the heap and wipes
 * what the kernel shows of it; then makes this process and its forked copies undumpable, so that
 * other processes of the user can neither read their memory and descriptors nor trace them (root
 * can). Programs that we execute are as readable as ever. environ and getenv() work as before;
 * pointers that were taken from them earlier point to empty strings.
 */
void conceal_environment(void);

#endif
