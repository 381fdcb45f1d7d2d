#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The truth of one row's two versions, from everything but flamegate.

    truth.py REPOSITORY FOLDER    builds the tags base and head, counts their calls and costs by callgrind, reads the
                                  binaries' symbols, inline records and code, times both in turns; FOLDER/truth.json
"""
import gzip
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys

import binary

PAIRS = 11
# What else runs on the machine slows a program of much memory more than one of little: a series is timed again until
# its ratios scatter by no more than this (median deviation over the median), and the calmest counts.
CALM, SERIES = 0.02, 3
PART = 4  # callgrind is fifty times slower: it counts a part of the rounds
# Caches of one size wherever it runs: the counts must not depend on the machine.
CALLGRIND = ["valgrind", "-q", "--tool=callgrind", "--dump-instr=no", "--separate-recs=1"]
CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64", "--branch-sim=yes"]
# Every call that the source has is one: no inlining, no tail calls, no copies of a function. It is only counted.
AS_WRITTEN = ("-O1 -g -fno-inline -fno-optimize-sibling-calls -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra "
              "-fno-ipa-icf")


def configured(folder):
    """The build command, and the only benchmark's."""
    with open(os.path.join(folder, ".flamegate.yml"), encoding="utf-8") as file:
        text = file.read()
    build = re.search(r"^build: *(.*)$", text, re.M).group(1)
    command = re.search(r"^ +command: *\[(.*)\]$", text, re.M).group(1)
    return build, [word.strip().strip('"') for word in command.split(",")]


def build(repository, tag, folder, flags=None):
    subprocess.run(["git", "clone", "-q", "--branch", tag, repository, folder], check=True, stderr=subprocess.DEVNULL)
    command, words = configured(folder)
    environment = {**os.environ, "CFLAGS": flags} if flags else {name: value for name, value in os.environ.items()
                                                                 if name != "CFLAGS"}
    subprocess.run(command, shell=True, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return words


def count(folder, words, out, options):
    subprocess.run([*CALLGRIND, *options, "--callgrind-out-file=" + out, *words], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    with open(out, "rb") as plain, gzip.open(out + ".gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    os.unlink(out)


def part_of(words):
    """The last argument of every benchmark here is its number of rounds."""
    rounds = int(words[-1])
    return [*words[:-1], str(rounds // PART if rounds >= 2 * PART else rounds)]


def seconds_of(folder, words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def output_of_run(folder, words):
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout.decode(
        errors="replace")[:4000]


def series_of(folders, words):
    """CPU seconds of both, in turns; who is first changes."""
    found = [[], []]
    for pair in range(PAIRS):
        for version in ((0, 1) if pair % 2 else (1, 0)):
            found[version].append(seconds_of(folders[version], words[version]))
    return found


def scatter_of(series):
    ratios = [head / base for base, head in zip(*series)]
    middle = statistics.median(ratios)
    return statistics.median(abs(ratio - middle) for ratio in ratios) / middle


def times_of(folders, words, measure=series_of):
    calmest = measure(folders, words)
    for _ in range(SERIES - 1):
        if scatter_of(calmest) <= CALM:
            break
        calmest = min(calmest, measure(folders, words), key=scatter_of)
    return calmest


def facts_of(folder, program):
    debug = binary.debug_of(program, folder)
    return {"symbols": sorted(binary.symbols_of(program)),
            "library_symbols": sorted(binary.symbols_of_libraries(program)),
            "functions": binary.extents(folder, debug.functions),
            "debug_names": sorted(debug.functions),
            "inlined": sorted(debug.inlined),
            "code": binary.code_of(program),
            "loaded": binary.loaded_of(program)}


def main(repository, place):
    work = place + ".new"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    work = os.path.realpath(work)
    folders = [os.path.join(work, tag) for tag in ("base", "head")]
    words = [build(repository, tag, folder) for tag, folder in zip(("base", "head"), folders)]
    truth = {"versions": [], "diff": binary.output_of("git", "-C", repository, "diff", "-M", "-U0", "base", "head")}
    truth["outputs"] = [output_of_run(folder, command) for folder, command in zip(folders, words)]
    truth["times"] = times_of(folders, words)
    for tag, folder, command in zip(("base", "head"), folders, words):
        count(folder, part_of(command), os.path.join(work, tag + ".callgrind"), CACHES)
        truth["versions"].append(facts_of(folder, os.path.join(folder, command[0])))
        build(repository, tag, folder + "-written", AS_WRITTEN)
        count(folder + "-written", part_of(command), os.path.join(work, tag + "-written.callgrind"), [])
        shutil.rmtree(folder + "-written")
    for folder in folders:
        shutil.rmtree(folder)
    with gzip.open(os.path.join(work, "truth.json.gz"), "wt", encoding="utf-8") as file:
        json.dump(truth, file)
    shutil.rmtree(place, ignore_errors=True)
    os.rename(work, place)


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]), os.path.abspath(sys.argv[2]))
