/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/pprof_scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gate/base/error.h"

/* Protocol buffers' wire types; 3 and 4 are groups, which proto3 does not have. */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* Field numbers of message Profile. */
enum { FIELD_SAMPLE = 2, FIELD_MAPPING = 3, FIELD_LOCATION = 4, FIELD_FUNCTION = 5, FIELDS = 7 };

/* What the older formats begin with: pprof's legacy_profile.go reads these. */
static const char *const legacy_starts[] = {"heap profile:", "heapprofile", "--- heap",
	"--- growth", "--- contention", "--- mutex", "--- threads", "--- Thread", "--- symbol",
	"--- profile", "goroutine profile:", "threadcreate profile:", "fragmentation profile:",
	"# runtime.MemStats", "javaheap", "MAPPED_LIBRARIES:"};

static bool starts_with(const unsigned char *data, size_t length, const char *start)
{
	size_t wanted = strlen(start);

	return length >= wanted && memcmp(data, start, wanted) == 0;
}

/* The binary CPU profile of gperftools starts with the words 0, 3, 0 of 4 or 8 bytes, in either
 * order. */
static bool is_legacy_binary(const unsigned char *data, size_t length)
{
	return length >= 12 && memcmp(data, "\0\0\0", 3) == 0;
}

bool pprof_is_legacy(const void *start, size_t length)
{
	const unsigned char *data = start;

	for (size_t i = 0; i < sizeof(legacy_starts) / sizeof(legacy_starts[0]); i++)
		if (starts_with(data, length, legacy_starts[i]))
			return true;
	return is_legacy_binary(data, length);
}

struct cursor {
	const unsigned char *at, *end;
};

static bool read_varint(struct cursor *cursor, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		unsigned char byte = *cursor->at++;

		result |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = result;
			return true;
		}
	}
	return false;
}

static bool skip(struct cursor *cursor, uint64_t bytes)
{
	if (bytes > (uint64_t)(cursor->end - cursor->at))
		return false;
	cursor->at += bytes;
	return true;
}

static bool skip_field(struct cursor *cursor, uint64_t *field)
{
	uint64_t key, value;

	if (!read_varint(cursor, &key))
		return false;
	*field = key >> 3;
	switch (key & 7) {
	case WIRE_VARINT:
		return *field && read_varint(cursor, &value);
	case WIRE_FIXED64:
		return *field && skip(cursor, 8);
	case WIRE_BYTES:
		return *field && read_varint(cursor, &value) && skip(cursor, value);
	case WIRE_FIXED32:
		return *field && skip(cursor, 4);
	default:
		return false;
	}
}

static int check_count(size_t count, size_t limit, const char *what, struct error *err)
{
	if (count > limit)
		return error_set(err, ERR_LIMIT, "the profile has more than %zu %s", limit, what);
	return ERR_OK;
}

static int check_counts(const size_t *counts, const struct pprof_limits *limits, struct error *err)
{
	int rc = check_count(counts[FIELD_SAMPLE], limits->max_samples, "samples", err);

	if (!rc)
		rc = check_count(counts[FIELD_LOCATION], limits->max_locations, "locations", err);
	if (!rc)
		rc = check_count(counts[FIELD_FUNCTION], limits->max_functions, "functions", err);
	if (!rc)
		rc = check_count(counts[FIELD_MAPPING], limits->max_locations, "mappings", err);
	return rc;
}

int pprof_scan(
	const void *data, size_t length, const struct pprof_limits *limits, struct error *err)
{
	const unsigned char *start = data;
	struct cursor cursor = {start, start + length};
	size_t counts[FIELDS] = {0};

	if (!length)
		return error_set(err, ERR_CORRUPT, "the profile is empty (0 bytes)");
	if (pprof_is_legacy(start, length))
		return error_set(err, ERR_CORRUPT,
			"this is a profile in one of pprof's older formats; convert it with "
			"\"pprof -proto PROGRAM FILE >NEW.pb.gz\"");
	while (cursor.at < cursor.end) {
		size_t offset = (size_t)(cursor.at - start);
		uint64_t field;

		if (!skip_field(&cursor, &field))
			return error_set(err, ERR_CORRUPT,
				"not a pprof profile: broken at byte %zu of %zu", offset, length);
		if (field < FIELDS)
			counts[field]++;
	}
	return check_counts(counts, limits, err);
}
