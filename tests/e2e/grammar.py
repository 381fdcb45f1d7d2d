#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the workflow commands that GitHub's runner would find in a text (stdin): both grammars.

::name props::data   at the start of a line after trimming white space as .NET does; lone CR is a new line
##[name props]data   anywhere in a line
"""
import re
import sys

text = sys.stdin.buffer.read().decode("utf-8", "replace")
found = []
for line in re.split(r"\r\n|\r|\n", text):
    trimmed = line.lstrip(
        "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
        "\u2028\u2029\u202f\u205f\u3000\ufeff"
    )
    if re.match(r"::[^:\s][^:]*::", trimmed) or re.match(r"::[A-Za-z-]+( [^:]*)?::", trimmed):
        found.append(line)
    elif re.search(r"##\[[^\]]+\]", line):
        found.append(line)
for line in found:
    print(repr(line), file=sys.stderr)
print(len(found))
