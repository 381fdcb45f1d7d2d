# SPDX-License-Identifier: Apache-2.0
"""Is a claim true of the two programs? Each rule returns (TRUE | FALSE | UNCOVERED, why).

What is asked: callgrind's counts of calls and costs of both versions as they are built; the calls of the same sources
built without inlining, for calls that are none as built; symbols, inline records and code of the binaries; the diff;
and times of both in turns. UNCOVERED is what none of them can tell: it is counted apart, never as true.
"""
import gzip
import json
import os
import re
import statistics

import callgrind
from callgrind import plain_name
from sentences import seconds

TRUE, FALSE, UNCOVERED = "true", "false", "uncovered"
MORE = 1.005  # by so much costs must differ that are to have grown: counts are exact, caches' simulated misses nearly
MODEL = 0.9  # callgrind's cost is a model: changed code that costs up to a tenth less by it may still take longer
STARTUP = re.compile(r"^(_start|__libc_start_.*|\(below main\)|_dl_.*|\.\.\.|… ?\d* ?\w* ?…?|_init|start_thread|clone3?)$")


class Version:
    def __init__(self, facts, as_built, as_written):
        self.symbols, self.libraries = set(facts["symbols"]), set(facts["library_symbols"])
        self.debug = set(facts["debug_names"]) | set(facts["functions"])
        self.extents, self.code, self.loaded = facts["functions"], facts["code"], facts.get("loaded")
        self.inlined = {(host, name) for host, name in facts["inlined"]}
        self.built, self.written = as_built, as_written

    def has(self, name):
        """Out of line or inlined, its own or a library's; a declaration alone is none."""
        return name in self.symbols or name in self.libraries or any(name == one for _, one in self.inlined)

    def is_inlined(self, name):
        return any(name == one for _, one in self.inlined)

    def hosts(self, name):
        return {host for host, one in self.inlined if one == name}

    def calls(self, caller, callee):
        """Exact, or None: as built where nobody inlines the callee or is inlined; else as written."""
        plain = not self.is_inlined(callee) and not (caller and self.is_inlined(caller))
        if plain:
            return self.built.calls(caller, callee)
        if self.written and self.written.has(callee) and (not caller or self.written.has(caller)):
            return self.written.calls(caller, callee)
        return None

    def is_called_by(self, caller, callee):
        """As built, as written, or inlined into what calls it or what it calls."""
        for profile in (self.built, self.written):
            if profile and (profile.calls(caller, callee) or profile.reaches(caller, callee)):
                return True
        return (caller, callee) in self.inlined or \
            any(self.built.calls(host, callee) for host in self.hosts(caller))


class Diff:
    """Changed lines, by file: of base's and of head's numbers."""

    def __init__(self, text):
        self.lines, self.files = ({}, {}), [None, None]
        for line in text.split("\n"):
            self.read(line)

    def read(self, line):
        match = re.match(r"(---|\+\+\+) (?:[ab]/)?(.*?)\t?$", line)
        if match:
            self.files[match.group(1) == "+++"] = match.group(2)
        match = re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
        if match:
            for version, (start, count) in enumerate((match.group(1, 2), match.group(3, 4))):
                self.add(version, int(start), 1 if count is None else int(count))

    def add(self, version, start, count):
        lines = self.lines[version].setdefault(self.files[version], set())
        lines.update(range(start, start + count))
        if not count:  # nothing stands there: the two beside it do
            lines.update((start, start + 1))

    def has(self, file, line, version=1):
        return line in self.lines[version].get(file, ())

    def touches(self, version, places):
        return any(not self.lines[version].get(file, set()).isdisjoint(range(first, last + 1))
                   for file, first, last in places)


class Truth:
    def __init__(self, folder):
        with gzip.open(os.path.join(folder, "truth.json.gz"), "rt", encoding="utf-8") as file:
            facts = json.load(file)
        self.versions = [Version(facts["versions"][at], self.profile(folder, tag), self.profile(folder, tag + "-written"))
                         for at, tag in enumerate(("base", "head"))]
        self.base, self.head = self.versions
        self.diff, self.times, self.outputs = Diff(facts["diff"]), facts["times"], facts["outputs"]
        self.parts = {}
        self.renamed = {}  # as the report says, and a rule judges: in head -> in base
        self.totals = [version.built.total() for version in self.versions]

    @staticmethod
    def profile(folder, tag):
        path = os.path.join(folder, tag + ".callgrind.gz")
        if not os.path.exists(path):
            return None
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
            return callgrind.Reader(file).read()

    # ---- what the rules ask

    def calls(self, caller, callee):
        return [version.calls(caller, callee) for version in self.versions]

    def self_costs(self, name):
        return [version.built.cost(name) for version in self.versions]

    def same_inside(self, name):
        """callgrind counts with a function what is inlined into it: its own lines alone are covered only where that is
        the same in both versions."""
        inside = [{one for host, one in version.inlined if host == name} for version in self.versions]
        return inside[0] == inside[1]

    def covered(self, name):
        """Its cost is its own in both versions' profiles: it is a function there and is inlined nowhere."""
        return all(not version.is_inlined(name) for version in self.versions) and \
            any(version.built.has(name) for version in self.versions)

    def counts_tell(self):
        """False: the clock shows what the counts do not (caches, pages), so that equal counts prove no equal time."""
        timed, off = self.timed_change()
        return abs(timed - self.counted_change()) <= off + 0.03

    def is_touched(self, name):
        return any(self.diff.touches(at, version.extents.get(name, ())) for at, version in enumerate(self.versions))

    def is_same_code(self, name):
        """None: one of the versions has no code of it."""
        codes = [version.code.get(name) for version in self.versions]
        return None if None in codes else codes[0] == codes[1]

    def timed_change(self):
        """Median of the pairs' ratios, and how far off it may be."""
        ratios = sorted(head / base for base, head in zip(*self.times))
        middle = statistics.median(ratios)
        spread = statistics.median(abs(ratio - middle) for ratio in ratios)
        return middle - 1, 1.2533 * 1.4826 * 2 * spread / len(ratios) ** 0.5 + 0.005 * middle

    def counted_change(self):
        return self.totals[1] / self.totals[0] - 1


def grew(pair, by=MORE):
    return pair[1] > pair[0] * by


def shown(pair):
    return " → ".join("not known" if one is None else f"{one:,.0f}" for one in pair)


# ---- rules: one for each kind of claim --------------------------------------------------------------

RULES = {}


def rule(*kinds):
    def keep(function):
        for kind in kinds:
            RULES[kind] = function
        return function
    return keep


def each(costs, calls):
    return [cost / count if count else 0.0 for cost, count in zip(costs, calls)]


def same_program(truth, name):
    """Neither the source of it nor its code differs, as far as is known."""
    return not truth.is_touched(name) and truth.is_same_code(name) is not False


@rule("self", "own-code")
def itself(truth, claim):
    name = claim["f"]
    calls = truth.calls(None, name)
    if not truth.covered(name):
        return inlined_itself(truth, claim, calls)
    costs = truth.self_costs(name)
    for part in truth.parts.get(name, ()):  # the report says that they count with it
        costs = [cost + one for cost, one in zip(costs, truth.self_costs(part))]
    if not grew(costs):
        changed = not same_program(truth, name)
        return (UNCOVERED if changed and costs[1] > costs[0] * MODEL else FALSE,
                f"its own cost: {shown(costs)} in {shown(calls)} calls" + (", its code changed" if changed else ""))
    if claim["kind"] == "own-code":
        return TRUE, f"its own cost: {shown(costs)}"
    per_call = each(costs, calls)
    if None not in calls and calls[0] and not grew(per_call):
        return FALSE, f"calls {shown(calls)}, each {per_call[0]:.1f} → {per_call[1]:.1f}: it is called more often"
    if same_program(truth, name):
        return FALSE, f"its code is the same; calls {shown(calls)}, its own cost {shown(costs)}"
    return TRUE, f"its own cost: {shown(costs)} in {shown(calls)} calls"


@rule("longer")
def longer(truth, claim):
    """Of time alone: where counts are the same, the clock must leave room for it."""
    name = claim["f"]
    if not truth.covered(name):
        return inlined_itself(truth, claim, truth.calls(None, name))
    costs = truth.self_costs(name)
    if grew(costs):
        return TRUE, f"its own cost: {shown(costs)}"
    timed, off = truth.timed_change()
    if costs[1] <= costs[0] * MODEL or claim.get("share", 0) > timed - truth.counted_change() + off + 0.01:
        return FALSE, f"its own cost: {shown(costs)}, and the clock shows no more"
    return UNCOVERED, f"its own cost: {shown(costs)}; time is what counts do not show"


def inlined_itself(truth, claim, calls):
    """What the sources say, built without inlining."""
    name = claim["f"]
    if not all(version.written and version.written.has(name) for version in truth.versions):
        if name in truth.base.libraries and not any(version.built.has(name) for version in truth.versions):
            return UNCOVERED, "of a library, and callgrind runs another variant of it"
        return UNCOVERED, "inlined, or not seen by callgrind"
    costs = [version.written.cost(name) for version in truth.versions]
    per_call = each(costs, calls)
    if claim["kind"] != "longer" and not truth.is_touched(name) and not grew(per_call) and truth.covered_hosts_same(name):
        return FALSE, f"inlined; as written each call costs {per_call[0]:.1f} → {per_call[1]:.1f}, calls {shown(calls)}"
    return UNCOVERED, f"inlined; as written calls {shown(calls)}, each {per_call[0]:.1f} → {per_call[1]:.1f}"


def covered_hosts_same(self, name):
    """Every host of it has the same code in both versions: what is inlined there cannot have changed."""
    hosts = {host for version in self.versions for host in version.hosts(name)}
    return all(self.is_same_code(host) is not False for host in hosts)


Truth.covered_hosts_same = covered_hosts_same


def edges(truth, claim):
    """Cost of the calls that are meant: of the caller's, or of whom the caller is inlined into."""
    found = []
    for version in truth.versions:
        caller, callee = claim.get("g"), claim["f"]
        cost = version.built.cost_of_calls(caller, callee)
        if caller and not cost:
            cost = sum(version.built.cost_of_calls(host, callee) for host in version.hosts(caller))
        found.append(cost)
    return found


def is_unseen(truth, name):
    """Of a library, and no function of callgrind's: inlined there, or another variant."""
    return name not in truth.base.symbols | truth.base.debug | truth.head.symbols | truth.head.debug and \
        not any(profile and profile.has(name) for version in truth.versions for profile in (version.built, version.written))


def knows_caller(truth, claim):
    return not claim.get("g") or any(version.is_called_by(claim["g"], claim["f"]) for version in truth.versions)


@rule("more-work", "with-callees")
def called(truth, claim):
    name, calls, costs = claim["f"], truth.calls(claim.get("g"), claim["f"]), edges(truth, claim)
    if not knows_caller(truth, claim):
        return FALSE, f"{claim['g']} does not call {name}"
    if None not in calls and grew(calls):
        return TRUE, f"calls {shown(calls)}"
    if not any(costs):
        return UNCOVERED, f"inlined; calls {shown(calls)}"
    if not grew(costs):
        told = claim["kind"] == "more-work" or truth.counts_tell() or costs[1] < 0.97 * costs[0]
        return (FALSE if told else UNCOVERED), f"calls {shown(calls)}, their cost {shown(costs)}"
    if claim["kind"] == "more-work" and truth.covered(name) and not same_program(truth, name) and \
            costs[1] - costs[0] < 1.25 * (truth.self_costs(name)[1] - truth.self_costs(name)[0]):
        return FALSE, f"calls {shown(calls)}; its own code costs more: {shown(truth.self_costs(name))}"
    return TRUE, f"calls {shown(calls)}, their cost {shown(costs)}"


def near(said, pair):
    """A printed factor beside two exact numbers; it has two digits."""
    if said == "many":
        return not pair[0]
    factor = float(said.replace(",", ""))
    return bool(pair[0]) and abs(pair[1] / pair[0] - factor) <= 0.03 * factor + 0.05 * (factor > 1.9)


PART = 4  # of a benchmark's rounds the oracle counts one of so many at least
FEW = 50  # calls that may all be outside of the rounds


def outside_of_rounds(calls, said):
    """The oracle counts a part of the rounds: base's few calls are none of them, so no factor is the same."""
    return None not in calls and 0 < calls[0] <= FEW and calls[1] > 2 * calls[0] and \
        0.98 <= said / (calls[1] / calls[0]) <= 1.3 * PART


def merged_by_compiler(truth, claim):
    """Where the caller is inlined, its host's calls as built are not as many more as they are written: the compiler has
    left some of them out, or put more in."""
    caller, callee = claim.get("g"), claim["f"]
    if not caller or not any(version.is_inlined(caller) for version in truth.versions):
        return False
    built = [sum(version.built.calls(host, callee) or 0 for host in version.hosts(caller)) for version in truth.versions]
    return grew(built)


@rule("called-more")
def called_more(truth, claim):
    calls = truth.calls(claim.get("g"), claim["f"])
    if not knows_caller(truth, claim):
        return FALSE, f"{claim['g']} does not call {claim['f']}"
    if None in calls:
        return UNCOVERED, "inlined"
    if claim["times"] != "many" and outside_of_rounds(calls, float(claim["times"].replace(",", ""))):
        return TRUE, f"calls {shown(calls)} in a part of the rounds"
    if not grew(calls) or not near(claim["times"], calls):
        return (UNCOVERED if merged_by_compiler(truth, claim) else FALSE), f"calls {shown(calls)}"
    if claim.get("cost"):
        return each_call(truth, claim)
    return TRUE, f"calls {shown(calls)}"


@rule("each-call", "same-code")
def each_call(truth, claim):
    """Of time: callgrind's estimate need not be near, but must grow, unless nothing but the time differs."""
    calls, costs = truth.calls(claim.get("g"), claim["f"]), edges(truth, claim)
    if not knows_caller(truth, claim):
        return FALSE, f"{claim['g']} does not call {claim['f']}"
    if None in calls or not all(calls) or not all(costs):
        return UNCOVERED, f"inlined; calls {shown(calls)}"
    per_call = each(costs, calls)
    if claim["kind"] != "called-more" and abs(calls[1] / calls[0] - 1) > 0.005:
        return FALSE, f"calls {shown(calls)}"
    if claim["kind"] == "same-code" and truth.is_same_code(claim["f"]) is False:
        return FALSE, "its code differs"
    if not grew(per_call):
        return FALSE, f"each call costs {per_call[0]:.1f} → {per_call[1]:.1f}"
    return TRUE, f"calls {shown(calls)}, each {per_call[0]:.1f} → {per_call[1]:.1f}"


@rule("new")
def new(truth, claim):
    name = claim["f"]
    if truth.base.has(name):
        kind = "inlined" if name not in truth.base.symbols | truth.base.libraries else "a symbol"
        return FALSE, f"base has it ({kind})"
    if not truth.head.has(name):
        return UNCOVERED, "head's binary does not have that name"
    if claim.get("g") and not truth.head.is_called_by(claim["g"], name):
        return FALSE, f"{claim['g']} does not call it"
    return TRUE, "base has neither a symbol nor an inline record of it"


@rule("now-called")
def now_called(truth, claim):
    calls = truth.calls(claim.get("g"), claim["f"])
    if not truth.base.has(claim["f"]):
        return FALSE, "base does not have it: it is new"
    if None in calls:
        return UNCOVERED, "inlined"
    if calls[0] or not calls[1]:
        return FALSE, f"calls {shown(calls)}"
    return TRUE, f"calls {shown(calls)}"


@rule("called-instead")
def called_instead(truth, claim):
    new_calls, old_calls = truth.calls(claim["g"], claim["f"]), truth.calls(claim["g"], claim["h"])
    if None in new_calls + old_calls:
        return UNCOVERED, "inlined"
    good = not new_calls[0] and new_calls[1] and old_calls[0] and not old_calls[1]
    return (TRUE if good else FALSE), f"calls {shown(new_calls)}; of {claim['h']} {shown(old_calls)}"


@rule("swapped")
def swapped(truth, claim):
    return called_instead(truth, {"f": claim["h"], "h": claim["f"], "g": claim["g"]})


@rule("in-host")
def in_host(truth, claim):
    if not any(claim["f"] == name and host == claim.get("g", host) for version in truth.versions
               for host, name in version.inlined):
        return FALSE, "it is not inlined there"
    if claim.get("g") and truth.is_same_code(claim["g"]):
        return FALSE, f"the code of {claim['g']} is the same"
    return UNCOVERED, "inlined"


@rule("less")
def less(truth, claim):
    name = claim["f"]
    costs = truth.self_costs(name)
    if not truth.covered(name):
        return UNCOVERED, "inlined, or not seen by callgrind"
    if not truth.same_inside(name):
        return UNCOVERED, "other functions are inlined into it"
    if grew(costs[::-1]):
        return TRUE, f"its own cost: {shown(costs)}"
    if not grew(costs) and not truth.counts_tell():
        return UNCOVERED, "the clock shows what counts do not"
    return (FALSE if same_program(truth, name) or grew(costs) else UNCOVERED), f"its own cost: {shown(costs)}"


@rule("gone")
def gone(truth, claim):
    if truth.head.has(claim["f"]):
        return FALSE, "head has it"
    return (TRUE, "head has it not") if truth.base.has(claim["f"]) else (UNCOVERED, "base has it not")


# ---- cost that moved

def inclusive(truth, name):
    return [version.built.inclusive(name) for version in truth.versions]


def delta(pair):
    return pair[1] - pair[0]


def amount_of(truth, claim):
    """In callgrind's unit, by base's total."""
    percent = claim.get("amount") or re.search(r"\(([\d.]+) %", claim.get("cost", "(0 %")).group(1)
    return float(percent) / 100 * truth.totals[0]


def fell_and_rose(truth, claim, loser, winners):
    """Did one lose, in its own code or with what it calls, about what the others gained?"""
    if loser in winners:
        return FALSE, "from a function to itself"
    losers = [loser, *(part for part in truth.parts.get(loser, ()) if part not in winners)]  # the report says: they count with it
    covered = all(truth.covered(name) for name in [*losers, *winners])
    profiles = [version.built if covered else version.written for version in truth.versions]
    if None in profiles or not all(any(profile.has(name) for profile in profiles) for name in [loser, *winners]):
        return UNCOVERED, "inlined, or not seen by callgrind"
    lost, won = lost_and_won(profiles, losers, winners)
    said = amount_of(truth, claim) / truth.totals[0]
    words = f"{loser} {100 * lost:+.2f} %, {' '.join(winners)} {100 * won:+.2f} %"
    if lost > -said / 3 or won < said / 3:
        return FALSE, words + ("" if covered else " as written")
    return (TRUE, words) if covered else (UNCOVERED, f"inlined; as written {words}")


def lost_and_won(profiles, losers, winners):
    """By base's total: of their own code, or with what they call, whichever says more."""
    def change(names, cost):
        return sum(cost(profiles[1], name) - cost(profiles[0], name) for name in names) / profiles[0].total()

    own, below = callgrind.Profile.cost, callgrind.Profile.inclusive
    return (min(change(losers, own), change(losers[:1], below)), max(change(winners, own), change(winners, below)))


@rule("moved")
def moved(truth, claim):
    return fell_and_rose(truth, claim, claim["f"], [claim["g"]]) if claim.get("f") else (UNCOVERED, "from nobody")


@rule("moved-to", "offset")
def moved_to(truth, claim):
    return fell_and_rose(truth, claim, claim["f"], claim["fs"])


@rule("split")
def split(truth, claim):
    for name in claim["fs"]:
        if truth.base.has(name):
            return FALSE, f"base has {name}"
    return fell_and_rose(truth, claim, claim["f"], claim["fs"])


@rule("merged")
def merged(truth, claim):
    for name in claim["fs"]:
        if truth.head.has(name):
            return FALSE, f"head has {name}"
    if not truth.covered(claim["f"]):
        return UNCOVERED, "inlined"
    own = truth.self_costs(claim["f"])
    return (TRUE if grew(own) else FALSE), f"own cost of {claim['f']}: {shown(own)}"


@rule("reached")
def reached(truth, claim):
    for name in claim["fs"]:
        before, after = truth.calls(claim["f"], name)
        if before is None or after is None:
            return UNCOVERED, "inlined"
        if not after and not truth.head.built.reaches(claim["f"], name):
            return FALSE, f"{claim['f']} does not lead to {name}"
    return TRUE, "head calls them so"


# ---- split, merged or inlined

@rule("inlined")
def inlined_in_head(truth, claim):
    name, host = claim["f"], claim["g"]
    if (host, name) not in truth.head.inlined:
        return FALSE, f"head has no inline record of it in {host}"
    if (host, name) in truth.base.inlined:
        return FALSE, f"base has it inlined in {host} as well"
    return TRUE, "inline records"


@rule("outlined")
def inlined_in_base(truth, claim):
    name, host = claim["f"], claim["g"]
    if (host, name) not in truth.base.inlined:
        return FALSE, f"base has no inline record of it in {host}"
    if (host, name) in truth.head.inlined:
        return FALSE, f"head has it inlined in {host} as well"
    return TRUE, "inline records"


@rule("split-inlining")
def split_inlining(truth, claim):
    name, host = claim["f"], claim["g"]
    if truth.base.has(name):
        return FALSE, "base has it"
    return (TRUE, "base has it not, and head calls it") if truth.head.is_called_by(host, name) else \
        (FALSE, f"{host} does not call it")


@rule("merged-inlining")
def merged_inlining(truth, claim):
    name, host = claim["f"], claim["g"]
    if truth.head.has(name):
        return FALSE, "head has it"
    return (TRUE, "head has it not, and base called it") if truth.base.is_called_by(host, name) else \
        (FALSE, f"{host} did not call it")


# ---- amounts

def denominator(truth, claim):
    return truth.report["total"][0]


def best(verdicts, otherwise):
    """Of functions of one name: what is true of one of them is."""
    verdicts = list(verdicts)
    return next((one for one in verdicts if one[0] == TRUE), verdicts[-1] if verdicts else (UNCOVERED, otherwise))


@rule("share")
def share(truth, claim):
    """One denominator: what the same report says that it cost before and after, by base's total."""
    if claim["of"] == "all":
        return share_of_all(truth, claim)
    return best((share_of(truth, claim, costs) for costs in truth.costs_of(claim["f"], claim["of"])),
                "the report has no costs of it")


def share_of(truth, claim, costs):
    real = (costs[1] - costs[0]) / denominator(truth, claim)
    good = abs(real - claim["share"]) <= 0.007 + 0.12 * abs(real)
    if claim.get("more") and abs(seconds(claim["more"]) - (costs[1] - costs[0])) > 0.12 * abs(costs[1] - costs[0]) + 0.001:
        return FALSE, f"by the report's own costs {1000 * (costs[1] - costs[0]):+.1f} ms"
    return (TRUE if good else FALSE), f"by the report's own costs {100 * real:+.1f} % of base"


def share_of_all(truth, claim):
    """With what grew with it: no more than these are said to have grown, nor than the benchmark has but for what shrank."""
    base, head = truth.report["total"]
    grown = [costs[1] - costs[0] + more for kind in ("self", "called") for costs, more in
             zip(truth.costs_of(claim["f"], kind), truth.grown_with(claim["f"], kind))]
    if not grown:
        return UNCOVERED, "the report has no costs of it"
    if claim["share"] > 1.05 * (head - base) / base + 0.01 and not any(truth.report["shrank"]):
        return FALSE, f"the benchmark grew by {100 * (head - base) / base:.1f} %"
    real = max(grown) / base
    return (TRUE if claim["share"] <= 1.1 * real + 0.007 else FALSE), f"by the report's own costs {100 * real:+.1f} % at most"


@rule("explains")
def explains(truth, claim):
    every, total = truth.costs_of(claim["f"], "self" if claim["of"] == "self" else "called"), truth.report["total"]
    if claim["explained"] > 1.005 and not any(truth.report["shrank"]):
        return FALSE, "more than all"
    if total[1] <= total[0]:
        return UNCOVERED, "the total has not grown"
    others = truth.grown_with(claim["f"], "self" if claim["of"] == "self" else "called")
    return best((explains_of(truth, claim, costs, more) for costs, more in zip(every, others)),
                "the report has no costs of it")


def explains_of(truth, claim, costs, others):
    """With what grew with it: what of that is below it is in its costs already, and what is beside it is not."""
    own, total = costs[1] - costs[0], truth.report["total"]
    least, most = (min(part, 1.0) for part in (own / (total[1] - total[0]),
                                               (own + (others if claim.get("together") else 0)) / (total[1] - total[0])))
    good = min(least, most) - 0.1 <= min(claim["explained"], 1.0) <= max(least, most) + 0.1
    if claim.get("aside"):
        good = claim["explained"] <= most
    return (TRUE if good else FALSE), f"by the report's own costs {100 * least:.0f} to {100 * most:.0f} %"


@rule("costs")
def costs_of_claim(truth, claim):
    """CPU time: no oracle counts it; the direction is its kind's claim. Its own percentage must fit."""
    if claim.get("relative") is None or not claim["base"]:
        return UNCOVERED, "times"
    real = claim["head"] / claim["base"] - 1
    good = abs(real - claim["relative"]) <= 0.02 + 0.12 * abs(real)
    return (UNCOVERED, "times") if good else (FALSE, f"{100 * real:+.1f} % by the two times beside it")


@rule("total")
def total(truth, claim):
    timed, off = truth.timed_change()
    counted = truth.counted_change()
    words = f"timed {100 * timed:+.1f} ± {100 * off:.1f} %, counted {100 * counted:+.1f} %"
    change = claim["change"]
    interval = [float(part.split(" ")[0]) / 100 for part in (claim.get("interval") or "").replace(" %", "")
                .split(" to ")] if claim.get("interval") else [abs(change)] * 2
    low, high = sorted(end if change >= 0 else -end for end in interval)
    more = abs(truth.report["total"][1] - truth.report["total"][0])
    if claim.get("more") and abs(abs(seconds(claim["more"])) - more) > 0.05 * more + 0.0006:
        return FALSE, f"by the report's own totals {1000 * more:.1f} ms"
    allowed = 0.02 + 0.15 * abs(change) + off
    if low - allowed <= timed <= high + allowed:
        if abs(change) < 0.03 and abs(counted) < 0.0005 and abs(timed) < 0.01 + off and truth.nothing_changed():
            return FALSE, words + ": what runs is the same"
        if change * counted < 0 and abs(counted) > 0.003 and change * timed < 0:
            return FALSE, words
        return TRUE, words
    if off > 0.05 + 0.2 * abs(change):
        return UNCOVERED, words
    return FALSE, words


def nothing_changed(self):
    """Every function that both versions run has the same code."""
    run = {name for version in self.versions for name in version.built.functions if name in version.symbols}
    return all(self.is_same_code(name) for name in run)


Truth.nothing_changed = nothing_changed


@rule("bound")
def bound(truth, claim):
    if claim.get("bound") is None:
        return UNCOVERED, "no bound"
    timed, off = truth.timed_change()
    limit = float(claim["bound"]) / 100
    words = f"timed {100 * timed:+.1f} ± {100 * off:.1f} %, counted {100 * truth.counted_change():+.1f} %"
    if min(timed - off, truth.counted_change()) > limit + 0.01:
        return FALSE, words
    return TRUE, words


@rule("identical")
def identical(truth, claim):
    good = truth.base.loaded == truth.head.loaded
    return (TRUE if good else FALSE), "what is loaded is the same" if good else "what is loaded differs"


@rule("root")
def root(truth, claim):
    real = truth.report["change"]
    good = abs(real - claim["change"]) <= 0.004 + 0.02 * abs(real)
    return (TRUE if good else FALSE), f"the report's total: {100 * real:+.1f} %"


@rule("nobody")
def nobody(truth, claim):
    return (FALSE if truth.story.get("culprit") else UNCOVERED), f"the story's: {truth.story.get('culprit', '-')}"


@rule("unchanged-grew")
def unchanged_grew(truth, claim):
    """"A function": one that takes more time, by the report's own costs, has the same code. All else: half of what
    grew at least, by callgrind's counts or, where these do not tell, by the report's costs."""
    own = truth.report["own"]
    if claim["text"].lstrip("- ").startswith(("a function grew", "Part of")):
        same = [name for name, (base, head) in own.items() if head - base > 0.005 * truth.report["total"][0]
                and truth.is_same_code(name)]
        return (TRUE if same else FALSE), f"the same code and slower: {', '.join(same) or 'none'}"
    if truth.counts_tell():
        grown = {name: delta(truth.self_costs(name)) for version in truth.versions for name in version.built.functions}
    else:
        grown = {name: head - base for name, (base, head) in own.items()}
    more = sum(cost for cost in grown.values() if cost > 0)
    if more < 0.005 * (truth.totals if truth.counts_tell() else truth.report["total"])[0]:
        return UNCOVERED, "nothing costs more"
    same = sum(cost for name, cost in grown.items() if cost > 0 and same_program(truth, name))
    return (TRUE if same >= more / 2 else FALSE), f"{100 * same / more:.0f} % of what grew is the same code"


# ---- why it is believed

def changed_functions(truth, claim):
    """Whose change is meant: the subject's, or that of whom it is inlined into, or of whom it has inlined."""
    names = {claim["f"], claim.get("g") or claim["f"]}
    for version in truth.versions:
        names |= version.hosts(claim["f"]) | {name for host, name in version.inlined if host == claim["f"]}
    return names


@rule("evidence-lines-changed")
def lines_changed(truth, claim):
    lines = range(int(claim["first"]), int(claim.get("last") or claim["first"]) + 1)
    good = all(truth.diff.has(claim["file"], line) for line in lines)
    return (TRUE if good else FALSE), "in the diff" if good else "not all of them are in the diff"


@rule("evidence-lines-gone")
def lines_gone(truth, claim):
    good = truth.diff.has(claim["file"], int(claim["first"])) or truth.diff.has(claim["file"], int(claim["first"]) + 1)
    return (TRUE if good else FALSE), "by the diff"


@rule("evidence-code-changed")
def code_changed(truth, claim):
    same = [truth.is_same_code(name) for name in changed_functions(truth, claim)]
    if False in same:
        return TRUE, "its code differs"
    if truth.is_same_code(claim["f"]):
        return UNCOVERED, "its code is the same: a constant that it reads must have changed"
    return UNCOVERED, "inlined"


@rule("evidence-lines-touched")
def lines_touched(truth, claim):
    good = any(truth.is_touched(name) for name in changed_functions(truth, claim))
    return (TRUE if good else FALSE), "by the diff"


@rule("evidence-absent")
def absent(truth, claim):
    version = truth.base if claim["version"] == "base" else truth.head
    return (FALSE, "a symbol or an inline record says otherwise") if version.has(claim["f"]) else (TRUE, "no symbol")


@rule("evidence-counted")
def counted(truth, claim):
    """The oracle counts a part of the rounds: the factor must be the same, and the number not smaller than ours."""
    said = [float(claim[side].replace(",", "")) for side in ("base", "head")]
    old = truth.renamed.get(claim["f"], claim["f"])
    calls = [truth.base.calls(claim.get("g"), old), truth.head.calls(claim.get("g"), claim["f"])]
    every = [truth.base.built.calls(None, old), truth.head.built.calls(None, claim["f"])]
    for mine in (calls, every):
        if None not in mine and mine[0] and said[0] and abs(said[1] / said[0] / (mine[1] / mine[0]) - 1) < 0.02 and \
                said[0] >= mine[0] * 0.98:
            return TRUE, f"calls {shown(mine)} in a part of the rounds"
        few = None not in mine and mine[0] <= FEW and mine[1] > mine[0]  # if any, outside of the rounds
        if few and abs(said[0] - mine[0]) <= 1 and mine[1] * 0.98 <= said[1] <= 1.3 * PART * mine[1] + FEW:
            return TRUE, f"calls {shown(mine)} in a part of the rounds"
    if None in calls or merged_by_compiler(truth, claim):
        return UNCOVERED, "inlined"
    return FALSE, f"calls {shown(calls)} in a part of the rounds"


@rule("evidence-code-calls")
def code_calls(truth, claim):
    calls = truth.calls(claim.get("g"), claim["f"])
    if None in calls:
        return UNCOVERED, "inlined"
    return (TRUE if not calls[0] and calls[1] else FALSE), f"calls {shown(calls)}"


# ---- places, paths and tables

@rule("place")
def place(truth, claim):
    file, _, line = claim["place"].partition(":")
    if not line:
        return (TRUE, "") if any(file == one for version in truth.versions for one, _, _ in
                                 version.extents.get(claim["f"], ())) else (UNCOVERED, "a file of a library")
    line = int(line)
    if truth.diff.has(file, line):
        return TRUE, "in the diff"
    for version in truth.versions:
        if any(file == one and first <= line <= last for one, first, last in version.extents.get(claim["f"], ())):
            return TRUE, "within the function"
    known = any(version.extents.get(claim["f"]) for version in truth.versions)
    return (FALSE, "neither in the function nor in the diff") if known else (UNCOVERED, "of a library")


@rule("source-line")
def source_line(truth, claim):
    good = truth.diff.has(claim["file"], claim["line"], int(claim["head"]))
    return (TRUE, "in the diff") if good else (FALSE, "the diff does not change that line")


@rule("grew-with")
def grew_with(truth, claim):
    name, culprit = claim["f"], claim["g"]
    if name == culprit:
        return UNCOVERED, "two functions of one name"
    # One cause: what one function's change calls, whichever call of it the report names.
    above = [culprit, *truth.callers_of(culprit)]
    related = any(version.is_called_by(one, name) for version in truth.versions for one in above) or \
        any(version.is_called_by(name, culprit) for version in truth.versions)
    if not truth.covered(name):
        return UNCOVERED, "inlined, or not seen by callgrind"
    if not related:
        return FALSE, f"neither leads to the other: {name}, {culprit}"
    costs = truth.self_costs(name)
    if not grew(costs) and costs[1] > costs[0] * MODEL and not same_program(truth, name):
        return UNCOVERED, f"its own cost: {shown(costs)}, its code changed"
    return (TRUE, shown(costs)) if grew(costs) else (not_grown(truth, name), f"its own cost: {shown(costs)}")


@rule("outputs")
def outputs(truth, claim):
    return (TRUE if truth.outputs[0] != truth.outputs[1] else FALSE), "as both print"


@rule("in-diff")
def in_diff(truth, claim):
    touched = truth.is_touched(claim["f"])
    if claim["said"] == "not known":
        return (FALSE, "it is known") if touched else (UNCOVERED, "not known")
    good = touched == (claim["said"] == "yes")
    return (TRUE if good else FALSE), "the diff changes it" if touched else "the diff does not change it"


@rule("touched-caller")
def touched_caller(truth, claim):
    if not any(truth.is_touched(name) for name in [claim["g"], *truth.parts.get(claim["g"], ())]):
        return FALSE, f"the diff does not change {claim['g']}"
    if not knows_caller(truth, claim) and is_unseen(truth, claim["f"]):
        return UNCOVERED, "inlined in a library"
    if not knows_caller(truth, claim) and any(version.is_inlined(claim["g"]) for version in truth.versions) and \
            not all(version.written and version.written.has(claim["f"]) and version.written.has(claim["g"])
                    for version in truth.versions):
        return UNCOVERED, "inlined"
    return (TRUE, "") if knows_caller(truth, claim) else (FALSE, f"{claim['g']} does not lead to it")


@rule("touched-callee")
def touched_callee(truth, claim):
    if not truth.is_touched(claim["g"]):
        return FALSE, f"the diff does not change {claim['g']}"
    good = any(version.is_called_by(claim["f"], claim["g"]) for version in truth.versions)
    return (TRUE, "") if good else (FALSE, f"it does not lead to {claim['g']}")


@rule("path")
def path(truth, claim):
    names = [name for name in claim["fs"] if not STARTUP.match(name)]
    unseen = False
    for caller, callee in zip(names, names[1:]):
        if caller == callee:
            profiles = [profile for version in truth.versions for profile in (version.built, version.written) if profile]
            if not any(callee in profile.recursive or profile.calls_back(callee) for profile in profiles):
                return FALSE, f"{caller} does not call itself"
        elif not any(version.is_called_by(caller, callee) for version in truth.versions):
            if caller.startswith("[") or callee.startswith("[") or callee in truth.base.libraries or is_unseen(truth, callee):
                unseen = True
            else:
                return FALSE, f"{caller} does not call {callee}"
    return (UNCOVERED, "in libraries") if unseen else (TRUE, "")


def not_grown(truth, name):
    """Of time that costs do not show. They are less by far: false. They are as many, and the clock of the whole shows
    what counts do not; or base's run had none of a library's function, whatever callgrind's had, as the heap that
    malloc keeps is another one there: nobody knows."""
    costs = truth.self_costs(name)
    foreign = name not in truth.base.symbols | truth.base.debug
    another = foreign and truth.report["own"].get(name, (1, 1))[0] == 0 and \
        costs[0] > 0.001 * truth.totals[0]
    if another:
        return UNCOVERED
    return FALSE if truth.counts_tell() or costs[1] < 0.97 * costs[0] and not foreign else UNCOVERED


@rule("tag")
def tag(truth, claim):
    said, name = claim["tag"], claim["f"]
    if said == "new":
        return new(truth, {"f": name})
    if said == "gone":
        return gone(truth, {"f": name})
    if said == "more time":
        costs = truth.self_costs(name)
        if not truth.covered(name):
            return UNCOVERED, "inlined, or not seen by callgrind"
        if not truth.same_inside(name):
            return UNCOVERED, "other functions are inlined into it"
        return (TRUE if grew(costs) else not_grown(truth, name) if same_program(truth, name) else UNCOVERED), shown(costs)
    if said in ("cost moved", "offset"):
        costs = truth.self_costs(name)
        if not truth.covered(name):
            return UNCOVERED, "inlined, or not seen by callgrind"
        return (TRUE if grew(costs) else UNCOVERED if not same_program(truth, name) else not_grown(truth, name)), shown(costs)
    if said == "less time":
        return less(truth, {"f": name})
    if said == "same code":
        same = truth.is_same_code(name)
        return (UNCOVERED, "inlined, or of a library") if same is None else (TRUE if same else FALSE, "")
    if said in ("renamed", "moved", "other instance"):
        return UNCOVERED, "see the matchings"
    return None


@rule("metric")
def metric(truth, claim):
    said, change = claim["said"], claim.get("change")
    if said.startswith(("the same", "not shown", "no significant", "shown", "not decided")) or change is None:
        return None
    if claim["name"] != "CPU time":
        return UNCOVERED, "no oracle measures it"
    return total(truth, {"change": change})


@rule("renamed")
def renamed(truth, claim):
    if truth.head.has(claim["g"]):
        return FALSE, f"head still has {claim['g']}"
    if truth.base.has(claim["f"]):
        return FALSE, f"base has {claim['f']} already"
    return TRUE, "each name is in one version alone"


@rule("moved-file")
def moved_file(truth, claim):
    files = [{os.path.basename(file) for file, _, _ in version.extents.get(claim["f"], ())} for version in truth.versions]
    if not all(files):
        return UNCOVERED, "not of the repository"
    return (TRUE if not files[0] & files[1] else FALSE), f"{' '.join(sorted(files[0]))} → {' '.join(sorted(files[1]))}"


def judge(truth, claim):
    """None: it says nothing of the program."""
    for key in ("f", "g", "h"):
        if claim.get(key):
            claim[key] = plain_name(claim[key])
    if claim.get("fs"):
        claim["fs"] = [plain_name(name) for name in claim["fs"]]
    if any((claim.get(key) or "").startswith(("[", "(")) for key in ("f", "g")):
        return UNCOVERED, "a library without names"
    return RULES[claim["kind"]](truth, claim)
