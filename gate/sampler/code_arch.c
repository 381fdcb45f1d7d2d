/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/code_arch.h"

#include <stddef.h>

#include "gate/sampler/cfi_reader.h"

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

#endif
