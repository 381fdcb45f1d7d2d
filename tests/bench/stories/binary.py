# SPDX-License-Identifier: Apache-2.0
"""What a binary says of itself: its symbols, which functions were inlined where, and each function's machine code."""
import hashlib
import os
import re
import subprocess

from callgrind import plain_name


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def symbols_of(path, *options):
    """Of functions, by plain name."""
    found = set()
    for line in output_of("nm", "--defined-only", *options, path).splitlines():
        words = line.split()
        if len(words) >= 3 and words[1] in "TtWwi":
            found.add(plain_name(words[2]))
    return found


def libraries_of(path):
    found = re.findall(r"=> (/\S+)", output_of("ldd", path))
    return [one for one in found if os.path.exists(one)]


def symbols_of_libraries(path):
    found = set()
    for library in libraries_of(path):
        found |= symbols_of(library, "--dynamic")
        try:
            found |= symbols_of(library)
        except subprocess.CalledProcessError:
            pass  # stripped
    return found


def loaded_of(path):
    """A hash of what a process of it is made of: neither debug information nor names nor the build's id."""
    image = path + ".image"
    subprocess.run(["objcopy", "-O", "binary", "--remove-section=.note.gnu.build-id", path, image], check=True)
    with open(image, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


class Entry:
    """One entry of the debug information that is a function, or one inlined."""

    def __init__(self, tag, depth):
        self.tag, self.depth, self.name, self.file, self.line, self.code = tag, depth, None, None, 0, False
        self.declaration = False


class DebugReader:
    """Reads llvm-dwarfdump's text; functions by name, and pairs of host and what is inlined in it."""

    ENTRY = re.compile(r"^0x[0-9a-f]+:( +)(DW_TAG_\w+|NULL)")
    ATTRIBUTE = re.compile(r"^ +(DW_AT_\w+)\t\((.*)\)$")

    def __init__(self, root):
        self.root, self.functions, self.inlined, self.stack = root, {}, set(), []

    def place_of(self, file):
        real = os.path.normpath(file)
        return os.path.relpath(real, self.root) if real.startswith(self.root + "/") else real

    def attribute(self, entry, key, text):
        quoted = re.search(r'"(.*)"$', text)
        if key in ("DW_AT_name", "DW_AT_abstract_origin", "DW_AT_specification") and quoted:
            entry.name = entry.name or plain_name(quoted.group(1))
        elif key == "DW_AT_decl_file" and quoted:
            entry.file = self.place_of(quoted.group(1))
        elif key == "DW_AT_decl_line":
            entry.line = int(text)
        elif key in ("DW_AT_low_pc", "DW_AT_ranges"):
            entry.code = True
        elif key == "DW_AT_declaration":
            entry.declaration = True

    def finish(self, entry):
        if not entry.name:
            return
        if entry.tag == "DW_TAG_inlined_subroutine":
            for host in reversed(self.stack):
                if host.tag in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine") and host is not entry and host.name:
                    self.inlined.add((host.name, entry.name))
        elif entry.file and not entry.declaration:
            place = (entry.file, entry.line)
            self.functions.setdefault(entry.name, set()).add(place)

    def read(self, lines):
        entry = None
        for line in lines:
            match = self.ENTRY.match(line)
            if match:
                self.close(entry)
                entry = self.open(match)
                continue
            match = self.ATTRIBUTE.match(line)
            if match and entry:
                self.attribute(entry, match.group(1), match.group(2))
        self.close(entry)

    def open(self, match):
        depth = len(match.group(1))
        while self.stack and self.stack[-1].depth >= depth:
            self.stack.pop()
        if match.group(2) not in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine"):
            return None
        entry = Entry(match.group(2), depth)
        self.stack.append(entry)
        return entry

    def close(self, entry):
        if entry:
            self.finish(entry)


def debug_of(path, root):
    process = subprocess.Popen(["llvm-dwarfdump", "--debug-info", path], stdout=subprocess.PIPE, text=True,
                               errors="replace")
    reader = DebugReader(root)
    reader.read(process.stdout)
    if process.wait() != 0:
        raise RuntimeError("llvm-dwarfdump failed")
    return reader


def code_of(path):
    """A hash of each function's instructions, without the addresses that a linker gives."""
    hashes, name, text = {}, None, []

    def finish():
        if name:
            hashes.setdefault(plain_name(name), []).append(hashlib.sha256("\n".join(text).encode()).hexdigest()[:16])

    for line in output_of("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        match = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if match:
            finish()
            name, text = match.group(1), []
        elif name and "\t" in line:
            code = line.split("\t", 1)[1]
            code = re.sub(r"-?0x[0-9a-f]+\(%rip\)", "(%rip)", re.sub(r" *#.*", "", code))
            code = re.sub(r"\b[0-9a-f]+ (<[^>]*>)", r"\1", code)
            text.append(code)
    finish()
    return {one: sorted(parts) for one, parts in hashes.items()}


def end_of_function(lines, start):
    """The line of the brace that closes it, in the first column as nearly all write it."""
    for at in range(start, len(lines) + 1):
        if lines[at - 1].startswith("}"):
            return at
    return start


def extents(root, functions):
    """name: [file, first line, last line] of those in the repository."""
    texts, found = {}, {}
    for name, places in functions.items():
        for file, line in sorted(places):
            path = os.path.join(root, file)
            if os.path.isabs(file) or not os.path.exists(path) or not line:
                continue
            if file not in texts:
                with open(path, encoding="utf-8", errors="replace") as text:
                    texts[file] = text.read().split("\n")
            found.setdefault(name, []).append([file, line, end_of_function(texts[file], line)])
    return found
