# SPDX-License-Identifier: Apache-2.0
"""Reads what callgrind wrote: each function's own cost, and each call's number and cost with callees.

A reader of its own, so that what flamegate reads of such files is not believed here. A version's parts of
one function (f.part.0, f.constprop.1, f.cold) are one function, and calls between them are none.
"""
import os
import re

PARTS = re.compile(r"(\.(part|constprop|isra|cold|lto_priv|llvm|localalias)(\.\d+)*|'\d+|@.*)$")


# libc has one of these for each processor, and callgrind's is another than ours.
VARIANT = re.compile(r"^__((?:mem|str|stp|wcs|wmem|raw)[a-z]*?)_(?:sse|ssse|avx|evex|erms)\w*$")

# Names of one address in libc: which of them is found is chance.
ALIAS = re.compile(r"^(?:_{1,3}(?:libc_|GI_)?|c(?=free$))(malloc|free|calloc|realloc|memalign|qsort|qsort_r|s?brk"
                   r"|pthread_mutex_lock|pthread_mutex_unlock)$")


def plain_name(name):
    """What the source calls it."""
    name = ALIAS.sub(r"\1", VARIANT.sub(r"\1", name))
    while True:
        shorter = PARTS.sub("", name)
        if shorter == name or not shorter:
            return ALIAS.sub(r"\1", name)
        name = shorter


class Function:
    def __init__(self, name):
        self.name, self.files, self.objects, self.cost = name, set(), set(), 0.0


class Edge:
    def __init__(self):
        self.calls, self.cost = 0, 0.0


class Profile:
    """functions: by plain name; edges: by (caller, callee), both plain names."""

    def __init__(self):
        self.events, self.functions, self.edges, self.recursive = [], {}, {}, set()
        self.weights = []

    # ---- asking

    def has(self, name):
        return name in self.functions

    def total(self):
        return sum(function.cost for function in self.functions.values())

    def cost(self, name):
        return self.functions[name].cost if name in self.functions else 0.0

    def calls(self, caller, callee):
        """From anywhere where no caller is named."""
        return sum(edge.calls for (one, other), edge in self.edges.items()
                   if other == callee and (one == caller if caller else one != callee))

    def cost_of_calls(self, caller, callee):
        return sum(edge.cost for (one, other), edge in self.edges.items()
                   if other == callee and (one == caller if caller else one != callee))

    def inclusive(self, name):
        """Entered from outside, so that recursion counts once; what nobody calls has what it calls."""
        entered = [edge.cost for (one, other), edge in self.edges.items() if other == name and one != name]
        if entered and name not in self.recursive:
            return sum(entered)
        below = sum(edge.cost for (one, other), edge in self.edges.items() if one == name and other != name)
        return self.cost(name) + below

    def callers(self, name):
        return {one for (one, other), edge in self.edges.items() if other == name and one != name and edge.calls}

    def callees(self, name):
        return {other for (one, other), edge in self.edges.items() if one == name and other != name and edge.calls}

    def calls_back(self, name):
        """By way of one that it calls, which may have left the stack for it: a call that is the last thing it does."""
        return any(name in self.callees(callee) for callee in self.callees(name))

    def reaches(self, start, goal):
        """Is there a way of calls from one to the other?"""
        seen, todo = {start}, [start]
        while todo:
            for callee in self.callees(todo.pop()):
                if callee == goal:
                    return True
                if callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
        return False


# What a miss costs, in instructions, as is usual with callgrind's cycle estimate.
WEIGHTS = {"Ir": 1, "I1mr": 10, "D1mr": 10, "D1mw": 10, "ILmr": 100, "DLmr": 100, "DLmw": 100, "Bcm": 10, "Bim": 10}


class Reader:
    def __init__(self, lines):
        self.lines, self.profile, self.names = lines, Profile(), {}
        self.file = self.object = self.function = None
        self.callee = self.calls = None

    def name_of(self, kind, text):
        match = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not match:
            return text
        if match.group(2) is not None:
            self.names[kind, match.group(1)] = match.group(2)
        return self.names[kind, match.group(1)]

    def cost_of(self, line):
        numbers = line.split()[1:]
        return sum(int(number) * weight for number, weight in zip(numbers, self.profile.weights))

    def called(self, line):
        caller, callee = self.function.name, self.callee
        if caller == callee:
            self.profile.recursive.add(caller)
        edge = self.profile.edges.setdefault((caller, callee), Edge())
        edge.calls += self.calls
        edge.cost += self.cost_of(line)
        self.calls = None

    def function_of(self, text):
        name = plain_name(self.name_of("fn", text))
        function = self.profile.functions.setdefault(name, Function(name))
        function.files.add(os.path.basename(self.file or ""))
        function.objects.add(os.path.basename(self.object or ""))
        return function

    def key(self, key, text):
        if key == "events":
            self.profile.events = text.split()
            self.profile.weights = [WEIGHTS.get(event, 0) for event in self.profile.events]
        elif key == "ob":
            self.object = self.name_of("ob", text)
        elif key == "fl":
            self.file = self.name_of("fl", text)
        elif key in ("fi", "fe", "cfi", "cfl"):
            self.name_of("fl", text)
        elif key == "cob":
            self.name_of("ob", text)
        elif key == "fn":
            self.function = self.function_of(text)
        elif key == "cfn":
            self.callee = plain_name(self.name_of("fn", text))
        elif key == "calls":
            self.calls = int(text.split()[0])

    def read(self):
        for line in self.lines:
            line = line.rstrip("\n")
            match = re.match(r"([a-z]+)[=:] ?(.*)$", line)
            if match:
                self.key(match.group(1), match.group(2))
            elif self.function and re.match(r"[+\-*0-9]", line):
                if self.calls is None:
                    self.function.cost += self.cost_of(line)
                else:
                    self.called(line)
        if not self.profile.functions:
            raise ValueError("no callgrind output")
        return self.profile


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return Reader(file).read()
