#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the action's steps took until the first pair of runs, of lines "SECONDS LINE" of act's log.

    step_times.py FILE     prints "first pair N.N s: Plan N.N, ..."
"""
import re
import sys

START = re.compile(r"Run Main (Plan|Take flamegate from the cache|Take or build flamegate|Keep flamegate in the cache|"
                   r"Take built versions from the cache|Check)\s*$")
PAIRS = re.compile(r"stage 1, \d+ pairs")


def main():
    steps, first = [], None
    with open(sys.argv[1], encoding="utf-8", errors="replace") as lines:
        for line in lines:
            second, _, text = line.rstrip("\n").partition(" ")
            found = START.search(text)
            if found:
                steps.append((found.group(1), float(second)))
            elif PAIRS.search(text) and first is None:
                first = float(second)
    if first is None or not steps:
        sys.exit("step_times.py: no pair was run")
    ends = [second for _, second in steps[1:]] + [first]
    parts = [f"{name} {end - begin:.1f}" for (name, begin), end in zip(steps, ends)]
    print(f"first pair {first - steps[0][1]:.1f} s: " + ", ".join(parts))


main()
