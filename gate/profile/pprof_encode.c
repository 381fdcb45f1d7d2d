/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a profile to a pprof file, message by message, with bytes that depend on the profile alone.
 */
#include "gate/profile/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "profile.pb-c.h"

/* Field numbers of message Profile. */
enum {
	FIELD_SAMPLE_TYPE = 1,
	FIELD_SAMPLE = 2,
	FIELD_MAPPING = 3,
	FIELD_LOCATION = 4,
	FIELD_FUNCTION = 5,
	FIELD_STRING = 6,
};
#define WIRE_BYTES 2

/*
 * Messages are packed one at a time and appended, which protocol buffers define to be the same as
 * one message with all of them; so nothing as large as the profile is built in memory twice.
 */
struct encoder {
	const struct profile *profile;
	struct strbuf out;   /* uncompressed, without the string table */
	struct strbuf table; /* the string table's fields, in the order of first use */
	struct map strings;
	uint32_t string_count;
	/* scratch, reused by every sample or location */
	uint64_t *ids;
	Perftools__Profiles__Label *labels, **label_list;
	Perftools__Profiles__Line *lines, **line_list;
	size_t id_capacity, label_capacity, label_list_capacity, line_capacity, line_list_capacity;
};

static void add_varint(struct strbuf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		strbuf_addch(out, (char)(0x80 | (value & 0x7f)));
	strbuf_addch(out, (char)value);
}

static void add_length(struct strbuf *out, unsigned field, size_t length)
{
	add_varint(out, field << 3 | WIRE_BYTES);
	add_varint(out, length);
}

static void append_packed(struct strbuf *out, const ProtobufCMessage *message, size_t size)
{
	strbuf_reserve(out, size);
	protobuf_c_message_pack(message, (uint8_t *)out->data + out->length);
	out->length += size;
	out->data[out->length] = '\0';
}

static void add_message(struct encoder *enc, unsigned field, const ProtobufCMessage *message)
{
	size_t size = protobuf_c_message_get_packed_size(message);

	add_length(&enc->out, field, size);
	append_packed(&enc->out, message, size);
}

/* The string's index in the string table. */
static int64_t string_id(struct encoder *enc, const char *string)
{
	size_t length = string ? strlen(string) : 0;
	bool added;
	uint32_t id =
		map_intern(&enc->strings, string ? string : "", length, enc->string_count, &added);

	if (added) {
		enc->string_count++;
		add_length(&enc->table, FIELD_STRING, length);
		strbuf_add(&enc->table, string, length);
	}
	return id;
}

static void encode_types(struct encoder *enc)
{
	for (size_t i = 0; i < enc->profile->type_count; i++) {
		Perftools__Profiles__ValueType type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;

		type.type = string_id(enc, enc->profile->types[i].type);
		type.unit = string_id(enc, enc->profile->types[i].unit);
		add_message(enc, FIELD_SAMPLE_TYPE, &type.base);
	}
}

static void fill_labels(struct encoder *enc, const struct profile_sample *sample)
{
	enc->labels = grow_array(
		enc->labels, &enc->label_capacity, sample->label_count, sizeof(*enc->labels));
	enc->label_list = grow_array(enc->label_list, &enc->label_list_capacity,
		sample->label_count, sizeof(*enc->label_list));
	for (uint32_t i = 0; i < sample->label_count; i++) {
		const struct profile_label *from = &sample->labels[i];
		Perftools__Profiles__Label *to = &enc->labels[i];

		perftools__profiles__label__init(to);
		to->key = string_id(enc, from->key);
		if (from->string) {
			to->str = string_id(enc, from->string);
		} else {
			to->num = from->number;
			to->num_unit = string_id(enc, from->unit);
		}
		enc->label_list[i] = to;
	}
}

static int encode_sample(
	struct encoder *enc, const struct profile_sample *sample, struct error *err)
{
	Perftools__Profiles__Sample message = PERFTOOLS__PROFILES__SAMPLE__INIT;

	enc->ids = grow_array(enc->ids, &enc->id_capacity, sample->depth, sizeof(*enc->ids));
	for (uint32_t i = 0; i < sample->depth; i++) {
		if (sample->locations[i] >= enc->profile->location_count)
			return error_set(err, ERR_CORRUPT, "a sample refers to location %u of %zu",
				sample->locations[i], enc->profile->location_count);
		enc->ids[i] = (uint64_t)sample->locations[i] + 1;
	}
	fill_labels(enc, sample);
	message.n_location_id = sample->depth;
	message.location_id = enc->ids;
	message.n_value = enc->profile->type_count;
	message.value = (int64_t *)sample->values;
	message.n_label = sample->label_count;
	message.label = enc->label_list;
	add_message(enc, FIELD_SAMPLE, &message.base);
	return ERR_OK;
}

static int encode_samples(struct encoder *enc, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < enc->profile->sample_count && !rc; i++)
		rc = encode_sample(enc, &enc->profile->samples[i], err);
	return rc;
}

static void encode_mappings(struct encoder *enc)
{
	for (size_t i = 0; i < enc->profile->mapping_count; i++) {
		const struct profile_mapping *from = &enc->profile->mappings[i];
		Perftools__Profiles__Mapping to = PERFTOOLS__PROFILES__MAPPING__INIT;

		to.id = i + 1;
		to.memory_start = from->start;
		to.memory_limit = from->limit;
		to.file_offset = from->offset;
		to.filename = string_id(enc, from->file);
		to.build_id = string_id(enc, from->build_id);
		to.has_functions = from->has_functions;
		to.has_filenames = from->has_filenames;
		to.has_line_numbers = from->has_line_numbers;
		to.has_inline_frames = from->has_inline_frames;
		add_message(enc, FIELD_MAPPING, &to.base);
	}
}

static int fill_lines(
	struct encoder *enc, const struct profile_location *location, struct error *err)
{
	enc->lines = grow_array(
		enc->lines, &enc->line_capacity, location->line_count, sizeof(*enc->lines));
	enc->line_list = grow_array(enc->line_list, &enc->line_list_capacity, location->line_count,
		sizeof(*enc->line_list));
	for (uint32_t i = 0; i < location->line_count; i++) {
		if (location->lines[i].function >= enc->profile->function_count)
			return error_set(err, ERR_CORRUPT,
				"a location refers to function %u of %zu",
				location->lines[i].function, enc->profile->function_count);
		perftools__profiles__line__init(&enc->lines[i]);
		enc->lines[i].function_id = (uint64_t)location->lines[i].function + 1;
		enc->lines[i].line = location->lines[i].line;
		enc->line_list[i] = &enc->lines[i];
	}
	return ERR_OK;
}

static int encode_location(struct encoder *enc, size_t index, struct error *err)
{
	const struct profile_location *from = &enc->profile->locations[index];
	Perftools__Profiles__Location to = PERFTOOLS__PROFILES__LOCATION__INIT;
	int rc = fill_lines(enc, from, err);

	if (rc)
		return rc;
	if (from->mapping != PROFILE_NO_MAPPING && from->mapping >= enc->profile->mapping_count)
		return error_set(err, ERR_CORRUPT, "a location refers to mapping %u of %zu",
			from->mapping, enc->profile->mapping_count);
	to.id = index + 1;
	to.mapping_id = from->mapping == PROFILE_NO_MAPPING ? 0 : (uint64_t)from->mapping + 1;
	to.address = from->address;
	to.n_line = from->line_count;
	to.line = enc->line_list;
	to.is_folded = from->is_folded;
	add_message(enc, FIELD_LOCATION, &to.base);
	return ERR_OK;
}

static int encode_locations(struct encoder *enc, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < enc->profile->location_count && !rc; i++)
		rc = encode_location(enc, i, err);
	return rc;
}

static void encode_functions(struct encoder *enc)
{
	for (size_t i = 0; i < enc->profile->function_count; i++) {
		const struct profile_function *from = &enc->profile->functions[i];
		Perftools__Profiles__Function to = PERFTOOLS__PROFILES__FUNCTION__INIT;

		to.id = i + 1;
		to.name = string_id(enc, from->name);
		to.system_name = string_id(enc, from->system_name);
		to.filename = string_id(enc, from->file);
		to.start_line = from->start_line;
		add_message(enc, FIELD_FUNCTION, &to.base);
	}
}

/*
 * The default is stored by its name, and a reader takes the first type of that name. Without a name
 * the last type is meant: needed where an earlier type has the same name.
 */
static int64_t default_type_id(struct encoder *enc)
{
	const struct profile *profile = enc->profile;

	if (profile->default_type >= profile->type_count)
		return 0;
	const char *name = profile->types[profile->default_type].type;

	if ((size_t)profile_find_type(profile, name) != profile->default_type)
		return 0;
	return string_id(enc, name);
}

static void encode_header(struct encoder *enc)
{
	const struct profile *profile = enc->profile;
	Perftools__Profiles__Profile header = PERFTOOLS__PROFILES__PROFILE__INIT;
	Perftools__Profiles__ValueType period_type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
	int64_t *comments = xcalloc(profile->comment_count, sizeof(*comments));

	period_type.type = string_id(enc, profile->period_type.type);
	period_type.unit = string_id(enc, profile->period_type.unit);
	for (size_t i = 0; i < profile->comment_count; i++)
		comments[i] = string_id(enc, profile->comments[i]);
	if (period_type.type || period_type.unit)
		header.period_type = &period_type;
	header.time_nanos = profile->time_ns;
	header.duration_nanos = profile->duration_ns;
	header.period = profile->period;
	header.n_comment = profile->comment_count;
	header.comment = comments;
	header.default_sample_type = default_type_id(enc);
	append_packed(&enc->out, &header.base, protobuf_c_message_get_packed_size(&header.base));
	free(comments);
}

static int encode_raw(struct encoder *enc, struct error *err)
{
	int rc;

	string_id(enc, "");
	encode_types(enc);
	rc = encode_samples(enc, err);
	if (rc)
		return rc;
	encode_mappings(enc);
	rc = encode_locations(enc, err);
	if (rc)
		return rc;
	encode_functions(enc);
	encode_header(enc);
	strbuf_add(&enc->out, enc->table.data, enc->table.length);
	return ERR_OK;
}

static void encoder_release(struct encoder *enc)
{
	strbuf_release(&enc->out);
	strbuf_release(&enc->table);
	map_release(&enc->strings);
	free(enc->ids);
	free(enc->labels);
	free(enc->label_list);
	free(enc->lines);
	free(enc->line_list);
}

int pprof_encode(const struct profile *profile, struct strbuf *out, struct error *err)
{
	struct encoder enc = {.profile = profile, .out = STRBUF_INIT, .table = STRBUF_INIT};
	int rc;

	map_init(&enc.strings);
	rc = encode_raw(&enc, err);
	if (!rc)
		rc = gzip_compress(enc.out.data, enc.out.length, out, err);
	if (rc)
		error_prefix(err, "cannot write the profile");
	encoder_release(&enc);
	return rc;
}
