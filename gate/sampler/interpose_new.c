/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator new and delete, by their mangled names, without a C++ runtime: each forwards to the next
 * definition. libstdc++'s come back through malloc() and free(), which count; another allocator's
 * (jemalloc, tcmalloc, mimalloc) do not, and are counted here. An exception passes through.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gate/sampler/heap.h"
#include "gate/sampler/real_heap.h"
#include "gate/sampler/sampler.h"

/* std::align_val_t is passed like a size, const std::nothrow_t & like a pointer. */
#define NEWS(each)                                                                                 \
	each(_Znwm, (size_t bytes), (bytes), 0) each(_Znam, (size_t bytes), (bytes), 0) each(      \
		_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), 0)             \
		each(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), 0) each(  \
			_ZnwmSt11align_val_t, (size_t bytes, size_t align), (bytes, align),        \
			align) each(_ZnamSt11align_val_t, (size_t bytes, size_t align),            \
			(bytes, align), align) each(_ZnwmSt11align_val_tRKSt9nothrow_t,            \
			(size_t bytes, size_t align, const void *tag), (bytes, align, tag),        \
			align) each(_ZnamSt11align_val_tRKSt9nothrow_t,                            \
			(size_t bytes, size_t align, const void *tag), (bytes, align, tag), align)

#define DELETES(each)                                                                              \
	each(_ZdlPv, (void *block), (block)) each(_ZdaPv, (void *block), (block))                  \
		each(_ZdlPvm, (void *block, size_t bytes), (block, bytes)) each(_ZdaPvm,           \
			(void *block, size_t bytes), (block, bytes)) each(_ZdlPvRKSt9nothrow_t,    \
			(void *block, const void *tag), (block, tag)) each(_ZdaPvRKSt9nothrow_t,   \
			(void *block, const void *tag), (block, tag)) each(_ZdlPvSt11align_val_t,  \
			(void *block, size_t align), (block, align)) each(_ZdaPvSt11align_val_t,   \
			(void *block, size_t align), (block, align)) each(_ZdlPvmSt11align_val_t,  \
			(void *block, size_t bytes, size_t align), (block, bytes, align))          \
			each(_ZdaPvmSt11align_val_t, (void *block, size_t bytes, size_t align),    \
				(block, bytes, align)) each(_ZdlPvSt11align_val_tRKSt9nothrow_t,   \
				(void *block, size_t align, const void *tag),                      \
				(block, align, tag)) each(_ZdaPvSt11align_val_tRKSt9nothrow_t,     \
				(void *block, size_t align, const void *tag), (block, align, tag))

static struct {
#define NEW_POINTER(name, parameters, arguments, align) void *(*name)parameters;
#define DELETE_POINTER(name, parameters, arguments) void(*name) parameters;
	NEWS(NEW_POINTER)
	DELETES(DELETE_POINTER)
} real;

static void *find_library(const char *name)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
	void *found = NULL;

	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library)
			found = dlsym(library, name);
	}
	return found;
}

/* The definition that the caller would have come to, which may go away with the caller. */
static void *find_of_caller(const char *name, void *caller)
{
	struct dl_find_object found;

	if (_dl_find_object(caller, &found) != 0 || !found.dlfo_link_map)
		return NULL;
	return dlsym(found.dlfo_link_map, name);
}

/*
 * A plug-in may have brought its C++ library along, where RTLD_NEXT does not look, or have one
 * inside. NULL: nobody has it, and the plug-in's calls are all ours.
 */
static __attribute__((noinline)) void look_up(
	void *cache, void *function, const char *name, void *caller)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		found = find_library(name);
	if (found)
		memcpy(cache, &found, sizeof(found));
	else
		found = find_of_caller(name, caller);
	memcpy(function, &found, sizeof(found));
}

#define FIND(next, name)                                                                           \
	do {                                                                                       \
		if (__builtin_expect(!(next), 0))                                                  \
			look_up(&real.name, &(next), #name, __builtin_return_address(0));          \
	} while (0)

static void *plain_new(size_t bytes, size_t align)
{
	return align ? aligned_alloc(align, bytes) : malloc(bytes ? bytes : 1);
}

/* No header of C declares them. */
#define DEFINE_NEW(name, parameters, arguments, align)                                             \
	void *name parameters;                                                                     \
	static __attribute__((noinline)) void *counted##name parameters                            \
	{                                                                                          \
		void *block, *(*next)parameters = real.name;                                       \
                                                                                                   \
		FIND(next, name);                                                                  \
		if (!next)                                                                         \
			return plain_new(bytes, align);                                            \
		if (!fg_heap_begin())                                                              \
			return next arguments;                                                     \
		fg_heap_new_begin();                                                               \
		block = next arguments;                                                            \
		if (block && !fg_heap_new_was_seen(block) && fg_heap_is_due(bytes))                \
			FG_HEAP_ALLOCATED(block, bytes);                                           \
		return block;                                                                      \
	}                                                                                          \
	FG_EXPORT void *name parameters                                                            \
	{                                                                                          \
		if (fg_heap_is_off() && __builtin_expect(real.name != NULL, 1))                    \
			return real.name arguments;                                                \
		return counted##name arguments;                                                    \
	}

#define DEFINE_DELETE(name, parameters, arguments)                                                 \
	void name parameters;                                                                      \
	static __attribute__((noinline)) void counted##name parameters                             \
	{                                                                                          \
		void(*next) parameters = real.name;                                                \
		bool count = block && fg_heap_begin();                                             \
                                                                                                   \
		FIND(next, name);                                                                  \
		if (count && next)                                                                 \
			fg_heap_delete_begin(block);                                               \
		if (next)                                                                          \
			next arguments;                                                            \
		else                                                                               \
			free(block);                                                               \
		if (count && next)                                                                 \
			fg_heap_delete_end();                                                      \
	}                                                                                          \
	FG_EXPORT void name parameters                                                             \
	{                                                                                          \
		if (fg_heap_is_off() && __builtin_expect(real.name != NULL, 1))                    \
			real.name arguments;                                                       \
		else                                                                               \
			counted##name arguments;                                                   \
	}

NEWS(DEFINE_NEW)
DELETES(DEFINE_DELETE)
