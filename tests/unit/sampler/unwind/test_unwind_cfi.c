/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of unwind information on hand-made sections: every encoding, instruction and form. */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include "gate/sampler/unwind/cfi_rule.h"
#include "gate/sampler/unwind/unwind_step.h"

/* ---- the CFA program ------------------------------------------------------------------------- */

static const uint8_t usual_common[] = {0x0c, 7, 8, 0x90, 1}; /* CFA = rsp + 8; rip at CFA - 8 */

static enum cfi_status run_at(uint64_t pc, const uint8_t *program, size_t size, struct cfi_row *row)
{
	const struct cfi_fde fde = {.start = 0x1000,
		.size = 0x1000,
		.common = {usual_common, usual_common + sizeof(usual_common), false},
		.own = {program, program + size, false},
		.code_align = 1,
		.data_align = -8};

	return fg_cfi_run(&fde, pc, row);
}

#define RUN(pc, row, ...)                                                                          \
	run_at(pc, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), row)

static void test_program_stops_at_the_wanted_address(void **state)
{
	struct cfi_row row;

	(void)state;
	/* push rbp at 0x1000..0x1001; mov rsp,rbp until 0x1004; body */
	for (uint64_t pc = 0x1000; pc < 0x1006; pc++) {
		assert_int_equal(RUN(pc, &row, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6), CFI_OK);
		assert_int_equal(row.cfa.offset, pc < 0x1001 ? 8 : 16);
		assert_int_equal(row.cfa.reg, pc < 0x1004 ? DWARF_SP : DWARF_FP);
		assert_int_equal(row.reg[FG_FP].how, pc < 0x1001 ? CFI_SAME : CFI_AT_CFA);
		assert_int_equal(row.reg[FG_FP].offset, pc < 0x1001 ? 0 : -16);
		assert_int_equal(row.reg[FG_PC].offset, -8);
	}
}

static void test_advances_of_all_widths_add_up(void **state)
{
	struct cfi_row row;

	(void)state;
	assert_int_equal(RUN(0x1000 + 1 + 2 + 0x102 + 3, &row, 0x41, 0x02, 2, 0x03, 2, 1, 0x04, 3,
				 0, 0, 0, 0x0e, 24),
		CFI_OK);
	assert_int_equal(row.cfa.offset, 24);
	assert_int_equal(RUN(0x1000 + 1 + 2 + 0x102 + 2, &row, 0x41, 0x02, 2, 0x03, 2, 1, 0x04, 3,
				 0, 0, 0, 0x0e, 24),
		CFI_OK);
	assert_int_equal(row.cfa.offset, 8);
}

static void test_remembered_state_holds_cfa_and_registers(void **state)
{
	struct cfi_row row;

	(void)state;
	assert_int_equal(RUN(0x1000, &row, 0x83, 3, 0x0a, 0x0e, 80, 0xc3, 0x86, 4, 0x0b), CFI_OK);
	assert_int_equal(row.cfa.offset, 8);
	assert_int_equal(row.reg[FG_SPARE].offset, -24);
	assert_int_equal(row.reg[FG_FP].how, CFI_SAME);
}

static void test_restore_goes_back_to_the_common_rule(void **state)
{
	struct cfi_row row;

	(void)state;
	assert_int_equal(RUN(0x1000, &row, 0x07, 16, 0x83, 3, 0xc3, 0x06, 16), CFI_OK);
	assert_int_equal(row.reg[FG_SPARE].how, CFI_SAME);
	assert_int_equal(row.reg[FG_PC].how, CFI_AT_CFA);
}

static void test_register_rules_of_every_kind_are_read(void **state)
{
	struct cfi_row row;

	(void)state;
	assert_int_equal(RUN(0x1000, &row, 0x09, 16, 5, 0x14, 7, 2, 0x05, 3, 4, 0x11, 6, 0x7e, 0x2e,
				 32, 0x08, 12, 0x2f, 13, 1),
		CFI_OK);
	assert_int_equal(row.reg[FG_PC].how, CFI_IN_REG);
	assert_int_equal(row.reg[FG_PC].reg, 5);
	assert_int_equal(row.reg[FG_SP].how, CFI_IS_CFA);
	assert_int_equal(row.reg[FG_SP].offset, -16);
	assert_int_equal(row.reg[FG_SPARE].offset, -32);
	assert_int_equal(row.reg[FG_FP].offset, 16);
	assert_int_equal(RUN(0x1000, &row, 0x12, 6, 0x7e, 0x15, 3, 1, 0x16, 6, 1, 0x30), CFI_OK);
	assert_int_equal(row.cfa.offset, 16);
	assert_int_equal(row.reg[FG_SPARE].how, CFI_IS_CFA);
	assert_int_equal(row.reg[FG_FP].how, CFI_IS_EXPR);
	assert_int_equal(RUN(0x1000, &row, 0x13, 0x7d, 0x10, 3, 2, 0x77, 0), CFI_OK);
	assert_int_equal(row.cfa.offset, 24);
	assert_int_equal(row.reg[FG_SPARE].how, CFI_AT_EXPR);
}

static void test_broken_programs_are_refused(void **state)
{
	struct cfi_row row;

	(void)state;
	assert_int_equal(RUN(0x1000, &row, 0x3f, 0), CFI_BAD);         /* no such instruction */
	assert_int_equal(RUN(0x1000, &row, 0x0b), CFI_BAD);            /* nothing remembered */
	assert_int_equal(RUN(0x1000, &row, 0x0c, 7), CFI_BAD);         /* cut short */
	assert_int_equal(RUN(0x1000, &row, 0x0d, 99), CFI_BAD);        /* no such register */
	assert_int_equal(RUN(0x1000, &row, 0x0f, 100, 0x30), CFI_BAD); /* expression cut short */
	assert_int_equal(RUN(0x1000, &row, 0x0f, 1, 0x30, 0x0e, 8), CFI_BAD); /* not reg + offset */
	assert_int_equal(
		RUN(0x1000, &row, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a), CFI_BAD);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool three_registers(void *context, uint64_t number, uint64_t *value)
{
	(void)context;
	*value = number * 1000;
	return number <= DWARF_PC;
}

static bool own_address(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	*value = address + 1;
	return address != 0;
}

static bool evaluate(const uint8_t *code, size_t size, bool symbolic, struct cfi_value *result)
{
	const struct cfi_machine machine = {three_registers, own_address, NULL};
	const struct cfi_place place = {.how = CFI_IS_EXPR, .expr = code, .size = (uint32_t)size};

	return fg_cfi_evaluate(&place, symbolic ? NULL : &machine, 0x401b, NULL, result);
}

#define EVALUATE(symbolic, result, ...)                                                            \
	evaluate((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), symbolic, \
		result)

static void test_expression_arithmetic_is_exact(void **state)
{
	struct cfi_value value;

	(void)state;
	assert_true(EVALUATE(false, &value, 0x0a, 0x34, 0x12, 0x09, 0xff, 0x22));
	assert_int_equal(value.add, 0x1233);
	assert_true(EVALUATE(false, &value, 0x11, 0x78, 0x33, 0x1b)); /* -8 / 3 */
	assert_int_equal((int64_t)value.add, -2);
	assert_true(EVALUATE(false, &value, 0x31, 0x33, 0x1c)); /* 1 - 3 */
	assert_int_equal((int64_t)value.add, -2);
	assert_true(EVALUATE(false, &value, 0x09, 0xf0, 0x32, 0x26)); /* -16 >> 2 */
	assert_int_equal((int64_t)value.add, -4);
	/* 1 2 3 rotated is 3 1 2: 3 - (1 - 2) */
	assert_true(EVALUATE(false, &value, 0x31, 0x32, 0x33, 0x17, 0x1c, 0x1c));
	assert_int_equal(value.add, 4);
	assert_true(EVALUATE(false, &value, 0x77, 8, 0x06, 0x23, 5)); /* *(rsp + 8) + 5 */
	assert_int_equal(value.add, 7000 + 8 + 1 + 5);
	assert_true(EVALUATE(false, &value, 0x31, 0x28, 1, 0, 0x30, 0x35)); /* bra over lit0 */
	assert_int_equal(value.add, 5);
	/* 1 2, over: 1 2 1, dup and drop change nothing, swap: 1 1 2, minus: 1 -1 */
	assert_true(EVALUATE(false, &value, 0x31, 0x32, 0x14, 0x12, 0x13, 0x16, 0x1c));
	assert_int_equal((int64_t)value.add, -1);
	/* The same without registers at hand stays `*(rsp + 8) + 5`. */
	assert_true(EVALUATE(true, &value, 0x77, 8, 0x06, 0x23, 5));
	assert_true(value.deref && value.reg == DWARF_SP && value.pre == 8 && value.add == 5);
	assert_false(EVALUATE(true, &value, 0x77, 8, 0x32, 0x1e)); /* (rsp + 8) * 2 */
}

static void test_broken_expressions_are_refused(void **state)
{
	struct cfi_value value;

	(void)state;
	assert_false(EVALUATE(false, &value, 0x22));             /* nothing to add */
	assert_false(EVALUATE(false, &value, 0x31, 0x30, 0x1b)); /* 1 / 0 */
	assert_false(EVALUATE(false, &value, 0x30, 0x06));       /* *0 */
	assert_false(EVALUATE(false, &value, 0x2f, 0xfd, 0xff)); /* for ever */
	assert_false(EVALUATE(false, &value, 0x31, 0x2f, 9, 0)); /* out of the expression */
	assert_false(EVALUATE(false, &value, 0x12));             /* dup of nothing */
	assert_false(EVALUATE(false, &value, 0xe0));             /* unknown */
	assert_false(EVALUATE(false, &value, 0x31, 0x12, 0x2f, 0xfc, 0xff)); /* grows */
	assert_false(EVALUATE(false, &value, 0x8f, 0));                      /* register 31 */
}

/* The linkage table's: rsp + 8 + ((rip & 15) >= 11) * 8; a constant once the pc is known. */
static const uint8_t linkage[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};

static void test_linkage_expression_becomes_register_and_offset(void **state)
{
	struct cfi_row row = {.cfa = {.how = CFI_IS_EXPR, .expr = linkage, .size = sizeof(linkage)},
		.reg[FG_PC] = {.how = CFI_AT_CFA, .offset = -8}};

	(void)state;
	for (uint64_t pc = 0x4010; pc < 0x4020; pc++) {
		struct fg_cfi_rule rule = fg_cfi_pack(&row, pc);

		assert_int_equal(rule.kind, CFI_RULE_SP);
		assert_int_equal(rule.cfa_offset, (pc & 15) >= 11 ? 16 : 8);
	}
}

static void test_saved_argument_pointer_becomes_one_load(void **state)
{
	static const uint8_t cfa[] = {0x76, 0x78, 0x06}; /* *(rbp - 8) */
	static const uint8_t bp[] = {0x76, 0x00};
	static const uint8_t bx[] = {0x76, 0x68};
	struct cfi_row row = {.cfa = {.how = CFI_IS_EXPR, .expr = cfa, .size = 3},
		.reg[FG_PC] = {.how = CFI_AT_CFA, .offset = -8},
		.reg[FG_FP] = {.how = CFI_AT_EXPR, .expr = bp, .size = 2},
		.reg[FG_SPARE] = {.how = CFI_AT_EXPR, .expr = bx, .size = 2}};
	struct fg_cfi_rule rule = fg_cfi_pack(&row, 0x4000);

	(void)state;
	assert_int_equal(rule.kind, CFI_RULE_DEREF_FP);
	assert_int_equal(rule.cfa_offset, -8);
	assert_int_equal(rule.add_words, 0);
	assert_int_equal(rule.fp_saved, CFI_SAVED_FP);
	assert_int_equal(fg_saved_offset(rule.fp_words), 0);
	assert_int_equal(rule.spare_saved, CFI_SAVED_FP);
	assert_int_equal(fg_saved_offset(rule.spare_words), -24);
}

static void test_what_does_not_pack_stays_interpreted(void **state)
{
	struct cfi_row row = {.cfa = {.how = CFI_IN_REG, .reg = 10},
		.reg[FG_PC] = {.how = CFI_AT_CFA, .offset = -8}};

	(void)state;
	assert_int_equal(fg_cfi_pack(&row, 0).kind, CFI_RULE_SLOW); /* CFA in r10 */
	row.cfa.reg = DWARF_SP;
	row.cfa.offset = 1LL << 32;
	assert_int_equal(fg_cfi_pack(&row, 0).kind, CFI_RULE_SLOW);
	row.cfa.offset = 32;
	assert_int_equal(fg_cfi_pack(&row, 0).kind, CFI_RULE_SP);
	row.reg[FG_FP] = (struct cfi_place){.how = CFI_AT_CFA, .offset = -513 * 8};
	assert_int_equal(fg_cfi_pack(&row, 0).kind, CFI_RULE_SLOW);
	row.reg[FG_PC] = (struct cfi_place){.how = CFI_UNDEFINED};
	assert_int_equal(fg_cfi_pack(&row, 0).kind, CFI_RULE_ROOT);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* .eh_frame_hdr at 0, .eh_frame at 0x100; the code it speaks of needs no bytes. */
struct section {
	_Alignas(8) uint8_t bytes[1024];
	size_t used;
	struct cfi_image image;
};

#define CODE 0x7000 /* the code's distance from the section */

static uint64_t address_of(const struct section *section, size_t at)
{
	return (uint64_t)(uintptr_t)section->bytes + at;
}

static void put(struct section *section, uint64_t value, size_t size)
{
	memcpy(section->bytes + section->used, &value, size);
	section->used += size;
}

static void put_bytes(struct section *section, const void *bytes, size_t size)
{
	memcpy(section->bytes + section->used, bytes, size);
	section->used += size;
}

static size_t begin_entry(struct section *section, uint32_t id)
{
	size_t at = section->used;

	put(section, 0, 4);
	put(section, id, 4);
	return at;
}

static void end_entry(struct section *section, size_t at)
{
	uint32_t size;

	while (section->used % 4)
		put(section, 0, 1);
	size = (uint32_t)(section->used - at - 4);
	memcpy(section->bytes + at, &size, 4);
}

/* letters' data follows as the form demands; encoding is the 'R' one. */
static size_t put_common(
	struct section *section, uint8_t version, const char *letters, uint8_t encoding)
{
	size_t at = begin_entry(section, 0);

	put(section, version, 1);
	put_bytes(section, letters, strlen(letters) + 1);
	if (letters[0] == 'e')
		put(section, 0xdeadbeef, 8);
	put(section, 1, 1);
	put(section, 0x78, 1);
	put(section, DWARF_RETURN, 1);
	if (letters[0] == 'z') /* R and L take a byte, P five, S none */
		put(section, 1 + (strchr(letters, 'P') ? 6 : 0), 1);
	for (const char *letter = letters; letters[0] == 'z' && *letter; letter++) {
		if (*letter == 'R')
			put(section, encoding, 1);
		if (*letter == 'L')
			put(section, DW_EH_PE_omit, 1);
		if (*letter == 'P') {
			put(section, 0x9b, 1); /* indirect, relative, 4 bytes */
			put(section, 0x1234, 4);
		}
	}
	put_bytes(section, usual_common, sizeof(usual_common));
	end_entry(section, at);
	return at;
}

static void put_pointer(struct section *section, uint8_t encoding, uint64_t address)
{
	uint64_t from = (encoding & DW_EH_PE_relation) == DW_EH_PE_pcrel
				? address_of(section, section->used)
			: (encoding & DW_EH_PE_relation) == DW_EH_PE_datarel ? section->image.hdr
									     : 0;

	put(section, address - from, fg_cfi_pointer_size(encoding));
}

static size_t put_fde(struct section *section, size_t common, const char *letters, uint8_t encoding,
	uint64_t start, uint64_t size)
{
	size_t at = begin_entry(section, (uint32_t)(section->used + 4 - common));

	put_pointer(section, encoding, start);
	put(section, size, fg_cfi_pointer_size(encoding));
	if (letters[0] == 'z')
		put(section, 0, 1);
	put(section, 0x0e, 1); /* DW_CFA_def_cfa_offset: tells the entries apart */
	put(section, (start - address_of(section, 0)) >> 8 & 0x7f, 1);
	end_entry(section, at);
	return at;
}

static void open_section(struct section *section)
{
	memset(section, 0, sizeof(*section));
	section->image.hdr = address_of(section, 0);
	section->image.spans[0] = (struct cfi_span){
		address_of(section, 0), address_of(section, sizeof(section->bytes)), false};
	section->image.span_count = 1;
	section->used = 0x100;
}

static void put_header(struct section *section, uint8_t count_encoding, uint8_t table_encoding)
{
	size_t used = section->used;

	section->used = 0;
	put(section, 1, 1);
	put(section, 0x1b, 1);
	put(section, count_encoding, 1);
	put(section, table_encoding, 1);
	put_pointer(section, 0x1b, address_of(section, 0x100));
	section->used = used;
}

static enum cfi_status offset_at(const struct section *section, uint64_t distance, int64_t *offset)
{
	struct cfi_row row;
	enum cfi_status status =
		fg_cfi_row_at(&section->image, address_of(section, distance), &row);

	*offset = status == CFI_OK ? row.cfa.offset : -1;
	return status;
}

/* Four functions of 0x80 bytes at CODE + i * 0x100. */
static void put_functions(struct section *section, const char *letters, uint8_t version,
	uint8_t encoding, size_t fdes[4])
{
	size_t common = put_common(section, version, letters, encoding);

	for (uint64_t i = 0; i < 4; i++)
		fdes[i] = put_fde(section, common, letters, encoding,
			address_of(section, CODE + i * 0x100), 0x80);
	put(section, 0, 4);
}

static void assert_functions_found(const struct section *section)
{
	int64_t offset;

	for (uint64_t i = 0; i < 4; i++) {
		assert_int_equal(offset_at(section, CODE + i * 0x100, &offset), CFI_OK);
		assert_int_equal(offset, 0x70 + i);
		assert_int_equal(offset_at(section, CODE + i * 0x100 + 0x7f, &offset), CFI_OK);
		assert_int_equal(offset_at(section, CODE + i * 0x100 + 0x80, &offset), CFI_NONE);
	}
	assert_int_equal(offset_at(section, CODE - 1, &offset), CFI_NONE);
}

static void test_entries_are_found_without_a_table(void **state)
{
	static const struct {
		const char *letters;
		uint8_t version, encoding;
	} forms[] = {
		{"zR", 1, 0x1b},
		{"zR", 3, 0x1b},
		{"zR", 1, 0x1c},
		{"zR", 1, 0x3b},
		{"zR", 1, 0x00},
		{"zPLR", 1, 0x1b},
		{"zRS", 1, 0x1b},
		{"", 1, 0x00},
		{"eh", 1, 0x00},
	};
	struct section section;
	size_t fdes[4];

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		open_section(&section);
		put_functions(
			&section, forms[i].letters, forms[i].version, forms[i].encoding, fdes);
		put_header(&section, DW_EH_PE_omit, DW_EH_PE_omit);
		assert_functions_found(&section);
	}
}

static void test_table_is_searched_in_every_encoding(void **state)
{
	static const uint8_t encodings[] = {0x3b, 0x33, 0x3c, 0x1b, 0x00};
	struct section section;
	size_t fdes[4];

	(void)state;
	for (size_t i = 0; i < sizeof(encodings); i++) {
		open_section(&section);
		put_functions(&section, "zR", 1, 0x1b, fdes);
		put_header(&section, 0x03, encodings[i]);
		section.used = 4;
		put_pointer(&section, 0x1b, address_of(&section, 0x3fc));
		put(&section, 4, 4);
		for (uint64_t row = 0; row < 4; row++) {
			put_pointer(
				&section, encodings[i], address_of(&section, CODE + row * 0x100));
			put_pointer(&section, encodings[i], address_of(&section, fdes[row]));
		}
		/* A scan would see nothing now: the table must be what is used. */
		assert_functions_found(&section);
	}
}

static void test_lying_header_is_refused(void **state)
{
	struct section section;
	size_t fdes[4];
	int64_t offset;

	(void)state;
	open_section(&section);
	put_functions(&section, "zR", 1, 0x1b, fdes);
	put_header(&section, DW_EH_PE_omit, DW_EH_PE_omit);
	section.bytes[0] = 2;
	assert_int_equal(offset_at(&section, CODE, &offset), CFI_BAD);
	put_header(&section, 0x03, 0x3b);
	section.used = 8;
	put(&section, 0x40000000, 4); /* more rows than there are bytes: scan instead */
	assert_functions_found(&section);
	put_header(&section, DW_EH_PE_omit, DW_EH_PE_omit);
	section.used = 4;
	put(&section, 0x7fffffff, 4); /* .eh_frame outside of the object */
	assert_int_equal(offset_at(&section, CODE, &offset), CFI_NONE);
}

static void test_entry_longer_than_its_section_is_refused(void **state)
{
	struct section section;
	struct cfi_fde fde;
	size_t fdes[4];
	uint32_t huge = 0x7fffffff;

	(void)state;
	open_section(&section);
	put_functions(&section, "zR", 1, 0x1b, fdes);
	put_header(&section, DW_EH_PE_omit, DW_EH_PE_omit);
	assert_int_equal(
		fg_cfi_parse_fde(&section.image, address_of(&section, fdes[1]), &fde), CFI_OK);
	memcpy(section.bytes + fdes[1], &huge, 4);
	assert_int_equal(
		fg_cfi_parse_fde(&section.image, address_of(&section, fdes[1]), &fde), CFI_BAD);
	/* A CIE pointer that leads to an FDE, and a return column that is not rip. */
	memcpy(section.bytes + fdes[2] + 4, &(uint32_t){(uint32_t)(fdes[2] + 4 - fdes[0])}, 4);
	assert_int_equal(
		fg_cfi_parse_fde(&section.image, address_of(&section, fdes[2]), &fde), CFI_BAD);
	section.bytes[0x100 + 8 + 1 + 3 + 2] = 17;
	assert_int_equal(
		fg_cfi_parse_fde(&section.image, address_of(&section, fdes[3]), &fde), CFI_BAD);
}

/* ---- other stacks ---------------------------------------------------------------------------- */

static void test_copy_ends_where_the_kernel_says(void **state)
{
	static struct fg_stack_copy copy;
	struct fg_stack one, other;
	uint8_t *memory =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address = (uint64_t)(uintptr_t)memory, word;

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(mprotect(memory + 2 * 4096, 4096, PROT_NONE), 0);
	memory[4096] = 7;
	fg_stack_open(&one, &copy, 0, 0, address);
	assert_true(fg_stack_load(&one, address + 4096, &word));
	assert_int_equal(word, 7);
	assert_true(fg_stack_load(&one, address + 2 * 4096 - 8, &word));
	assert_false(fg_stack_load(&one, address + 2 * 4096 - 4, &word));
	assert_false(fg_stack_load(&one, ~0ULL - 4, &word));
	/* A walk in a handler that interrupted this one must not use the same copy. */
	fg_stack_open(&other, &copy, 0, 0, address);
	assert_false(fg_stack_load(&other, address, &word));
	fg_stack_close(&other);
	fg_stack_close(&one);
	fg_stack_open(&other, &copy, 0, 0, address);
	assert_true(fg_stack_load(&other, address, &word));
	fg_stack_close(&other);
	munmap(memory, 3 * 4096);
}

static void test_frame_is_read_in_place_only_as_far_as_it_lies_in_the_stack(void **state)
{
	const struct fg_stack stack = {.low = 0x1000, .high = 0x2000};

	(void)state;
	assert_int_equal(fg_extent_of(&stack, 0x1000, 0x1010).room, 9);
	assert_int_equal(fg_extent_of(&stack, 0x1ff0, 0x2000).room, 9);
	assert_int_equal(fg_extent_of(&stack, 0x1000, 0x1008).room, 1);
	assert_int_equal(fg_extent_of(&stack, 0x1000, 0x1007).room, 0);
	assert_int_equal(fg_extent_of(&stack, 0x1000, 0x1000).room, 0);
	assert_int_equal(fg_extent_of(&stack, 0x1010, 0x1000).room, 0);
	assert_int_equal(fg_extent_of(&stack, 0x1ff0, 0x2001).room, 0);
	assert_int_equal(fg_extent_of(&stack, 0xff0, 0x1010).room, 0);
	assert_int_equal(fg_extent_of(&stack, 0x2000, 0x2010).room, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_stops_at_the_wanted_address),
		cmocka_unit_test(test_advances_of_all_widths_add_up),
		cmocka_unit_test(test_remembered_state_holds_cfa_and_registers),
		cmocka_unit_test(test_restore_goes_back_to_the_common_rule),
		cmocka_unit_test(test_register_rules_of_every_kind_are_read),
		cmocka_unit_test(test_broken_programs_are_refused),
		cmocka_unit_test(test_expression_arithmetic_is_exact),
		cmocka_unit_test(test_broken_expressions_are_refused),
		cmocka_unit_test(test_linkage_expression_becomes_register_and_offset),
		cmocka_unit_test(test_saved_argument_pointer_becomes_one_load),
		cmocka_unit_test(test_what_does_not_pack_stays_interpreted),
		cmocka_unit_test(test_entries_are_found_without_a_table),
		cmocka_unit_test(test_table_is_searched_in_every_encoding),
		cmocka_unit_test(test_lying_header_is_refused),
		cmocka_unit_test(test_entry_longer_than_its_section_is_refused),
		cmocka_unit_test(test_copy_ends_where_the_kernel_says),
		cmocka_unit_test(test_frame_is_read_in_place_only_as_far_as_it_lies_in_the_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
