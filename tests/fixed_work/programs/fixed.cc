// SPDX-License-Identifier: Apache-2.0
// Fixed work of the C++ library.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main()
{
	std::map<std::string, unsigned> words;
	std::vector<unsigned> numbers;
	unsigned state = 1;

	for (int i = 0; i < 60000; i++) {
		state = state * 1103515245 + 12345;
		words["word" + std::to_string(state % 5000)]++;
		numbers.push_back(state);
	}
	for (int i = 0; i < 10; i++) {
		std::vector<unsigned> copy(numbers);
		std::sort(copy.begin(), copy.end());
		numbers[0] = copy[i];
	}
	std::printf("%zu %u\n", words.size(), numbers[0]);
}
