/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a pprof file, which may be hostile, to a profile: ids become indices, broken references are
 * refused, and memory is bounded.
 */
#include "gate/profile/pprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/profile/pprof_scan.h"
#include "profile.pb-c.h"

/*
 * How much memory protobuf-c may take for a byte of input. Profiles with stacks need 5 to 12, those
 * of single frames up to 25; nonsense such as empty messages of two bytes needs 60 and more.
 */
#define MEMORY_FACTOR 32
#define MEMORY_SLACK_BYTES ((size_t)1024 * 1024)
#define MEMORY_MAX_BYTES ((size_t)1536 * 1024 * 1024)

struct bounded_arena {
	struct arena arena;
	size_t limit;
	bool exceeded;
};

static void *bounded_alloc(void *data, size_t size)
{
	struct bounded_arena *bounded = data;

	if (size > bounded->limit || bounded->arena.used_bytes > bounded->limit - size) {
		bounded->exceeded = true;
		return NULL;
	}
	return arena_alloc(&bounded->arena, size);
}

static void bounded_free(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

/*
 * From a file's ids to the profile's indices. Nearly always ids are 1..N in order, and then id - 1
 * is the position; a map is kept only for files where they are not.
 */
struct id_table {
	const char *what;
	size_t count;
	bool dense;
	struct map positions;
	uint32_t *indices; /* position in the file -> index in the profile */
};

struct decoder {
	const struct pprof_limits *limits;
	const Perftools__Profiles__Profile *file;
	struct profile *profile;
	const char **strings; /* of the string table, interned when first used */
	struct id_table mappings, functions, locations;
	/* of the message at hand */
	struct profile_line *lines;
	struct profile_label *labels;
	uint32_t *sample_locations;
	size_t line_capacity, label_capacity, sample_location_capacity;
};

static int refuse_id(const struct id_table *table, uint64_t id, const char *why, struct error *err)
{
	return error_set(
		err, ERR_CORRUPT, "invalid pprof: %s id %" PRIu64 " %s", table->what, id, why);
}

static void table_init(struct id_table *table, const char *what, size_t count)
{
	memset(table, 0, sizeof(*table));
	table->what = what;
	table->dense = true;
	table->indices = xcalloc(count, sizeof(*table->indices));
	map_init(&table->positions);
}

static void table_release(struct id_table *table)
{
	free(table->indices);
	map_release(&table->positions);
}

/* From here on ids are looked up; those so far were 1..count. */
static void table_make_sparse(struct id_table *table)
{
	table->dense = false;
	for (uint64_t id = 1; id <= table->count; id++)
		map_put(&table->positions, &id, sizeof(id), (uint32_t)(id - 1));
}

static int table_add(struct id_table *table, uint64_t id, uint32_t index, struct error *err)
{
	bool added = true;

	if (!id)
		return refuse_id(table, id, "is reserved", err);
	if (table->dense && id != table->count + 1)
		table_make_sparse(table);
	if (!table->dense)
		map_intern(&table->positions, &id, sizeof(id), (uint32_t)table->count, &added);
	if (!added)
		return refuse_id(table, id, "is used twice", err);
	table->indices[table->count++] = index;
	return ERR_OK;
}

static bool table_find(const struct id_table *table, uint64_t id, uint32_t *index)
{
	uint32_t position =
		table->dense ? (uint32_t)(id - 1) : map_get(&table->positions, &id, sizeof(id));
	bool found = table->dense ? id >= 1 && id <= table->count : position != MAP_NONE;

	if (found)
		*index = table->indices[position];
	return found;
}

/* Only strings that are used are copied, and each once. */
static int get_string(struct decoder *dec, int64_t id, const char **out, struct error *err)
{
	size_t count = dec->file->n_string_table;

	if (id < 0 || ((uint64_t)id >= count && id != 0))
		return error_set(err, ERR_CORRUPT,
			"invalid pprof: string %" PRId64 " does not exist (the table has %zu)", id,
			count);
	if (id == 0) {
		*out = profile_intern(dec->profile, "");
		return ERR_OK;
	}
	if (!dec->strings[id]) {
		const char *string = dec->file->string_table[id];

		if (strlen(string) > dec->limits->max_name_bytes)
			return error_set(err, ERR_LIMIT,
				"string %" PRId64 " of the profile is longer than %zu bytes", id,
				dec->limits->max_name_bytes);
		dec->strings[id] = profile_intern(dec->profile, string);
	}
	*out = dec->strings[id];
	return ERR_OK;
}

static int get_value_type(struct decoder *dec, const Perftools__Profiles__ValueType *from,
	struct profile_value_type *to, struct error *err)
{
	int rc = get_string(dec, from->type, &to->type, err);

	return rc ? rc : get_string(dec, from->unit, &to->unit, err);
}

/* Not by profile_add_type(): values belong to types by position, also where two types are equal. */
static int decode_types(struct decoder *dec, struct error *err)
{
	struct profile *profile = dec->profile;
	size_t count = dec->file->n_sample_type;
	int rc = ERR_OK;

	profile->types =
		grow_array(profile->types, &profile->type_capacity, count, sizeof(*profile->types));
	for (size_t i = 0; i < count && !rc; i++)
		rc = get_value_type(dec, dec->file->sample_type[i], &profile->types[i], err);
	if (!rc)
		profile->type_count = count;
	return rc;
}

static int decode_mapping(
	struct decoder *dec, const Perftools__Profiles__Mapping *from, struct error *err)
{
	struct profile_mapping to = {
		.start = from->memory_start,
		.limit = from->memory_limit,
		.offset = from->file_offset,
		.has_functions = from->has_functions,
		.has_filenames = from->has_filenames,
		.has_line_numbers = from->has_line_numbers,
		.has_inline_frames = from->has_inline_frames,
	};
	int rc = get_string(dec, from->filename, &to.file, err);

	if (!rc)
		rc = get_string(dec, from->build_id, &to.build_id, err);
	if (!rc)
		rc = table_add(
			&dec->mappings, from->id, profile_add_mapping(dec->profile, &to), err);
	return rc;
}

static int decode_function(
	struct decoder *dec, const Perftools__Profiles__Function *from, struct error *err)
{
	struct profile_function to = {.start_line = from->start_line};
	int rc = get_string(dec, from->name, &to.name, err);

	if (!rc)
		rc = get_string(dec, from->system_name, &to.system_name, err);
	if (!rc)
		rc = get_string(dec, from->filename, &to.file, err);
	if (!rc)
		rc = table_add(
			&dec->functions, from->id, profile_add_function(dec->profile, &to), err);
	return rc;
}

/* The name that the symbolizer gives to an address that it cannot resolve. */
static uint32_t add_unnamed_function(struct profile *profile, uint32_t mapping, uint64_t address)
{
	struct profile_function function = {.name = "[unknown]"};
	struct strbuf name = STRBUF_INIT;
	uint32_t index;

	if (mapping != PROFILE_NO_MAPPING && *profile->mappings[mapping].file) {
		const struct profile_mapping *m = &profile->mappings[mapping];
		const char *slash = strrchr(m->file, '/');

		/* Run-time addresses differ from run to run: name the place in the file. */
		if (address >= m->start && address < m->limit)
			address = address - m->start + m->offset;
		strbuf_addf(&name, "[%s+0x%" PRIx64 "]", slash ? slash + 1 : m->file, address);
		function.name = name.data;
	}
	index = profile_add_function(profile, &function);
	strbuf_release(&name);
	return index;
}

static int fill_lines(
	struct decoder *dec, const Perftools__Profiles__Location *from, struct error *err)
{
	dec->lines =
		grow_array(dec->lines, &dec->line_capacity, from->n_line + 1, sizeof(*dec->lines));
	for (size_t i = 0; i < from->n_line; i++) {
		struct profile_line *line = &dec->lines[i];
		uint64_t id = from->line[i]->function_id;

		if (!table_find(&dec->functions, id, &line->function))
			return refuse_id(&dec->functions, id,
				"is used by a location but does not exist", err);
		line->line = from->line[i]->line;
	}
	return ERR_OK;
}

static int decode_location(
	struct decoder *dec, const Perftools__Profiles__Location *from, struct error *err)
{
	struct profile_location to = {.mapping = PROFILE_NO_MAPPING,
		.address = from->address,
		.line_count = from->n_line ? (uint32_t)from->n_line : 1,
		.is_folded = from->is_folded};
	int rc;

	if (from->n_line > dec->limits->max_depth)
		return error_set(err, ERR_LIMIT, "a location has more than %zu lines",
			dec->limits->max_depth);
	table_find(&dec->mappings, from->mapping_id, &to.mapping);
	rc = fill_lines(dec, from, err);
	if (rc)
		return rc;
	if (!from->n_line)
		dec->lines[0] = (struct profile_line){
			add_unnamed_function(dec->profile, to.mapping, to.address), 0};
	to.lines = dec->lines;
	return table_add(&dec->locations, from->id, profile_add_location(dec->profile, &to), err);
}

static int fill_locations(
	struct decoder *dec, const Perftools__Profiles__Sample *from, struct error *err)
{
	dec->sample_locations = grow_array(dec->sample_locations, &dec->sample_location_capacity,
		from->n_location_id, sizeof(*dec->sample_locations));
	for (size_t i = 0; i < from->n_location_id; i++)
		if (!table_find(&dec->locations, from->location_id[i], &dec->sample_locations[i]))
			return refuse_id(&dec->locations, from->location_id[i],
				"is used by a sample but does not exist", err);
	return ERR_OK;
}

static int fill_label(struct decoder *dec, const Perftools__Profiles__Label *from,
	struct profile_label *to, struct error *err)
{
	int rc = get_string(dec, from->key, &to->key, err);

	to->string = to->unit = NULL;
	to->number = from->str ? 0 : from->num;
	if (!rc && from->str)
		rc = get_string(dec, from->str, &to->string, err);
	else if (!rc)
		rc = get_string(dec, from->num_unit, &to->unit, err);
	return rc;
}

static int fill_labels(
	struct decoder *dec, const Perftools__Profiles__Sample *from, struct error *err)
{
	int rc = ERR_OK;

	dec->labels =
		grow_array(dec->labels, &dec->label_capacity, from->n_label, sizeof(*dec->labels));
	for (size_t i = 0; i < from->n_label && !rc; i++)
		rc = fill_label(dec, from->label[i], &dec->labels[i], err);
	return rc;
}

static int check_sample(
	struct decoder *dec, const Perftools__Profiles__Sample *from, struct error *err)
{
	if (from->n_value != dec->profile->type_count)
		return error_set(err, ERR_CORRUPT,
			"invalid pprof: a sample has %zu values for %zu sample types",
			from->n_value, dec->profile->type_count);
	if (from->n_location_id > dec->limits->max_depth)
		return error_set(err, ERR_LIMIT, "a sample has more than %zu locations",
			dec->limits->max_depth);
	if (from->n_label > dec->limits->max_labels)
		return error_set(err, ERR_LIMIT, "a sample has more than %zu labels",
			dec->limits->max_labels);
	return ERR_OK;
}

static int decode_sample(
	struct decoder *dec, const Perftools__Profiles__Sample *from, struct error *err)
{
	struct profile_sample to = {.depth = (uint32_t)from->n_location_id,
		.values = from->value,
		.label_count = (uint32_t)from->n_label};
	int rc = check_sample(dec, from, err);

	if (!rc)
		rc = fill_locations(dec, from, err);
	if (!rc)
		rc = fill_labels(dec, from, err);
	if (rc)
		return rc;
	to.locations = dec->sample_locations;
	to.labels = dec->labels;
	profile_add_sample(dec->profile, &to);
	return ERR_OK;
}

static int decode_tables(struct decoder *dec, struct error *err)
{
	const Perftools__Profiles__Profile *file = dec->file;
	int rc = ERR_OK;

	for (size_t i = 0; i < file->n_mapping && !rc; i++)
		rc = decode_mapping(dec, file->mapping[i], err);
	for (size_t i = 0; i < file->n_function && !rc; i++)
		rc = decode_function(dec, file->function[i], err);
	for (size_t i = 0; i < file->n_location && !rc; i++)
		rc = decode_location(dec, file->location[i], err);
	for (size_t i = 0; i < file->n_sample && !rc; i++)
		rc = decode_sample(dec, file->sample[i], err);
	return rc;
}

static int decode_default_type(struct decoder *dec, struct error *err)
{
	struct profile *profile = dec->profile;
	const char *name;
	int rc = get_string(dec, dec->file->default_sample_type, &name, err);
	int found;

	if (rc || !profile->type_count)
		return rc;
	found = *name ? profile_find_type(profile, name) : -1;
	profile->default_type = found >= 0 ? (size_t)found : profile->type_count - 1;
	return ERR_OK;
}

static int decode_header(struct decoder *dec, struct error *err)
{
	const Perftools__Profiles__Profile *file = dec->file;
	struct profile *profile = dec->profile;
	int rc = decode_default_type(dec, err);

	profile->time_ns = file->time_nanos;
	profile->duration_ns = file->duration_nanos;
	profile->period = file->period;
	if (!rc && file->period_type)
		rc = get_value_type(dec, file->period_type, &profile->period_type, err);
	for (size_t i = 0; i < file->n_comment && !rc; i++) {
		const char *comment;

		rc = get_string(dec, file->comment[i], &comment, err);
		if (!rc)
			profile_add_comment(profile, comment);
	}
	return rc;
}

static int decode_message(struct decoder *dec, struct error *err)
{
	const Perftools__Profiles__Profile *file = dec->file;
	int rc;

	if (file->n_string_table && *file->string_table[0])
		return error_set(err, ERR_CORRUPT,
			"invalid pprof: the string table's first entry is not empty");
	rc = decode_types(dec, err);
	if (!rc)
		rc = decode_tables(dec, err);
	return rc ? rc : decode_header(dec, err);
}

static int convert(const Perftools__Profiles__Profile *file, const struct pprof_limits *limits,
	struct profile **out, struct error *err)
{
	struct decoder dec = {.limits = limits, .file = file, .profile = profile_new()};
	int rc;

	dec.strings = xcalloc(file->n_string_table, sizeof(*dec.strings));
	table_init(&dec.mappings, "mapping", file->n_mapping);
	table_init(&dec.functions, "function", file->n_function);
	table_init(&dec.locations, "location", file->n_location);
	rc = decode_message(&dec, err);
	if (rc)
		profile_free(dec.profile);
	else
		*out = dec.profile;
	table_release(&dec.mappings);
	table_release(&dec.functions);
	table_release(&dec.locations);
	free(dec.lines);
	free(dec.labels);
	free(dec.sample_locations);
	free(dec.strings);
	return rc;
}

static size_t memory_limit(size_t length)
{
	if (length > (MEMORY_MAX_BYTES - MEMORY_SLACK_BYTES) / MEMORY_FACTOR)
		return MEMORY_MAX_BYTES;
	return length * MEMORY_FACTOR + MEMORY_SLACK_BYTES;
}

static int decode_raw(const void *data, size_t length, const struct pprof_limits *limits,
	struct profile **out, struct error *err)
{
	struct bounded_arena memory = {.limit = memory_limit(length)};
	ProtobufCAllocator allocator = {bounded_alloc, bounded_free, &memory};
	Perftools__Profiles__Profile *file;
	int rc = pprof_scan(data, length, limits, err);

	if (rc)
		return rc;
	file = perftools__profiles__profile__unpack(&allocator, length, data);
	if (file)
		rc = convert(file, limits, out, err);
	else if (memory.exceeded)
		rc = error_set(err, ERR_LIMIT,
			"the profile of %zu bytes needs more than %zu bytes of memory", length,
			memory.limit);
	else
		rc = error_set(err, ERR_CORRUPT, "not a pprof profile: a message in it is broken");
	arena_release(&memory.arena);
	return rc;
}

int pprof_decode(const void *data, size_t length, const struct pprof_limits *limits,
	struct profile **out, struct error *err)
{
	struct strbuf raw = STRBUF_INIT;
	int rc;

	if (!limits)
		limits = &pprof_default_limits;
	if (!gzip_is_compressed(data, length)) {
		if (length > limits->max_bytes)
			return error_set(err, ERR_LIMIT, "the profile is larger than %zu bytes",
				limits->max_bytes);
		return decode_raw(data, length, limits, out, err);
	}
	rc = gzip_decompress(data, length, limits->max_bytes, &raw, err);
	if (!rc)
		rc = decode_raw(raw.data, raw.length, limits, out, err);
	strbuf_release(&raw);
	return rc;
}
