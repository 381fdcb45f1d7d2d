/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counted instructions as samples of a profile: by function where valgrind counted them, as one
 * frame where the hardware did.
 */
#include "gate/bench/instructions/instructions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/elf/elf_file.h"
#include "gate/profile/callgrind/callgrind.h"
#include "gate/profile/profile_kind.h"

#define MAX_OBJECT_BYTES ((size_t)256 << 20)
#define MAX_ALL_OBJECTS_BYTES ((size_t)2 << 30)

/* A file of counts can name any number of objects: what is read of all of them is bounded. */
struct build_ids {
	struct arena *arena;
	size_t bytes_left;
};

/* An object's path is what valgrind wrote down; a file that cannot be read has no build id. */
static const char *read_build_id(void *data, const char *object)
{
	struct build_ids *ids = data;
	size_t most = ids->bytes_left < MAX_OBJECT_BYTES ? ids->bytes_left : MAX_OBJECT_BYTES;
	struct strbuf content = STRBUF_INIT;
	struct elf_file elf;
	size_t offset, length;
	char *hex = NULL;

	if (most && file_read(object, most, &content, NULL) == ERR_OK &&
		elf_file_open(&elf, content.data, content.length) == ELF_KIND_NATIVE &&
		elf_file_build_id(&elf, &offset, &length)) {
		hex = arena_array(ids->arena, 2 * length + 1, 1);
		for (size_t i = 0; i < length; i++)
			snprintf(hex + 2 * i, 3, "%02x", elf.data[offset + i]);
	}
	ids->bytes_left -= content.length;
	strbuf_release(&content);
	return hex;
}

/* The hardware knows no functions: all is one. */
static int add_total(const struct instructions_run *run, int64_t round, struct profile *profile,
	struct error *err)
{
	const struct profile_value_type *type = profile_kind_find("instructions")->types;
	char name[128];
	struct profile_function function = {.name = name, .system_name = "", .file = ""};
	struct profile_line line = {0};
	struct profile_location location = {
		.mapping = PROFILE_NO_MAPPING, .lines = &line, .line_count = 1};
	struct profile_label label = {.key = PROFILE_LABEL_ROUND, .number = round, .unit = ""};
	int64_t value = (int64_t)run->instructions;
	uint32_t leaf;

	if (!profile->type_count)
		profile_add_type(profile, type->type, type->unit);
	if (profile->type_count != 1 || profile_find_type(profile, type->type) != 0)
		return error_set(err, ERR_USAGE, "the profile is not one of instructions");
	snprintf(name, sizeof(name), "[%s]", run->program);
	line.function = profile_add_function(profile, &function);
	leaf = profile_add_location(profile, &location);
	profile_add_sample(profile, &(struct profile_sample){.locations = &leaf,
					    .depth = 1,
					    .values = &value,
					    .labels = &label,
					    .label_count = 1});
	return ERR_OK;
}

static void warn(struct profile *profile, struct arena *arena, const struct instructions_run *run)
{
	if (run->randomized)
		profile_add_comment_once(profile,
			"warning: this system does not let address space randomisation be switched "
			"off: counts may differ from run to run");
	if (run->lost)
		profile_add_comment_once(
			profile, arena_printf(arena,
					 "warning: %zu processes were killed or replaced before "
					 "their instructions could be counted",
					 run->lost));
}

int instructions_profile(const struct instructions_run *run, int64_t round,
	const char *const *strip_prefixes, struct profile *profile, struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct build_ids ids = {&arena, MAX_ALL_OBJECTS_BYTES};
	struct callgrind_options options = {.round = round,
		.strip_prefixes = strip_prefixes,
		.build_id = read_build_id,
		.build_id_data = &ids};
	int rc = run->counts ? callgrind_add_samples(run->counts, &options, profile, err)
			     : add_total(run, round, profile, err);

	if (!rc)
		warn(profile, &arena, run);
	arena_release(&arena);
	return rc;
}
