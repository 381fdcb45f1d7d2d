#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A report by hand beside counts by hand (fixture/), as it is and with a lie in it. TAP."""
import argparse
import contextlib
import gzip
import io
import os
import shutil
import tempfile

import callgrind
import judge
import oracle
import table
import truth

HERE = os.path.dirname(os.path.abspath(__file__))
HEADLINE = "`main` calls `work` in `src/main.c:8` 2.0 times as often"

# What the bench says of it, the test's name, and (file, what it says, what it is made to say).
LIES = [
    ("it is called more often", "what is called more often is not slower itself",
     ("report.md", HEADLINE, "`work` in `src/main.c:8` itself is slower")),
    ("calls 10 → 20", "another number of calls than was counted is false",
     ("report.md", HEADLINE, "`main` calls `work` in `src/main.c:8` 3.0 times as often")),
    ("tail does not call work", "a caller that does not call it is false",
     ("report.md", HEADLINE, "`tail` calls `work` in `src/main.c:8` 2.0 times as often")),
    ("base has it (inlined)", "what base has inlined is not new",
     ("report.md", HEADLINE, "`helper` in `src/main.c:8` is new, called by `work`")),
    ("head has it", "what head still has is not gone", ("report.md", HEADLINE, "`unused_until_now` is gone")),
    ("(moved)", "cost did not move from what costs no less",
     ("report.md", HEADLINE, "cost moved from `main` to `tail`: 20.0 % of the total, net +1.0 %")),
    ("base has it (a symbol)", "a function of a library that both use is not new",
     ("report.md", HEADLINE, "`malloc` is new")),
    ("(in-diff)", "what the diff does not change is not in the diff",
     ("report.md", "| no, but `main` (a caller) |", "| yes |")),
    ("(path)", "a path of calls that nobody makes is false", ("report.md", "→ `work`\n", "→ `tail` → `work`\n")),
    ("(root)", "a root with another change than the title's is false",
     ("report.md", "+80.0 %     1.0 s ->     1.8 s  (everything)", "+57.1 %     1.0 s ->     1.8 s  (everything)")),
    ("(explains)", "a share of the increase by another denominator is false",
     ("terminal", "explains 100 % of the increase", "explains 67.6 % of the increase")),
    ("(share)", "more with what grew with it than there is is false",
     ("report.md", "(+80.0 % of the benchmark)", "(+80.0 % of the benchmark; +160 % with what grew with it)")),
    ("(total)", "a total that a clock contradicts is false",
     ("report.md", "takes 80.0 % more CPU time (95 % interval 78.0 to 82.0 %)",
      "takes 20.0 % more CPU time (95 % interval 18.0 to 22.0 %)")),
    ("not known to the bench: report.md: Called, it seems", "a sentence that the bench does not know is red",
     ("report.md", "Called through", "Called, it seems, through")),
    ("not known to the bench: terminal: luckily", "a word on the terminal that the bench does not know is red",
     ("terminal", "      path:", "      luckily, path:")),
    ("the named line is not in the diff", "a named line that the diff does not have is red",
     ("report.json", '"line": 8', '"line": 5')),
    ("exit 0 (FAIL), where a maintainer says fail", "a regression that passes is red", ("status", "1", "0")),
    ("first culprit: main", "another first culprit than the story's is red",
     ("report.json", '"function": 1', '"function": 0')),
]


class Asked:
    """What a rule asks of a truth, by hand: costs and code of each function, and what the report says that it costs."""

    def __init__(self, costs, same=(), own=None, tell=True, mine=(), touched=()):
        self.touched = touched
        self.costs, self.same, self.tell = costs, same, tell
        self.totals = [sum(pair[0] for pair in costs.values()), sum(pair[1] for pair in costs.values())]
        self.report = {"own": own or costs, "total": [float(one) for one in self.totals]}
        self.base = argparse.Namespace(symbols=set(mine), debug=set(),
                                       built=argparse.Namespace(functions=dict(costs)))
        self.versions, self.renamed, self.parts = [self.base], {}, {}

    def self_costs(self, name):
        return self.costs.get(name, (0, 0))

    def is_same_code(self, name):
        return name in self.same

    def is_touched(self, name):
        return name in self.touched

    def calls(self, caller, name):
        return (10, 10)

    def counted_change(self):
        return self.totals[1] / self.totals[0] - 1

    def timed_change(self):
        return self.counted_change(), 0.01

    def counts_tell(self):
        return self.tell

    def covered(self, name):
        return True

    def same_inside(self, name):
        return True


GREW = "the total grew in functions whose machine code is the same in both versions"
ONE_GREW = "a function grew whose machine code is unchanged"


def rules():
    """Each as (name, is it so?): what may not be said, however little is known."""
    unchanged = oracle.RULES["unchanged-grew"]
    changed = Asked({"f": (100, 120), "memcpy": (900, 903)}, same=["memcpy"])
    yield "of a total that a changed function made grow unchanged code is not said to", \
        unchanged(changed, {"text": GREW})[0] == oracle.FALSE
    yield "nor by the clock, where counts do not tell", \
        unchanged(Asked(changed.costs, same=["memcpy"], tell=False), {"text": GREW})[0] == oracle.FALSE
    yield "a three-thousandth is no function that grew", unchanged(changed, {"text": ONE_GREW})[0] == oracle.FALSE
    yield "one that did is one", \
        unchanged(Asked({"f": (100, 120), "memcpy": (900, 930)}, same=["memcpy"]), {"text": ONE_GREW})[0] == oracle.TRUE
    lost = {"f": (0.0, 50.0), "g": (900.0, 900.0)}
    yield "the program's own function that base's report lost is no other heap", \
        oracle.not_grown(Asked({"f": (50, 50), "g": (900, 900)}, own=lost, mine=["f", "g"]), "f") == oracle.FALSE
    yield "a library's may be", \
        oracle.not_grown(Asked({"f": (50, 50), "g": (900, 900)}, own=lost, mine=["g"]), "f") == oracle.UNCOVERED
    yield "what costs less by far did not grow, whatever the clock of the whole says", \
        oracle.not_grown(Asked({"f": (50, 40), "g": (900, 900)}, tell=False, mine=["f"]), "f") == oracle.FALSE
    itself = oracle.RULES["own-code"]
    def slower(head, touched=("f",)):
        return itself(Asked({"f": (100, head)}, same=[] if touched else ["f"], touched=touched), {"f": "f", "kind": "own-code"})[0]
    yield "changed code that costs less than a tenth less by callgrind's model may take longer", slower(91) == oracle.UNCOVERED
    yield "more than a tenth less it does not", slower(89) == oracle.FALSE
    yield "nor the same code of as much", slower(100, ()) == oracle.FALSE
    def took_longer(head, **more):
        return oracle.RULES["longer"](Asked({"f": (100, head), "g": (900, 900)}, **more), {"f": "f", "share": 0.004})[0]
    yield "what costs more takes longer", took_longer(110) == oracle.TRUE
    yield "the same cost may take longer by a little", took_longer(100) == oracle.UNCOVERED
    yield "but not what costs a tenth less", took_longer(90) == oracle.FALSE
    yield "nor by more than the clock saw", \
        oracle.RULES["longer"](Asked({"f": (100, 100), "g": (900, 900)}), {"f": "f", "share": 0.1})[0] == oracle.FALSE
    def merged(*hosts_calls):
        one = [argparse.Namespace(is_inlined=lambda _: True, hosts=lambda _: {"host"},
                                  built=argparse.Namespace(calls=lambda host, callee, calls=calls: calls)) for calls in hosts_calls]
        return oracle.merged_by_compiler(argparse.Namespace(versions=one), {"f": "strlen", "g": "ends_with"})
    yield "as many calls as written may be more as built", merged(510, 750)
    yield "but not where the host calls as often", not merged(750, 750)
    yield "a factor within the rounds that were left out may be", oracle.outside_of_rounds([37, 24773], 2847)
    yield "one beyond them is none", not oracle.outside_of_rounds([50, 5050], 1e6)
    yield "many calls in base are not outside of the rounds", not oracle.outside_of_rounds([900, 200000], 800)
    yield "the better of two functions of one name counts, the worse does not", \
        oracle.best([(oracle.FALSE, ""), (oracle.TRUE, "")], "") [0] == oracle.TRUE and \
        oracle.best([(oracle.FALSE, "")], "")[0] == oracle.FALSE and oracle.best([], "")[0] == oracle.UNCOVERED

    yield from timings()
    grown = argparse.Namespace(report={"total": [100.0, 130.0]})
    def explains(explained, others, **more):
        return oracle.explains_of(grown, {"explained": explained, **more}, (0.0, 15.0), others)[0]
    yield "what grew with a call may be below it", explains(0.5, 7.0, together=True) == oracle.TRUE
    yield "or beside it", explains(0.73, 7.0, together=True) == oracle.TRUE
    yield "more than both it does not explain", explains(0.9, 7.0, together=True) == oracle.FALSE
    yield "nor less than itself", explains(0.3, 7.0, together=True) == oracle.FALSE
    yield "alone it is no more than itself", explains(0.73, 7.0) == oracle.FALSE
    again = callgrind.Profile()
    again.edges = {("free_array", "free_value"): counted(3), ("free_value", "free_array"): counted(2),
                   ("free_array", "free"): counted(9)}
    yield "what a function's last call leads back to is on the stack twice", again.calls_back("free_array")
    yield "what calls it and is not called by it is not", not again.calls_back("free")


def timings():
    calm, busy = [[0.1] * 11, [1.5] * 11], [[0.1] * 11, [1.5, 2.0, 1.7] * 3 + [1.9, 2.2]]
    def timed(*series):
        left = list(series)
        return truth.times_of(None, None, lambda *_: left.pop(0)), len(left)
    yield "a calm series is timed once", timed(calm, busy) == (calm, 1)
    yield "one that scatters is timed again", timed(busy, calm, busy) == (calm, 1)
    yield "and the calmest counts where none is calm", timed(busy, [calm[0], [1.5, 1.6, 1.4] * 3 + [1.5, 1.7]], busy) == \
        ([calm[0], [1.5, 1.6, 1.4] * 3 + [1.5, 1.7]], 0)


def counted(calls):
    edge = callgrind.Edge()
    edge.calls = calls
    return edge


def begin(folder, lie):
    shutil.copytree(os.path.join(HERE, "fixture"), folder)
    if lie:
        path = os.path.join(folder, lie[0])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert lie[1] in text, lie
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(lie[1], lie[2]))
    for name in ("truth.json", "base.callgrind", "head.callgrind"):
        with open(os.path.join(folder, name), "rb") as plain, gzip.open(os.path.join(folder, name + ".gz"), "wb") as packed:
            packed.write(plain.read())


def run(lie):
    """The bench's exit status and words."""
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "case")
        begin(folder, lie)
        judged = os.path.join(work, "judged.json")
        with open(judged, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
            judge.main(folder, folder, folder)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = table.main("0", "no", "", judged)
        return status, said.getvalue()


def tell(number, good, name, said):
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good:
        print("".join(f"# {line}\n" for line in said.split("\n")), end="")
    return good


def main():
    status, said = run(None)
    good = [tell(1, status == 0, "a report that is true of the program is green", said)]
    for number, (words, name, lie) in enumerate(LIES, 2):
        status, said = run(lie)
        good.append(tell(number, status == 1 and words in said, name, said))
    for name, is_so in rules():
        good.append(tell(len(good) + 1, is_so, name, ""))
    print(f"1..{len(good)}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    raise SystemExit(main())
