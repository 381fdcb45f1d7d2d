#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows in one table, what is false below it, and the exit status: 1 where anything is.

    table.py VERSION REPLAYED "LOST ROWS" JUDGED.json...
"""
import datetime
import json
import platform
import subprocess
import sys

TABLE = ["| row | a maintainer's sentence | printed | claims: true / false / not covered | culprit | line in the diff |",
         "|---|---|---|--:|---|---|"]


def cell(text):
    return text.replace("|", "\\|")


def counts(row):
    return [sum(claim["is"] == kind for claim in row["claims"]) for kind in ("true", "false", "uncovered")]


def line_cell(row):
    if not fails(row) or not row["cause"]:
        return "–"
    return {True: "yes", False: "**no**", None: "**none named**"}[row["line_in_diff"]]


def culprit_cell(row):
    if not fails(row):
        return "–" if not row["culprit"] else f"**{row['culprit']}**"
    return row["culprit"] if row["right_culprit"] else f"**{row['culprit'] or 'none'}**"


def fails(row):
    """A regression that is named; at the edge of what can be detected, only where one is."""
    return row["expected"] == "fail" or (row["expected"] == "either" and row["status"] == 1)


def is_red(row):
    return (not row["right_status"] or counts(row)[1] > 0 or bool(row["unknown"])
            or (fails(row) and not row["right_culprit"]) or (fails(row) and bool(row["cause"]) and not row["line_in_diff"]))


def print_row(row):
    right = "" if row["right_status"] else f" **(should {row['expected']}{', was noisy' if row['noisy'] else ''})**"
    true, false, uncovered = counts(row)
    print(f"| {row['row']} | {cell(row['sentence'])} | {cell(row['printed'])}{right} | "
          f"{true} / {f'**{false}**' if false else 0} / {uncovered} | {culprit_cell(row)} | {line_cell(row)} |")


def print_red(row):
    if not is_red(row):
        return
    timed, off = row["timed"]
    print(f"\n{row['row']} (timed {100 * timed:+.1f} ± {100 * off:.1f} %, counted {100 * row['counted']:+.1f} %):\n")
    if not row["right_status"]:
        print(f"- exit {row['status']} ({row['printed'].split(':')[0]}), where a maintainer says {row['expected']}"
              + ("; the report says that it was noisy" if row["noisy"] else ""))
    if fails(row) and not row["right_culprit"]:
        print(f"- first culprit: {row['culprit'] or 'none'}")
    if fails(row) and row["cause"] and not row["line_in_diff"]:
        print("- the named line is not in the diff" if row["line_in_diff"] is False else "- no line is named")
    for claim in row["claims"]:
        if claim["is"] == "false":
            print(f"- false, {claim['where']} ({claim['kind']}): {claim['text']}\n  - {claim['why']}")
    for line in row["unknown"]:
        print(f"- not known to the bench: {line}")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def main(version, replayed, lost, *paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows.append(json.load(file))
    compiler = subprocess.run(["cc", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    today = datetime.datetime.now(datetime.timezone.utc).date()
    how = "make bench-stories ORACLE_ONLY=yes" if replayed == "yes" else "make bench-stories"
    print(f"## The true story (`{how}`: tests/bench/stories), {today}\n")
    print(f"{processor()}, Linux {platform.release()}, cc {compiler}, {version}.\n")
    print("\n".join(TABLE))
    for row in rows:
        print_row(row)
    red = [row for row in rows if is_red(row)]
    sums = [sum(column) for column in zip(*(counts(row) for row in rows))] or [0, 0, 0]
    print(f"\n{len(rows)} rows, {len(red)} red; claims: {sums[0]} true, {sums[1]} false, {sums[2]} not covered by an oracle.")
    for row in rows:
        print_red(row)
    if lost.strip():
        print(f"\nNot judged: {lost}.")
    print(f"\n{len(rows) - len(red)} passed, {len(red) + len(lost.split())} failed")
    return 1 if red or lost.strip() or not rows else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
