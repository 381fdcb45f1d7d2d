// SPDX-License-Identifier: Apache-2.0
// A fixed time, by std::chrono.
#include <chrono>

#include "work.h"

int main()
{
	auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);

	while (std::chrono::steady_clock::now() < end)
		turn(10000, 1);
}
