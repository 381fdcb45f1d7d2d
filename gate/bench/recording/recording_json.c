/* SPDX-License-Identifier: Apache-2.0 */
/* recording.json, written; recording_json_read.c reads it. */
#include "gate/bench/recording/recording_json.h"

#include <stdio.h>

#include "gate/bench/machine/calibration.h"
#include "gate/bench/recording/diff_json.h"
#include "gate/bench/recording/production_shares.h"
#include "gate/bench/recording/recording.h"
#include "gate/bench/recording/recording_fields.h"
#include "gate/net/json.h"

static void write_field(
	struct json_writer *writer, const struct field *field, const unsigned char *from)
{
	const void *value = from + field->offset;
	const char *const *string = value;

	json_write_key(writer, field->key);
	switch (field->kind) {
	case FIELD_STRING:
		json_write_string(writer, *string ? *string : "");
		break;
	case FIELD_DOUBLE:
		json_write_double(writer, *(const double *)value);
		break;
	case FIELD_UINT32:
		json_write_uint64(writer, *(const uint32_t *)value);
		break;
	case FIELD_UINT64:
		json_write_uint64(writer, *(const uint64_t *)value);
		break;
	case FIELD_UNSIGNED:
		json_write_uint64(writer, *(const unsigned *)value);
		break;
	case FIELD_LONG:
		json_write_uint64(writer, *(const unsigned long long *)value);
		break;
	case FIELD_BOOL:
		json_write_bool(writer, *(const bool *)value);
		break;
	case FIELD_WORD:
		json_write_string(writer, field->words[*(const unsigned *)value]);
		break;
	}
}

static void write_fields(
	struct json_writer *writer, const struct field_list *fields, const void *from)
{
	for (size_t i = 0; i < fields->count; i++)
		write_field(writer, &fields->items[i], from);
}

static void write_rounds(struct json_writer *writer, const struct recording *recording)
{
	size_t i;

	json_member_array(writer, "rounds");
	for (i = 0; i < recording->round_count; i++) {
		json_object_begin(writer);
		write_fields(writer, &round_fields, &recording->rounds[i]);
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_calibration(struct json_writer *writer, const struct calibration *calibration)
{
	json_member_object(writer, "calibration");
	for (size_t i = 0; i < CALIBRATION_COUNT; i++) {
		json_member_array(writer, calibration_names[i]);
		json_write_double(writer, calibration->ns[i]);
		json_write_double(writer, calibration->spread[i]);
		json_array_end(writer);
	}
	json_object_end(writer);
}

/* As text: JSON numbers do not hold 64 bits. */
static void write_long(
	struct json_writer *writer, const char *key, const char *format, unsigned long long number)
{
	char text[24];

	snprintf(text, sizeof(text), format, number);
	json_member_string(writer, key, text);
}

static void write_lines(
	struct json_writer *writer, const char *key, const char *const *lines, size_t count)
{
	json_member_array(writer, key);
	for (size_t i = 0; i < count && i < RECORDING_MAX_WARNINGS; i++)
		json_write_string(writer, lines[i]);
	json_array_end(writer);
}

static void write_acceptances(struct json_writer *writer, const struct recording_context *context)
{
	json_member_array(writer, "accept");
	for (size_t i = 0; i < context->acceptance_count; i++) {
		json_object_begin(writer);
		write_fields(writer, &acceptance_fields, &context->acceptances[i]);
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_context(struct json_writer *writer, const struct recording_context *context)
{
	if (!context->benchmarks_in_gate)
		return;
	json_member_object(writer, "check");
	write_fields(writer, &context_fields, context);
	for (size_t i = 0; i < CONTEXT_LINES; i++) {
		const struct recording_lines *lines = context_lines_of(context, i);

		write_lines(writer, context_line_keys[i], lines->items, lines->count);
	}
	write_acceptances(writer, context);
	diff_write_json(writer, "diff", &context->diff);
	production_write_json(writer, "production", &context->production);
	json_object_end(writer);
}

static void write_history(struct json_writer *writer, const struct recording *recording)
{
	if (!recording->history_count)
		return;
	json_member_array(writer, "history");
	for (size_t i = 0; i < recording->history_count && i < RECORDING_MAX_HISTORY; i++)
		json_write_double(writer, recording->history[i]);
	json_array_end(writer);
}

void recording_write_members(struct json_writer *writer, const struct recording *recording)
{
	write_fields(writer, &recording_fields, recording);
	write_long(writer, "time_ns", "%lld", (unsigned long long)recording->time_ns);
	write_long(writer, "seed", "%016llx", recording->seed);
	json_member_object(writer, "fingerprint");
	write_fields(writer, &fingerprint_fields, &recording->fingerprint);
	json_object_end(writer);
	write_calibration(writer, &recording->calibration);
	write_lines(writer, "warnings", recording->warnings, recording->warning_count);
}

void recording_encode(const struct recording *recording, struct strbuf *out)
{
	struct json_writer writer;

	json_writer_init(&writer, out, 2);
	json_object_begin(&writer);
	json_member_int64(&writer, "format", RECORDING_FORMAT);
	recording_write_members(&writer, recording);
	json_member_object(&writer, "policy");
	write_fields(&writer, &policy_fields, &recording->policy);
	json_object_end(&writer);
	write_context(&writer, &recording->context);
	write_history(&writer, recording);
	write_rounds(&writer, recording);
	recording_write_memory(&writer, recording);
	recording_write_calls(&writer, recording);
	recording_write_code(&writer, recording);
	json_object_end(&writer);
	strbuf_addch(out, '\n');
}
