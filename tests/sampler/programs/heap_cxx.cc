// SPDX-License-Identifier: Apache-2.0
// operator new and delete in every form, for test_heap.sh; with PLUGIN a library that a C program opens.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{
struct alignas(128) Wide {
	char bytes[128];
};

template <class T> T *hidden(T *pointer)
{
	__asm__ volatile("" : "+r"(pointer));
	return pointer;
}

// 6 allocations and 6 frees, 16 + 3 * 16 + 8 + 5 * 8 + 128 + 2 * 128 bytes.
void once()
{
	delete hidden(new char[1][16]);
	delete[] hidden(new char[48]);
	operator delete(hidden(operator new(8, std::nothrow)), std::nothrow);
	operator delete[](hidden(operator new[](40, std::nothrow)), std::nothrow);
	delete hidden(new Wide);
	delete[] hidden(new Wide[2]);
}

// The exception passes through the sampler's frames.
bool throws()
{
	volatile std::size_t most = static_cast<std::size_t>(-1) / 2;
	try {
		hidden(static_cast<char *>(operator new(most)));
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}
} // namespace

extern "C" int run()
{
	std::vector<std::string> words;
	for (int i = 0; i < 1000; i++)
		words.push_back(std::string(static_cast<std::size_t>(i), 'x'));
	once();
	return throws() && words.size() == 1000 ? 42 : 1;
}

#ifndef PLUGIN
int main()
{
	char line[100];
	for (int i = 0; i < 100; i++)
		once();
	for (int i = 0; i < 10; i++)
		if (!throws())
			return 1;
	int length = std::snprintf(line, sizeof(line), "allocs 600\nfrees 600\nbytes %d\n",
		100 * (16 + 48 + 8 + 40 + 128 + 256));
	return write(1, line, static_cast<std::size_t>(length)) == length ? 0 : 1;
}
#endif
