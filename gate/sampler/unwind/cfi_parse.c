/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of .eh_frame: what an FDE covers, and the CIE it shares with others. */
#include "gate/sampler/unwind/cfi.h"

struct entry {
	struct cfi_reader body; /* behind the id field, up to the entry's end */
	uint64_t id_at;         /* address of the id field: a CIE pointer counts back from it */
	uint32_t id;            /* 0: a CIE */
};

static enum cfi_status read_entry(
	const struct cfi_image *image, uint64_t address, struct entry *entry)
{
	const struct cfi_span *span = fg_cfi_span(image, address, 4);
	struct cfi_reader reader;
	uint64_t size;

	if (!span)
		return CFI_BAD;
	reader = (struct cfi_reader){.at = (const uint8_t *)(uintptr_t)address,
		.end = (const uint8_t *)(uintptr_t)span->high};
	size = cfi_u32(&reader);
	if (size == UINT32_MAX)
		size = cfi_u64(&reader);
	if (size == 0)
		return CFI_NONE;
	if (size > cfi_left(&reader))
		return CFI_BAD;
	reader.end = reader.at + size;
	entry->id_at = (uint64_t)(uintptr_t)reader.at;
	entry->id = cfi_u32(&reader);
	entry->body = reader;
	return reader.bad ? CFI_BAD : CFI_OK;
}

/* The augmentation's data, one letter at a time; unknown letters end what we can read of it. */
static void read_augmentation(struct cfi_reader *data, const uint8_t *letters, struct cfi_fde *fde)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			fde->encoding = cfi_u8(data);
			break;
		case 'P':
			fg_cfi_skip_pointer(data, cfi_u8(data));
			break;
		case 'L':
			cfi_u8(data);
			break;
		case 'S':
			fde->signal = true;
			break;
		case 'B': /* aarch64: signed with key B; tagged memory. Both without data. */
		case 'G':
			break;
		default:
			return;
		}
	}
}

static const uint8_t *read_string(struct cfi_reader *reader)
{
	const uint8_t *string = reader->at;

	while (!reader->bad && cfi_u8(reader))
		;
	return reader->bad ? (const uint8_t *)"" : string;
}

/* Without the 'z' only the oldest compilers' forms are left: none,
 * and "eh" with one word of data. */
static bool read_common_tail(struct cfi_reader *reader, const uint8_t *letters, struct cfi_fde *fde)
{
	struct cfi_reader data;
	uint64_t size;

	if (letters[0] != 'z')
		return letters[0] == 0 || (letters[0] == 'e' && letters[1] == 'h' && !letters[2]);
	size = fg_cfi_uleb(reader);
	data = *reader;
	if (!cfi_take(reader, size))
		return false;
	data.end = data.at + size;
	read_augmentation(&data, letters + 1, fde);
	return !data.bad;
}

static bool read_common(struct cfi_reader reader, struct cfi_fde *fde, bool *augmented)
{
	uint8_t version = cfi_u8(&reader);
	const uint8_t *letters = read_string(&reader);
	uint64_t return_register;

	if (version != 1 && version != 3)
		return false;
	if (letters[0] == 'e')
		cfi_u64(&reader);
	fde->code_align = fg_cfi_uleb(&reader);
	fde->data_align = fg_cfi_sleb(&reader);
	return_register = version == 1 ? cfi_u8(&reader) : fg_cfi_uleb(&reader);
	fde->encoding = DW_EH_PE_absptr;
	fde->signal = false;
	*augmented = letters[0] == 'z';
	if (return_register != DWARF_RETURN || !read_common_tail(&reader, letters, fde))
		return false;
	fde->common = reader;
	return !reader.bad;
}

enum cfi_status fg_cfi_parse_fde(
	const struct cfi_image *image, uint64_t address, struct cfi_fde *fde)
{
	struct entry own, common;
	enum cfi_status status = read_entry(image, address, &own);
	bool augmented;

	if (status != CFI_OK)
		return status;
	if (own.id == 0)
		return CFI_NONE;
	if (read_entry(image, own.id_at - own.id, &common) != CFI_OK || common.id != 0 ||
		!read_common(common.body, fde, &augmented))
		return CFI_BAD;
	fde->start = fg_cfi_pointer(&own.body, fde->encoding, image->hdr);
	fde->size = fg_cfi_pointer(&own.body, fde->encoding & DW_EH_PE_format, 0);
	if (augmented)
		cfi_take(&own.body, fg_cfi_uleb(&own.body));
	fde->own = own.body;
	return own.body.bad ? CFI_BAD : CFI_OK;
}
