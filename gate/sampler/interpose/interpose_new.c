/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator new and delete, by their mangled names, without a C++ runtime: each forwards to the next
 * definition. libstdc++'s come back through malloc() and free(), which count; another allocator's
 * (jemalloc, tcmalloc, mimalloc) do not, and are counted here. An exception passes through.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "gate/sampler/heap/heap.h"
#include "gate/sampler/heap/real_heap.h"
#include "gate/sampler/sampler.h"

/* std::align_val_t is passed like a size, const std::nothrow_t & like a pointer. */
#define NEWS(each)                                                                                 \
	each(_Znwm, (size_t bytes), (bytes), 0, true) each(_Znam, (size_t bytes), (bytes), 0,      \
		true) each(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), 0,  \
		false) each(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), 0, \
		false) each(_ZnwmSt11align_val_t, (size_t bytes, size_t align), (bytes, align),    \
		align, true) each(_ZnamSt11align_val_t, (size_t bytes, size_t align),              \
		(bytes, align), align, true) each(_ZnwmSt11align_val_tRKSt9nothrow_t,              \
		(size_t bytes, size_t align, const void *tag), (bytes, align, tag), align,         \
		false) each(_ZnamSt11align_val_tRKSt9nothrow_t,                                    \
		(size_t bytes, size_t align, const void *tag), (bytes, align, tag), align, false)

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
#define NEW_POINTER(name, parameters, arguments, align, throws) void *(*name)parameters;
#define DELETE_POINTER(name, parameters, arguments) void(*name) parameters;
	NEWS(NEW_POINTER)
	DELETES(DELETE_POINTER)
} real;

/* Keeps the library loaded, as we do not know when the last call of it has gone. */
static void *find_in_library(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

	return handle ? dlsym(handle, name) : NULL;
}

/* A plug-in may have brought its C++ library along, where RTLD_NEXT does not look. */
static void *find(const char *name)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
	void *found = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++)
		found = find_in_library(libraries[i], name);
	return found;
}

/*
 * Or it has one inside. Its calls are all ours then, from the first to the last, and are made by
 * malloc() and free(), as libstdc++ does.
 */
static bool is_nowhere;

static __attribute__((noinline)) void look_up(void *function, const char *name)
{
	void *found = is_nowhere ? NULL : find(name);

	is_nowhere = !found;
	memcpy(function, &found, sizeof(found));
}

#define LOOK_UP(name)                                                                              \
	do {                                                                                       \
		if (__builtin_expect(!real.name, 0))                                               \
			look_up(&real.name, #name);                                                \
	} while (0)

/* Only the plug-in's own can throw; it stays loaded: the program is out of memory. */
static void *fail_as_caller(size_t bytes, size_t align, const char *name, const void *caller)
{
	struct dl_find_object object;
	void *found = NULL, *(*function)(size_t, size_t, const void *);

	if (_dl_find_object((void *)(uintptr_t)caller, &object) == 0 && object.dlfo_link_map &&
		!fg_module_is_self((uint64_t)(uintptr_t)caller))
		found = find_in_library(object.dlfo_link_map->l_name, name);
	if (!found)
		abort();
	memcpy(&function, &found, sizeof(function));
	return function(bytes, align, NULL);
}

static void *plain_new(size_t bytes, size_t align)
{
	return align ? aligned_alloc(align, bytes) : malloc(bytes ? bytes : 1);
}

/* No header of C declares them. */
#define DEFINE_NEW(name, parameters, arguments, align, throws)                                     \
	void *name parameters;                                                                     \
	static __attribute__((noinline)) void *counted##name parameters                            \
	{                                                                                          \
		void *block;                                                                       \
                                                                                                   \
		LOOK_UP(name);                                                                     \
		if (!real.name) {                                                                  \
			block = plain_new(bytes, align);                                           \
			if (throws && !block)                                                      \
				block = fail_as_caller(                                            \
					bytes, align, #name, __builtin_return_address(0));         \
			return block;                                                              \
		}                                                                                  \
		if (!fg_heap_begin())                                                              \
			return real.name arguments;                                                \
		fg_heap_new_begin();                                                               \
		block = real.name arguments;                                                       \
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
		LOOK_UP(name);                                                                     \
		if (!real.name) {                                                                  \
			free(block);                                                               \
		} else if (block && fg_heap_begin()) {                                             \
			fg_heap_delete_begin(block);                                               \
			real.name arguments;                                                       \
			fg_heap_delete_end();                                                      \
		} else {                                                                           \
			real.name arguments;                                                       \
		}                                                                                  \
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
