/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of values of the schema table: how each is read, checked and shown. */
#ifndef FG_BENCH_CONFIG_VALUES_H
#define FG_BENCH_CONFIG_VALUES_H

#include "gate/bench/config/config_schema.h"

extern const struct config_type config_type_version;
extern const struct config_type config_type_name;
extern const struct config_type config_type_command;   /* struct config_benchmark */
extern const struct config_type config_type_commands;  /* const char *const *: shell commands */
extern const struct config_type config_type_directory; /* const char * */
extern const struct config_type
	config_type_environment;                      /* const char *const *: NAME=value, sorted */
extern const struct config_type config_type_names;    /* const char *const * */
extern const struct config_type config_type_duration; /* uint64_t ns */
extern const struct config_type config_type_percentage; /* double */
extern const struct config_type config_type_pairs;      /* struct config_policy */
extern const struct config_type config_type_cpus;       /* uint32_t */
extern const struct config_type config_type_work;       /* struct config_benchmark */
extern const struct config_type config_type_file;       /* const char * */
extern const struct config_type config_type_failure;    /* enum config_failure */
/* config_sampling.c: */
extern const struct config_type config_type_rate;      /* uint32_t, 0: auto */
extern const struct config_type config_type_profiles;  /* const char *const * */
extern const struct config_type config_type_alloc;     /* bool: sampled */
extern const struct config_type config_type_slices;    /* uint64_t ns, 0: off */
extern const struct config_type config_type_start;     /* bool: paused */
extern const struct config_type config_type_repeat;    /* uint32_t, 0: auto */
extern const struct config_type config_type_processes; /* const char *const *, NULL: auto */
/* config_harness.c: */
extern const struct config_type config_type_harness; /* enum config_harness */
extern const struct config_type config_type_globs;   /* const char *const * */
/* config_accept.c: */
extern const struct config_type config_type_accept_by;   /* const char *const * */
extern const struct config_type config_type_acceptances; /* struct config_acceptances */
extern const struct config_type config_type_text;        /* const char * */
extern const struct config_type config_type_metric;      /* const char * */
extern const struct config_type config_type_date;        /* const char * */
/* config_gate.c: */
extern const struct config_type config_type_gate; /* enum metric_gate [METRIC_COUNT] */
/* config_stores.c: */
extern const struct config_type config_type_stored;     /* enum config_stored */
extern const struct config_type config_type_screen;     /* enum config_screen */
extern const struct config_type config_type_store;      /* const char * */
extern const struct config_type config_type_stores;     /* const char *const * */
extern const struct config_type config_type_keep;       /* uint32_t */
extern const struct config_type config_type_prefix;     /* const char * */
extern const struct config_type config_type_production; /* const char *, NULL: none */

/* A non-empty scalar. */
int config_text(const struct config_reader *reader, const struct yaml_node *value, const char *path,
	const char **text);
/* A path that stays below where it starts. */
int config_inner_path(const struct config_reader *reader, const struct yaml_node *value,
	const char *path, const char **text);
/* Appends a list in a form that tells all lists apart. */
void config_show_list(const char *const *list, struct strbuf *out);

#endif
