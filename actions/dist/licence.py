#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Under which licence a library is shipped: as the table says, if its package's copyright file says so of its sources.
Refuses what has no line in the table, and what can be had under the GPL 3, the LGPL 3 or the AGPL alone.

    licence.py LIBRARY PACKAGE COPYRIGHT-FILE [TABLE]     prints the SPDX expression

A copyright file of Debian's format (copyright-format 1.0) has a paragraph for each group of sources; the last one that
matches a source counts. Any other is a text that must hold what the table says.
"""
import fnmatch
import os
import re
import sys

REFUSED = re.compile(r"(GPL|LGPL|AGPL)-3|AGPL")
# GCC's run-time library may be linked into anything.
EXCEPTION = "WITH GCC-exception-3.1"


class Refused(Exception):
    pass


def is_free(expression):
    """Whether one of the choices asks for none of these licences. Debian's names and SPDX's are alike in that."""
    choices = re.split(r"\s+or\s+", expression, flags=re.IGNORECASE)
    parts = (re.split(r",?\s+and\s+", choice, flags=re.IGNORECASE) for choice in choices)
    return any(not any(REFUSED.match(part) and EXCEPTION not in part for part in choice) for choice in parts)


def field(paragraph, name):
    found = re.search(rf"^{name}:(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE | re.IGNORECASE)
    return found.group(1) if found else None


def licence_of(text, source):
    """The short name that Debian gives the licence of one source, or None."""
    name = None
    for paragraph in re.split(r"\n[ \t]*\n", text):
        files, licence = field(paragraph, "Files"), field(paragraph, "License")
        if files and licence and any(fnmatch.fnmatchcase(source, pattern) for pattern in files.split()):
            name = licence.split("\n")[0].strip()
    return name


def row_of(table, library, package):
    with open(table, encoding="utf-8") as lines:
        rows = [[cell.strip() for cell in line.split("|")] for line in lines if not line.startswith("#")]
    known = [row[1:] for row in rows if row[0] == library and len(row) == 4]
    if not known:
        raise Refused(f"{library} has no line in {table}")
    for row in known:
        if row[0] == package:
            return row
    raise Refused(f"{library} is of {package}, and {table} knows it of {known[0][0]}")


def check_sources(text, where, evidence):
    for group in evidence.split(";"):
        name, sources = (part.strip() for part in group.split(": ", 1))
        for source in sources.split():
            found = licence_of(text, source)
            if found is None:
                raise Refused(f"{where} says nothing of {source}")
            if not is_free(found):
                raise Refused(f"{where} has {source} under {found}")
            if found != name:
                raise Refused(f"{where} has {source} under {found}, and not under {name}")


def check_text(text, where, evidence):
    words = evidence.strip('"').split()
    if not re.search(r"\s+".join(map(re.escape, words)), text):
        raise Refused(f"{where} does not say {evidence}")


def licence(library, package, where, table):
    _, expression, evidence = row_of(table, library, package)
    with open(where, encoding="utf-8", errors="replace") as file:
        text = file.read()
    (check_text if evidence.startswith('"') else check_sources)(text, where, evidence)
    if not is_free(expression):
        raise Refused(f"{library} of {package} is under {expression}")
    return expression


def main():
    library, package, where = sys.argv[1:4]
    table = sys.argv[4] if len(sys.argv) > 4 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "licences")
    try:
        print(licence(library, package, where, table))
    except Refused as refused:
        print(f"licence.py: {refused}", file=sys.stderr)
        sys.exit(3)


main()
