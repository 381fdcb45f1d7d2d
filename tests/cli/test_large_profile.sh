#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Profiles whose call tree has more nodes than there is room for: of each 20,000 stacks of 30 frames, by chance, and
# 10,000 samples with nearly all of the time in one short stack.
. "$(dirname "$0")/lib.sh"

cat >"$work/make.py" <<'PY'
import gzip, random, sys

FUNCTIONS = 2000


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def stack(chance, is_hot):
    outer = [3, 2, 1]
    return (outer if is_hot else [chance.randrange(4, FUNCTIONS) for _ in range(27)] + outer)


chance = random.Random(int(sys.argv[2]))
parts = [message(1, b"\x08\x01\x10\x02")]
for i in range(30000):
    frames = b"".join(map(varint, stack(chance, i % 3 == 0)))
    value = int(sys.argv[3]) * 1000 if i % 3 == 0 else 1
    parts.append(message(2, message(1, frames) + message(2, varint(value))))
for i in range(1, FUNCTIONS):
    parts.append(message(4, b"\x08" + varint(i) + message(4, b"\x08" + varint(i))))
    parts.append(message(5, b"\x08" + varint(i) + b"\x10" + varint(i + 2)))
for name in ["", "cpu", "nanoseconds"] + ["f%d" % i for i in range(1, FUNCTIONS)]:
    parts.append(message(6, name.encode()))
with gzip.GzipFile(sys.argv[1], "wb", 1, mtime=0) as out:
    out.write(b"".join(parts))
PY
python3 "$work/make.py" "$work/base.pb.gz" 1 100
python3 "$work/make.py" "$work/head.pb.gz" 2 150

cd "$work" || exit 1
run "$flamegate" compare -o report base.pb.gz head.pb.gz
expect "a tree of more than a million nodes is compared" 0 "more CPU time" "its 1000000 largest nodes are kept"
cp report/report.json first.json
cat >sums.py <<'PY'
import json

benchmark = json.load(open("first.json"))["benchmarks"][0]
nodes, functions, strings = benchmark["nodes"], benchmark["functions"], benchmark["strings"]


def name(node):
    function = nodes["function"][node]
    return strings[functions["name"][function]] if function is not None and function >= 0 else ""


for side, hot in (("base", 1.0), ("head", 1.5)):
    own, total = nodes["self_" + side], nodes["total_" + side]
    assert abs(total[0] - (hot + 20000e-9)) < 1e-4, total[0]
    assert abs(sum(own) - total[0]) < 1e-4, sum(own)
    inner = [i for i in range(len(own)) if name(i) == "f3"][0]
    assert hot <= own[inner] <= total[0], own[inner]
PY
check "every sum is kept, and what is hot has its own node" python3 sums.py
# The tree itself may take 200 MB; profiles, names and libraries come on top.
run bash -c "ulimit -v 1000000; exec '$flamegate' compare -o report base.pb.gz head.pb.gz"
expect "it needs no more memory than it says" 0 "its 1000000 largest nodes are kept"
check "the same nodes are kept each time" cmp first.json report/report.json
finish
