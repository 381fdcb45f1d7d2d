/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/unwind/code_arch.h"

#include <stddef.h>

#include "gate/sampler/unwind/cfi_reader.h"

#if defined(__x86_64__)

/* Bytes of an indirect call (opcode FF /2) that begins at code, 0 if that is something else. */
static size_t indirect_call_size(const uint8_t *code)
{
	uint8_t mode = code[1] >> 6, rm = code[1] & 7;
	size_t size = 2;

	if (code[0] != 0xff || ((code[1] >> 3) & 7) != 2)
		return 0;
	if (mode != 3 && rm == 4)
		size += 1 + (mode == 0 && (code[2] & 7) == 5 ? 4u : 0u);
	if (mode == 1)
		size += 1;
	if (mode == 2 || (mode == 0 && rm == 5))
		size += 4;
	return size;
}

bool fg_code_follows_call(uint64_t address)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)address;

	if (code[-5] == 0xe8)
		return true;
	/* Decoding the shortest form looks at the byte behind it. */
	for (size_t size = 2; size <= FG_CALL_BEFORE; size++)
		if (indirect_call_size(code - size) == size)
			return true;
	return false;
}

uint64_t fg_code_call_target(uint64_t address)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)address;

	if (code[-5] != 0xe8)
		return 0;
	return address + (uint64_t)(int64_t)(int32_t) * (const fg_u32 *)(code - 4);
}

/* mov $__NR_rt_sigreturn, %rax or %eax; syscall */
bool fg_code_is_restorer(uint64_t address)
{
	static const uint8_t rax[9] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t eax[7] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
	const uint8_t *code = (const uint8_t *)(uintptr_t)address;
	bool is_rax = true, is_eax = true;

	for (size_t i = 0; i < sizeof(rax); i++)
		is_rax = is_rax && code[i] == rax[i];
	for (size_t i = 0; i < sizeof(eax); i++)
		is_eax = is_eax && code[i] == eax[i];
	return is_rax || is_eax;
}

bool fg_code_in_restorer(uint64_t address)
{
	return fg_code_is_restorer(address) || fg_code_is_restorer(address - 7) ||
	       fg_code_is_restorer(address - 5);
}

/* ---- Go's functions: aligned, with int3 between them ----------------------------------------- */

enum { GO_ALIGNMENT = 32, GO_FURTHEST = 64 << 10, INT3 = 0xcc, RETURN = 0xc3, PUSH_FP = 0x55 };

static const uint8_t *go_function(const uint8_t *code, const uint8_t *low)
{
	const uint8_t *begin = code - (uintptr_t)code % GO_ALIGNMENT;

	if (code - low > GO_FURTHEST)
		low = code - GO_FURTHEST;
	while (begin - low > GO_ALIGNMENT && begin[-1] != INT3)
		begin -= GO_ALIGNMENT;
	return begin < low ? low : begin;
}

/* mov %rsp, %rbp */
static bool moves_sp_to_fp(const uint8_t *code)
{
	return code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5;
}

/* push %rbp and the move; before Go 1.21 lea N(%rsp), %rbp */
static bool sets_fp(const uint8_t *code)
{
	return (code[0] == PUSH_FP && moves_sp_to_fp(code + 1)) ||
	       (code[0] == 0x48 && code[1] == 0x8d && (code[2] == 0x6c || code[2] == 0xac) &&
		       code[3] == 0x24);
}

int fg_code_go_return_words(uint64_t address, uint64_t low, uint64_t high)
{
	enum { LONGEST = 4 };
	const uint8_t *code = (const uint8_t *)(uintptr_t)address;

	if (address <= low || high - address < LONGEST)
		return 0;
	if (code[0] == RETURN || sets_fp(code))
		return 1;
	if (code[-1] == PUSH_FP && moves_sp_to_fp(code))
		return 2;
	for (const uint8_t *at = go_function(code, (const uint8_t *)(uintptr_t)low);
		at + LONGEST <= code; at++)
		if (sets_fp(at))
			return 0;
	return 1;
}

#elif defined(__aarch64__)

static uint32_t instruction(uint64_t address)
{
	return *(const fg_u32 *)(uintptr_t)address;
}

static bool is_direct_call(uint32_t code)
{
	return (code & 0xfc000000) == 0x94000000; /* bl */
}

bool fg_code_follows_call(uint64_t address)
{
	uint32_t code;

	if (address % 4)
		return false;
	code = instruction(address - 4);
	return is_direct_call(code) || (code & 0xfffffc1f) == 0xd63f0000 || /* blr */
	       (code & 0xfefff800) == 0xd63f0800;                           /* blraa and its kin */
}

uint64_t fg_code_call_target(uint64_t address)
{
	uint32_t code = instruction(address - 4);

	if (!is_direct_call(code))
		return 0;
	/* 26 bits, signed, in instructions */
	return address - 4 + (uint64_t)((int64_t)(int32_t)(code << 6) >> 4);
}

/* mov x8, #__NR_rt_sigreturn; svc #0 */
bool fg_code_is_restorer(uint64_t address)
{
	return address % 4 == 0 && instruction(address) == 0xd2801168 &&
	       instruction(address + 4) == 0xd4000001;
}

bool fg_code_in_restorer(uint64_t address)
{
	return fg_code_is_restorer(address) || fg_code_is_restorer(address - 4);
}

/* Calls leave it in the link register. */
int fg_code_go_return_words(uint64_t address, uint64_t low, uint64_t high)
{
	(void)address, (void)low, (void)high;
	return 0;
}

#endif
