# SPDX-License-Identifier: Apache-2.0
"""What a report says, as claims: every line of report.md and of the terminal's text must be one of those known here.

A claim is a dict: kind, the functions that it is about, amounts, and `text`, the words that made it. A line that no
pattern knows ends up in `unknown`: so nothing new is printed that nobody checks.
"""
import re

NAME = r"(?:\[[^\]]+\]|\((?:other|no name)\)|~?[A-Za-z_](?:[\w.$@~<>]|:(?=[\w:~<]))*)"
PERCENT = r"[+\-]?(?:\d[\d.]*(?:e[+\-]?\d+)?|∞)"
TIME = r"-?[\d.]+(?:e[+\-]?\d+)? (?:s|ms|µs|ns)"
INTERVAL = rf"{PERCENT} to {PERCENT} %"
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def number(text):
    return float("inf") if "∞" in text else float(text)


def fraction(text):
    return number(text) / 100


def seconds(text):
    value, unit = text.split(" ")
    return float(value) * UNITS[unit]


def compiled(pattern):
    """N, P, T and I stand for a name, a percentage, a time and an interval; <x:N> names the group x."""
    for letter, text in (("N", NAME), ("P", PERCENT), ("T", TIME), ("I", INTERVAL)):
        pattern = re.sub(rf"<(\w+):{letter}>", lambda match, text=text: f"(?P<{match.group(1)}>{text})", pattern)
    return re.compile(pattern)


# ---- what is said of one function ---------------------------------------------------------------

NAMES = rf"{NAME}(?:, {NAME})*(?:,? and (?:{NAME}|\d+ more))?"
AMOUNT = r"[\d.,]+ \S+ (?:per|a) run \([\d.]+ % of the benchmark\)"

# kind, pattern: f is the subject, g its caller, h another one, fs several.
OF_FUNCTION = [(kind, compiled(pattern)) for kind, pattern in [
    ("self", r"<f:N>(?P<place> in \S+)? got slower itself"),
    ("self", r"<f:N>(?P<place> in \S+)? itself is slower"),
    ("own-code", r"<f:N>(?P<place> in \S+)? takes longer in its own code"),
    ("more-work", r"<f:N>(?P<place> in \S+)? is called more often,? or with more to do(?:, by <g:N>)?"),
    ("more-work", r"<f:N>(?P<place> in \S+)? is called more often or given more work(?: by <g:N>)?"),
    ("with-callees", r"<f:N>(?P<place> in \S+)? takes more with what it calls(?:, called by <g:N>)?"),
    ("with-callees", r"<f:N>(?P<place> in \S+)? and its callees take longer(?:, called from <g:N>)?"),
    ("called-more", r"<g:N> calls <f:N>(?P<place> in \S+)? (?P<times>[\d.,]+|many) times as often(?P<each>, and each "
                    r"call takes (?P<cost>[\d.,]+|many) times as long)?"),
    ("called-more", r"<f:N>(?P<place> in \S+)? is called (?P<times>[\d.,]+|many) times as often(?P<each>, and each "
                    r"call takes (?P<cost>[\d.,]+|many) times as long)?"),
    ("same-code", r"each call of <f:N>(?P<place> in \S+)? takes (?P<cost>[\d.,]+|many) times as long, though its code "
                  r"is the same"),
    ("each-call", r"each call of <f:N>(?P<place> in \S+)?(?: by <g:N>)? takes (?P<cost>[\d.,]+|many) times as long"),
    ("new", r"<f:N>(?P<place> in \S+)? is new(?:, called by <g:N>)?"),
    ("called-instead", r"<g:N> now calls <f:N>(?P<place> in \S+)? instead of <h:N>"),
    ("now-called", r"<f:N>(?P<place> in \S+)? is now called(?: by <g:N>)?"),
    ("in-host", r"<f:N>(?P<place> in \S+)? takes longer where it is inlined(?: into <g:N>, which has changed)?"),
    ("longer", r"<f:N>(?P<place> in \S+)? takes longer(?! in its| where)"),
    ("less", r"<f:N> (?:got faster itself|takes less time in its own code)"),
    ("gone", r"<f:N> is gone"),
]]

OF_MOVED = [(kind, compiled(pattern)) for kind, pattern in [
    ("moved", r"cost moved (?:from <f:N> )?to <g:N>: <amount:P> % of the total, net <net:P> %"),
    ("split", rf"(?P<fs>{NAMES}) (?:was|were) split off from <f:N>: (?P<cost>{AMOUNT})"),
    ("merged", rf"(?P<fs>{NAMES}) (?:is|are) now part of <f:N>: (?P<cost>{AMOUNT})"),
    ("moved-to", rf"(?P<cost>{AMOUNT}) moved from <f:N> to (?P<fs>{NAMES})"),
    ("swapped", r"<g:N> now calls <h:N> instead of <f:N>"),
    ("reached", rf"(?P<fs>{NAMES}) (?:is|are) now reached through <f:N>: (?P<cost>{AMOUNT})"),
    ("offset", rf"(?P<fs>{NAMES}) takes? (?P<cost>{AMOUNT}) more, offset by a decrease in <f:N>"),
]]

INLININGS = {"inlined in head only": "inlined", "inlined in base only": "outlined", "split off in head": "split-inlining",
             "merged into it in head": "merged-inlining"}
OF_INLINING = compiled(rf"(?P<fs>{NAMES}) counts? with <f:N>: (?P<how>{'|'.join(INLININGS)})(?: \(.*\))?$")

WHERE = re.compile(r",? at (?P<place>\S+?:\d+)(?=[: ]|$)")
SHARE = compiled(r"(?::? \+?(?P<time>-?[\d.]+ \S+) a run)? ?\((?:\+?(?P<more>-?[\d.]+ \S+) per run, )?<share:P> % of the "
                 r"(?:total|benchmark)"
                 r"(?:, 95 % interval <interval:I>)?(?:; <together:P> % with what grew with it)?\)")
TOTAL = compiled(r" takes (?:<change:P> % (?P<sign>more|less)|(?P<same>as much)) CPU time"
                 r"(?: \((?:[+\-]?(?P<more>[\d.]+ \S+)(?: per run| a run)(?:, )?)?(?:95 % interval )?(?:<interval:I>)?\))?")
IDENTICAL = (": both versions execute the same files", ": base and head run identical files")
MORE_FUNCTIONS = re.compile(r", and \d+ more functions?")


class Sentences:
    """Collects claims and what is not known, of one text."""

    def __init__(self, where):
        self.where, self.claims, self.unknown = where, [], []

    def claim(self, kind, text, **parts):
        self.claims.append({"kind": kind, "where": self.where, "text": text.strip(),
                            **{key: value for key, value in parts.items() if value is not None}})

    def lost(self, text):
        if text.strip():
            self.unknown.append(f"{self.where}: {text.strip()}")

    # ---- parts of sentences: each returns what is left behind it, or None

    def of_function(self, text):
        for kind, pattern in OF_FUNCTION:
            match = pattern.match(text)
            if not match:
                continue
            groups = match.groupdict()
            self.claim(kind, match.group(0), f=groups["f"], g=groups.get("g"), h=groups.get("h"),
                       times=groups.get("times"), cost=groups.get("cost"))
            if groups.get("place"):
                self.claim("place", match.group(0), f=groups["f"], place=groups["place"][4:])
            rest = text[match.end():]
            where = WHERE.match(rest)
            if where:
                self.claim("place", match.group(0) + where.group(0), f=groups["f"], place=where.group("place"))
                rest = rest[where.end():]
            return self.share(rest, groups["f"], kind)
        return None

    def share(self, text, function, kind):
        match = SHARE.match(text)
        if not match:
            return text
        self.claim("share", f"{function}{match.group(0)}", f=function, of=kind, share=fraction(match.group("share")),
                   more=match.group("more") or match.group("time"))
        if match.group("together"):
            self.claim("share", f"{function}{match.group(0)}", f=function, of="all",
                       share=fraction(match.group("together")))
        return text[match.end():]

    def total(self, text):
        match = TOTAL.match(text)
        if not match:
            return None
        sign = -1 if match.group("sign") == "less" else 1
        change = 0.0 if match.group("same") else sign * fraction(match.group("change"))
        self.claim("total", match.group(0), change=change, interval=match.group("interval"), more=match.group("more"))
        return text[match.end():]

    def moved(self, text):
        for kind, pattern in OF_MOVED:
            match = pattern.match(text)
            if match:
                groups = match.groupdict()
                self.claim(kind, match.group(0), f=groups.get("f"), g=groups.get("g"), h=groups.get("h"),
                           fs=names_of(groups.get("fs")), amount=groups.get("amount"), cost=groups.get("cost"))
                return text[match.end():]
        return None

    HANGER = compiled(r"<f:N> \(<share:P> %\)$")

    def hangers(self, culprit, text, line):
        """What costs more because the culprit does: it must cost more, and be below or above it."""
        all_of_them = compiled(r"; <share:P> % of the (?:total|benchmark) with all of them$").search(text)
        if all_of_them:
            self.claim("share", line, f=culprit, of="all", share=fraction(all_of_them.group("share")))
            text = text[:all_of_them.start()]
        for part in re.split(r", (?=[^,]*\()| and (?=[^,]*\()", re.sub(r",? and \d+ more$", "", text)):
            match = self.HANGER.match(part)
            if not match:
                self.lost(line)
                return
            self.claim("grew-with", part, f=match.group("f"), g=culprit)

    def inlining(self, text):
        match = OF_INLINING.match(text)
        if not match:
            return None
        for name in names_of(match.group("fs")):
            self.claim(INLININGS[match.group("how")], match.group(0), f=name, g=match.group("f"))
        return ""

    # ---- why it is believed

    EVIDENCE = [(kind, re.compile(pattern)) for kind, pattern in [
        ("lines-changed", r"(?P<file>\S+): lines? (?P<first>\d+)(?:-(?P<last>\d+))? changed"),
        ("lines-gone", r"(?P<file>\S+): lines behind (?P<first>\d+) are gone"),
        ("code-changed", r"its machine code, or a constant that it reads, has changed"),
        ("lines-touched", r"the change is in its lines"),
        ("absent", r"not among the functions of (?P<version>base|head)'s object files"),
        ("counted", r"(?P<engine>callgrind|perf breakpoints): (?P<base>[\d.,e+]+) -> (?P<head>[\d.,e+]+) calls"
                    r"(?:, the same in each of| ?, means of) \d+ runs"),
        ("code-calls", r"the caller's machine code calls it in head alone")]]

    def evidence(self, text, claim):
        """Of the claim that was made last; what is left behind it, or None."""
        for kind, pattern in self.EVIDENCE:
            match = pattern.match(text)
            if match:
                self.claim("evidence-" + kind, match.group(0), f=claim["f"], g=claim.get("g"), of=claim["kind"],
                           **{key: value for key, value in match.groupdict().items() if key != "engine"})
                return text[match.end():]
        return None

    # ---- the headline

    BOUND = [compiled(pattern) for pattern in [
        r": no regression: any slowdown above <bound:P> % would have been detected \(97.5 % confidence\)",
        r": no regression: any slowdown would have been detected \(97.5 % confidence\)",
        r": no regression found, but a slowdown of up to <bound:P> % cannot be ruled out",
        r": [Nn]o regression found[,.] but a slowdown of up to <bound:P> % cannot be ruled out(?: \([^)]*\))?",
        r": [Nn]o regression found[.:;,] [Aa]ny slowdown above <bound:P> % would have been detected \([^)]*\)",
        r": no regression found, but no bound could be computed"]]

    def headline(self, text):
        """Behind the benchmark's name; what a detail or a warning adds is checked where warnings are."""
        rest = text
        for pattern in self.BOUND:
            match = pattern.match(rest)
            if match:
                self.claim("bound", match.group(0), bound=match.groupdict().get("bound"))
                rest = rest[match.end():]
                return self.finish(rest)
        if rest.startswith(IDENTICAL):
            self.claim("identical", rest)
            return self.finish("")
        after = self.total(rest)
        rest = rest if after is None else after
        for plain in (", and no single function explains it", ", which does not count as a regression",
                      ": no regression, with a warning"):
            if rest.startswith(plain):
                if plain.startswith(", and no single"):
                    self.claim("nobody", plain)
                rest = rest[len(plain):]
        if rest.startswith(": "):
            rest = self.headline_story(rest[2:])
        return self.finish(rest)

    def headline_story(self, rest):
        for part in (self.of_function, self.moved):
            after = part(rest)
            if after is not None:
                return after
        return "" if self.is_warning(rest) else ": " + rest

    def finish(self, rest):
        rest = MORE_FUNCTIONS.sub("", rest, count=1) if rest.startswith(", and") else rest
        if rest.startswith("; but "):
            rest = "" if self.is_warning(rest[6:]) else rest
        self.lost(rest)

    # ---- warnings, notes, what was excluded, how it was measured

    PLAIN = [re.compile(pattern) for pattern in [
        r"[\d,]+ of [\d,]+ (?:functions|call-tree nodes|blocks|pairs): ",
        r"(?:base|head): (?:not counted: |\d)",
        r"what grew may be no more than the code's place in memory", r"no more than the code's place in memory may explain",
        r"no more than [\d.]+ % above base", r"the fresh (?:blocks|pairs) do not confirm it",
        r"code layout was not varied: ", r"Code layout was not randomized",
        r"both versions execute the same files$", r"these runs can(?:not| only) detect ",
        r"policy\.(?:detect|blocks|pairs) ", r"the budget ", r"Budget ", r"noise of the first ", r"by the noise of ",
        r"Noisy start: ",
        r"[\d,]+ (?:blocks?|pairs?) \(", r"The code was linked in ", r"[\d,]+ samples? at ",
        r"The samples account for ", r"The sampler's own work took ", r"Smallest change found ", r"Sensitivity \(",
        r"What could not be excluded of the total: ", r"Upper bound: ", r"Noise: ", r"Measuring took ",
        r"cost moved between functions$", r"an increase is offset by decreases elsewhere$",
        r"only \d+ of \d+ ", r"calls? (?:were|was) (?:not )?counted",
        r"[Cc]alls of .* were not counted", r"calls: counted ", r"the machine was busy", r"[\d.]+ % of the CPU time ",
        r"a run takes [\d.]+ s of CPU time: ", r"and \d+ more$", r"its own configuration ", r"the policy of "]]
    CLAIMING = [("outputs", re.compile(r"Base and head print different output: "))] + [
        ("unchanged-grew", re.compile(pattern)) for pattern in [
        r"(?:the total grew )?in functions whose machine code is the same", r"a function grew whose machine code is unchanged",
        r"a call grew, but not in functions that count", r"Part of the slowdown is in unchanged code",
        r"the total grew, but not in functions that count", r"The slowdown could not be attributed to changed functions",
        r"the cost of " + NAME + r" grew though its code is the same",
        r"what grew has the same machine code in both versions"]]

    def is_warning(self, text):
        for kind, pattern in self.CLAIMING:
            if pattern.match(text):
                self.claim(kind, text)
                return True
        return any(pattern.match(text) for pattern in self.PLAIN)

    def warning(self, text):
        if not self.is_warning(text):
            self.lost(text)


def names_of(text):
    if not text:
        return None
    return [name for name in re.split(r",? and |, ", text) if not re.match(r"\d+ more$", name)]


# ---- report.md ----------------------------------------------------------------------------------

def unlinked(text):
    return re.sub(r"\[(`[^`]*`)\]\([^)]*\)", r"\1", text).replace("`", "").replace("\\|", "|")


TREE = re.compile(rf"^(?P<mark>[+\- ]) +(?P<change>{PERCENT}) % +(?P<base>{TIME}|0 s) -> +(?P<head>{TIME}|0 s)  "
                  r"(?P<indent> *)(?P<label>\S.*)$")
TREE_LABEL = re.compile(rf"^(?P<f>{NAME}|\(everything\))(?:  (?P<place>\S+))?(?: \((?P<tag>[a-z ]+)\))?$")
TAGS = {"new", "gone", "moved", "renamed", "other instance", "more time", "less time", "cost moved", "contradicted", "same code",
        "too few samples", "not confirmed", "offset", ""}


class Markdown(Sentences):
    def __init__(self, text, benchmark):
        super().__init__("report.md")
        self.benchmark, self.columns, self.fence, self.source = benchmark, [], None, None
        for line in text.split("\n"):
            self.line(line)

    def line(self, line):
        if line.startswith("```"):
            self.fence = None if self.fence is not None else line[3:]
        elif self.fence is not None:
            self.fenced(line)
        elif line.startswith("|"):
            self.row(line)
        else:
            self.columns = []
            self.prose(unlinked(line))

    def prose(self, line):
        match = re.match(r"### [A-Z]+: (.*)$", line)
        if match:
            self.head(match.group(1))
        elif re.match(r"<!--|<details>|</details>", line):
            self.source = None
        elif line.startswith("- "):
            if re.match(r"- and \d+ more$", line):
                return
            rest = self.moved(line[2:])
            rest = self.inlining(line[2:]) if rest is None else rest
            self.lost(line if rest is None else rest)
        elif line.startswith("Grew with "):
            self.grew_with(re.match(rf"Grew with (?P<f>{NAME}): (?P<all>.*)\.$", line), line)
        elif line.startswith("Called through: "):
            self.claim("path", line, fs=[name for name in line[16:].split(" → ")])
        elif not self.SAYS_NOTHING.match(line):
            self.source_title(line)

    SAYS_NOTHING = re.compile(r"$|<|(?:Warnings|Notes|Excluded|Changed configuration.*):$|Base |Head |Policy "
                              r"|and \d+ more\.$|Memory peaks |\d+ sections? left out")

    def grew_with(self, match, line):
        self.hangers(match.group("f"), match.group("all"), line) if match else self.lost(line)

    # Above a culprit's lines.
    SOURCE = re.compile(rf"What (?:(?P<f>{NAME}) costs by way of )?the changed lines of (?P<g>{NAME})"
                        r"(?: cost themselves, without what they call)?, in (?P<files>.+):$"
                        rf"|What the changed lines of (?P<h>{NAME}) cost themselves, without what they call, in "
                        r"(?P<own>.+):$")

    def source_title(self, line):
        match = self.SOURCE.match(line)
        if not match:
            self.lost(line)
            return
        files = (match.group("files") or match.group("own")).split(" → ")
        self.source = (files[0], files[-1])
        if match.group("f"):
            self.claim("touched-caller", line, f=match.group("f"), g=match.group("g"))

    def head(self, text):
        if not text.startswith(self.benchmark):
            self.lost(text)
            return
        self.headline(text[len(self.benchmark):])

    def fenced(self, line):
        if self.fence == "diff":
            self.tree(line)
        elif self.fence == "text":
            self.warning(line)

    def tree(self, line):
        match = TREE.match(line)
        if re.match(r" +\.\.\. \d+ frames?$", line) or not line.strip():
            return
        label = TREE_LABEL.match(match.group("label")) if match else None
        if not label:
            self.source_line(line)
            return
        if label.group("f") == "(everything)":
            self.claim("root", line, change=fraction(match.group("change")))
        elif label.group("tag"):
            self.claim("tag", line, f=label.group("f"), tag=label.group("tag"))

    SOURCE_LINE = compiled(r"(?P<mark>[+\-]) (?P<line>\d+)  <cost:T>  ".replace("<cost:T>", rf"(?:{TIME}|0 s)"))

    def source_line(self, line):
        match = self.SOURCE_LINE.match(line)
        if not match or not self.source:
            self.lost(line)
            return
        head = match.group("mark") == "+"
        self.claim("source-line", line, file=self.source[head], line=int(match.group("line")), head=head)

    def row(self, line):
        cells = [unlinked(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not self.columns:
            self.columns = cells
        elif not set(line) <= set("|-: "):
            self.cells(dict(zip(self.columns, cells)), line)

    def cells(self, row, line):
        if "culprit" in row:
            self.culprit(row, line)
        elif "function" in row:
            self.function(row, line)
        elif "metric" in row:
            self.metric(row, line)
        else:
            self.lost(line)

    def culprit(self, row, line):
        why = row.get("why", "")
        function = row["culprit"]
        whole = why.startswith(("each ", function)) or re.match(NAME + " (?:calls|now calls) ", why)
        text = why if whole else f"{function} {why}"
        before = len(self.claims)
        rest = self.of_function(text)
        kind = "?" if rest is None else self.claims[before]["kind"]
        because = re.match(r" \((.*)\)$", rest or "")
        if because:
            rest = self.evidence(because.group(1), self.claims[before])
        self.lost(line if rest is None else rest)
        share = next((value for key, value in row.items() if key.startswith(("change of", "of the total", "Δ"))), "")
        match = re.search(rf"({PERCENT}) %", share)
        if match:
            self.claim("share", line, f=function, of=kind, share=fraction(match.group(1)))
        if row.get("where"):
            self.claim("place", line, f=function, place=row["where"])
        self.in_diff(function, row.get("in the diff", ""), line)

    IN_DIFF = re.compile(rf"(?P<said>yes|no|not known)(?:, but (?:a definition that it uses|the build file"
                         rf"|(?P<g>{NAME}) \(a (?P<way>caller|callee)\)))?$")

    def in_diff(self, function, text, line):
        match = self.IN_DIFF.match(text)
        if not match:
            self.lost(line)
            return
        self.claim("in-diff", line, f=function, said=match.group("said"))
        if match.group("g"):
            self.claim("touched-" + match.group("way"), line, f=function, g=match.group("g"))

    def function(self, row, line):
        tag = row.get("", "")
        if tag not in TAGS:
            self.lost(line)
        elif tag:
            self.claim("tag", line, f=row["function"], tag=tag)

    def metric(self, row, line):
        name = row["metric"]
        change = re.match(rf"({PERCENT}) %", row.get("change", ""))
        self.claim("metric", line, name=name, said=row["verdict"],
                   change=fraction(change.group(1)) if change else None)


# ---- the terminal -------------------------------------------------------------------------------

class Terminal(Sentences):
    """Only what report.md does not say: the rest is rendered from the same sentences, and known by its section."""

    SECTIONS = ("Culprit", "Culprits", "Cost that moved", "Split, merged or inlined", "Largest changes of self cost",
                "Improvements", "Everything that was looked at", "All metrics", "Memory over time",
                "Conditions", "How it was measured", "Warnings", "Notes", "In all:")

    def __init__(self, text, benchmark, markdown):
        super().__init__("terminal")
        self.benchmark, self.markdown = benchmark, " ".join(markdown.split())
        section, block = "", []
        for line in text.split("\n") + ["  Warnings"]:
            heading = line.strip()
            if line.startswith("  ") and not line.startswith("   ") and heading.split(":")[0] in self.SECTIONS:
                self.section(section, block)
                section, block = heading, []
            else:
                block.append(line)

    def section(self, section, block):
        if not section:
            self.verdict(block)
        elif section in ("Culprit", "Culprits"):
            for item in items_of(block, r"^ +\d+\. "):
                self.culprit(item)
        elif section == "Cost that moved":
            self.each(block, self.moved)
        elif section == "Split, merged or inlined":
            self.each(block, self.inlining)
        elif section in ("Warnings", "Notes", "Conditions", "How it was measured"):
            self.also_in_markdown(block)

    def also_in_markdown(self, block):
        """Wrapped anyhow; the Markdown has the same lines whole, where they are looked at."""
        for line in block:
            line = " ".join(line.split())
            if line not in self.markdown and not line.startswith("Report: "):
                self.lost(line)

    def each(self, block, part):
        for item in items_of(block, r"^    \S"):
            rest = part(item)
            if not re.match(r"and \d+ more$", item):
                self.lost(item if rest is None else rest)

    def verdict(self, block):
        for item in items_of(block, r"^\S"):
            match = re.match(r"(PASS|WARN|FAIL|ERROR|\S+) +(\S+?)(:? .*)$", item)
            if re.match(r"(base|head|policy|Report:) ", item) or not item.strip():
                continue
            if not match or match.group(2).rstrip(":") != self.benchmark:
                self.lost(item)
                continue
            self.headline(item[item.index(self.benchmark) + len(self.benchmark):])

    COSTS = compiled(r" (?P<of>self|with callees) (?P<base>T|0 s) -> (?P<head>T|0 s)"
                     .replace("T", TIME) + r"(?:, <relative:P> % of (?P<what>that|its own cost))?"
                     r"(?:, explains <explained:P> % of the increase(?:(?P<together>, with what grew with it)|(?P<aside>, without the other culprits in it))?)?")
    DIFF = compiled(r"; (?:(?P<no>the diff does not change it|the diff changes (?:a definition that it uses|the build file))"
                    r"|(?P<yes>the diff changes it)(?=$|[ ;])"
                    r"|(?P<unknown>whether the diff changes it is not known)"
                    r"|the diff changes <g:N>, a (?P<way>caller|callee) of it)")

    def culprit(self, item):
        if re.match(r"and \d+ more$", item):
            return
        item = re.sub(r"^\d+\. ", "", item)
        before = len(self.claims)
        rest = self.of_function(item)
        if rest is None:
            self.lost(item)
            return
        function = self.claims[before]["f"]
        if rest.startswith(" evidence: "):
            after = self.evidence(rest[len(" evidence: "):], self.claims[before])
            rest = rest if after is None else after
        match = self.COSTS.match(rest)
        if match:
            self.costs(function, match)
            rest = rest[match.end():]
        match = self.DIFF.match(rest)
        if match:
            self.diff(function, match)
            rest = rest[match.end():]
        match = re.search(r" path: (.*)$", rest)
        if match:
            self.claim("path", match.group(0), fs=re.sub(r" and \d+ more$", "", match.group(1)).split(" > "))
            rest = rest[:match.start()]
        match = re.match(r"(.*) grew with it: (.*)$", rest)
        if match:
            self.hangers(function, match.group(2), item)
            rest = match.group(1)
        match = re.match(r" counts with it: (.*)$", rest)
        if match:
            rest = self.parts(function, match.group(1))
        self.lost(rest)

    def costs(self, function, match):
        self.claim("costs", match.group(0), f=function, of="self" if match.group("of") == "self" else "total",
                   base=seconds(match.group("base")), head=seconds(match.group("head")),
                   relative=fraction(match.group("relative")) if match.group("relative") else None)
        if match.group("explained"):
            self.claim("explains", match.group(0), f=function, of=match.group("of"), explained=fraction(match.group("explained")),
                       together=bool(match.group("together")), aside=bool(match.group("aside")))

    def diff(self, function, match):
        if match.group("g"):
            self.claim("touched-" + match.group("way"), match.group(0), f=function, g=match.group("g"))
        else:
            said = "yes" if match.group("yes") else "no" if match.group("no") else "not known"
            self.claim("in-diff", match.group(0), f=function, said=said)

    def parts(self, host, text):
        for part in re.split(r", (?=" + NAME + r" \()", re.sub(r" and \d+ more$", "", text)):
            match = re.match(rf"({NAME}) \(({'|'.join(INLININGS)})\)$", part)
            if not match:
                return text
            self.claim(INLININGS[match.group(2)], part, f=match.group(1), g=host)
        return ""


def items_of(block, first):
    """Lines joined to items: one begins where `first` matches, and goes on in what is indented more."""
    items = []
    for line in block:
        if re.match(first, line):
            items.append(line.strip())
        elif line.strip() and items:
            items[-1] += " " + line.strip()
        elif line.strip():
            items.append(line.strip())
    return items
