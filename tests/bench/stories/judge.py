#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One row: reads the story, the report and the terminal's text, and asks the oracle of every claim. Writes JSON.

    judge.py ROW TRUTH CHECKED     ROW has the story, TRUTH what truth.py wrote, CHECKED report.json, report.md,
                                   terminal and status
"""
import json
import os
import re
import sys

import oracle
import sentences
from callgrind import plain_name


def read_story(row):
    story = {}
    with open(os.path.join(row, "story"), encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition(":")
            story[key.strip()] = value.strip()
    return story


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read()


class Report:
    """Of report.json: what cannot be read from sentences."""

    def __init__(self, text):
        report = json.loads(text)
        self.benchmark = report["benchmarks"][0]
        self.name, self.strings = self.benchmark["name"], self.benchmark.get("strings", [])

    def columns(self, key):
        return self.benchmark.get(key) or {}

    def name_of(self, function):
        return plain_name(self.string(self.columns("functions")["name"][function]))

    def string(self, value):
        return self.strings[value] if isinstance(value, int) else value

    def totals(self):
        total = self.benchmark.get("total") or {}
        return [total.get("base", 0.0), total.get("head", 0.0)]

    def culprits(self):
        return self.benchmark.get("culprits") or []

    def of_name(self, name, kind):
        """The culprits of that name (one for each function that has it, or place of one), with their numbers."""
        for at, culprit in enumerate(self.culprits()):
            own = culprit["blame"] == "self"
            if self.name_of(culprit["function"]) == name and kind != "all" and \
                    (kind in ("new", "called-instead") or own == (kind in ("self", "own-code", "longer"))):
                yield at, culprit

    def costs_of(self, name, kind):
        """Own cost, or with all below its places."""
        return [self.costs(culprit, culprit["blame"] == "self") for _, culprit in self.of_name(name, kind)]

    def callers_of(self, name):
        """Who calls it there, and the changed function that leads to it."""
        return {self.name_of(one[key]) for one in self.culprits() for key in ("caller", "diff_function")
                if self.name_of(one["function"]) == name and one.get(key, -1) >= 0}

    def costs(self, culprit, own):
        if own:
            functions = self.columns("functions")
            return [functions[side][culprit["function"]] for side in ("self_base", "self_head")]
        nodes, places = self.columns("nodes"), self.places(culprit)
        return [sum(nodes[side][node] for node in places) for side in ("total_base", "total_head")]

    def places(self, culprit):
        """Where its caller calls it; not below itself."""
        nodes, function, caller = self.columns("nodes"), culprit["function"], culprit.get("caller")
        if caller is None:
            return [culprit["node"]]
        def above(node):
            while nodes["parent"][node] != node and nodes["parent"][node] >= 0 and node:
                node = nodes["parent"][node]
                yield node
        return [node for node, one in enumerate(nodes["function"]) if one == function and node and
                nodes["function"][nodes["parent"][node]] == caller and
                not any(nodes["function"][up] == function for up in above(node))] or [culprit["node"]]

    def grown_with(self, name, kind):
        """Of what is listed as having grown with each; what merely holds others of it is not counted twice."""
        return [self.benchmark["total"]["base"] * sum(
            one["change"] for one in self.benchmark.get("consequences") or []
            if one["blame"] != "carried" and one["cause"] == at) for at, _ in self.of_name(name, kind)]

    def own_costs(self):
        """Of all functions of one name together."""
        functions, costs = self.columns("functions"), {}
        for at, pair in enumerate(zip(functions.get("self_base", []), functions.get("self_head", []))):
            before = costs.get(self.name_of(at), (0, 0))
            costs[self.name_of(at)] = (before[0] + pair[0], before[1] + pair[1])
        return costs

    def shrank(self):
        functions = self.columns("functions")
        return [head < base for base, head in zip(functions.get("self_base", []), functions.get("self_head", []))]


KINDS = {"itself": "self", "own_code": "own-code", "longer": "longer", "called_more": "called-more", "each_call": "each-call",
         "calls_and_each": "called-more", "more_work": "more-work", "with_callees": "with-callees", "new": "new",
         "now_called": "now-called", "called_instead": "called-instead", "in_host": "in-host", "unchanged_code": "same-code",
         "less": "less", "gone": "gone", "split": "split", "merged": "merged", "moved": "moved-to", "swapped": "swapped",
         "reached": "reached", "offset": "offset"}
OF_SEVERAL = ("split", "merged", "moved", "reached", "offset")


def ratio(one, other):
    return f"{other / one:.2f}" if one and other is not None else "many"


def claim_of_data(report, data):
    """As the sentence's: others are callers and callees by the kind's template."""
    kind = data["kind"]
    others = [report.name_of(one) for one in data.get("others", [])]
    claim = {"kind": KINDS[kind], "where": "report.json", "f": report.name_of(data["subject"]),
             "text": json.dumps({key: data[key] for key in ("kind", "base_calls", "head_calls", "change", "because")})}
    calls = [data.get("base_calls"), data.get("head_calls")]
    if kind in OF_SEVERAL:
        claim.update(fs=others, cost=f"({100 * abs(data['change']):.2f} % of the benchmark)")
    elif kind == "swapped":
        claim.update(h=others[0], g=others[1])
    elif others:
        claim.update(g=others[0], **({"h": others[1]} if len(others) > 1 else {}))
    if kind == "longer":
        claim["share"] = data["change"]
    if kind in ("called_more", "calls_and_each"):
        claim["times"] = ratio(*calls)
    if kind in ("each_call", "calls_and_each", "unchanged_code") and all(calls) and data["base"]:
        claim["cost"] = ratio(data["base"] / calls[0], data["head"] / calls[1])
    return claim


def only_data(report, found):
    """What no sentence says, since it was one of many: the viewer's page lists them all."""
    said = {(claim["kind"], claim.get("f")) for claim in found}
    claims = [claim_of_data(report, data) for data in report.benchmark.get("claims") or []]
    found.extend(claim for claim in claims if (claim["kind"], claim["f"]) not in said)


def matchings(report, found):
    """They stand in the viewer's page; in report.json as data."""
    for one in report.benchmark.get("matches") or []:
        kind = {"renamed": "renamed", "moved": "moved-file"}.get(one.get("kind"))
        if kind:
            found.append({"kind": kind, "where": "report.json", "f": one["name"], "g": one.get("base_name"),
                          "text": f"{one.get('base_name')} → {one['name']}: {one['kind']} ({one.get('reason', '')})"})


def named_line(story, truth, report):
    """Where the cause is a changed line: does the first culprit's line stand in the diff? None: nothing is named."""
    if not story.get("cause") or not report.culprits():
        return None
    first = report.culprits()[0]
    return truth.diff.has(report.string(first["file"]), first["line"])


def culprit_of(report):
    return report.name_of(report.culprits()[0]["function"]) if report.culprits() else ""


# A warning that there were too few or too noisy runs is no finding.
NOISE = re.compile(r"^WARN: \S+(: no regression, with a warning: | takes .*less.*; but )(these runs can|.*too noisy)")


NOISY = re.compile(r"too noisy|these runs can")


def is_right_status(story, status, headline):
    """A pass is no warning: there is nothing to do. At the edge of what can be detected either is right."""
    if story["status"] == "either":
        return status in (0, 1)
    if story["status"] == "fail":
        return status == 1
    return status == 0 and (headline.startswith("PASS") or bool(NOISE.match(headline)))


def claims_of(report, folder):
    text = read(folder, "report.md")
    readers = [sentences.Markdown(text, report.name), sentences.Terminal(read(folder, "terminal"), report.name, text)]
    claims = [claim for reader in readers for claim in reader.claims]
    only_data(report, claims)
    matchings(report, claims)
    return claims, [line for reader in readers for line in reader.unknown]


def headline_of(folder):
    match = re.search(r"^### (.*)$", read(folder, "report.md"), re.M)
    return sentences.unlinked(match.group(1)) if match else "?"


def judged(truth, claims):
    found, seen = [], set()
    for claim in claims:
        answer = oracle.judge(truth, claim)
        key = json.dumps([value for key, value in sorted(claim.items()) if key not in ("where", "text")])
        if answer is None or key in seen:
            continue
        seen.add(key)
        found.append({**claim, "is": answer[0], "why": answer[1]})
    return found


def main(row, truth_folder, checked):
    story, report = read_story(row), Report(read(checked, "report.json"))
    truth = oracle.Truth(truth_folder)
    truth.story = story
    truth.report = {"total": report.totals(), "shrank": report.shrank(), "own": report.own_costs(),
                    "change": (report.benchmark.get("total") or {}).get("change", 0.0)}
    truth.costs_of, truth.grown_with, truth.callers_of = report.costs_of, report.grown_with, report.callers_of
    claims, unknown = claims_of(report, checked)
    truth.renamed = {claim["f"]: claim["g"] for claim in claims if claim["kind"] == "renamed" and claim.get("g")}
    for claim in claims:
        if claim["kind"] in sentences.INLININGS.values():
            truth.parts.setdefault(plain_name(claim["g"]), set()).add(plain_name(claim["f"]))
    status, headline = int(read(checked, "status")), headline_of(checked)
    culprit = culprit_of(report)
    json.dump({"row": os.path.basename(row), "sentence": story["sentence"], "expected": story["status"],
               "status": status, "right_status": is_right_status(story, status, headline), "printed": headline,
               "culprit": culprit, "right_culprit": not story.get("culprit") or culprit in story["culprit"].split(),
               "line_in_diff": named_line(story, truth, report), "cause": story.get("cause", ""),
               "claims": judged(truth, claims), "unknown": unknown, "checked": os.path.basename(checked),
               "noisy": bool(NOISY.search(read(checked, "report.md"))),
               "timed": truth.timed_change(), "counted": truth.counted_change()}, sys.stdout, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
