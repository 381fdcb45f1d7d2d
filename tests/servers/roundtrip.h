/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FG_TESTS_SERVERS_ROUNDTRIP_H
#define FG_TESTS_SERVERS_ROUNDTRIP_H

struct recording;

/* Prints what of the recording came back as it was, and what did not (see roundtrip.c). */
void roundtrip_compare(const struct recording *before, const struct recording *after);

#endif
