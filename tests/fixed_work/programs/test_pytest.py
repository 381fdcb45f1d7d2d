# SPDX-License-Identifier: Apache-2.0
# Calls that take milliseconds: by how long the first one takes the plugin chooses how many there will be.
def test_sum(benchmark):
    benchmark(lambda: sum(i * i for i in range(200000)))


def test_join(benchmark):
    benchmark(lambda: len("".join(str(i) for i in range(100000))))


def test_sort(benchmark):
    benchmark(lambda: sorted(i * 7919 % 100003 for i in range(100000)))
