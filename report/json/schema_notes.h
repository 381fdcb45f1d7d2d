/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields of report.json mean, for its published schema. */
#ifndef FG_REPORT_SCHEMA_NOTES_H
#define FG_REPORT_SCHEMA_NOTES_H

#include <stddef.h>

/*
 * One sentence about the part's field, or about the part itself (field NULL), or about a type (part
 * ""). NULL: its name says it all.
 */
const char *schema_note(const char *part, const char *field);

/* For tests: each note's place, "part" or "part.field"; NULL behind the last. */
const char *schema_note_place(size_t number);

#endif
