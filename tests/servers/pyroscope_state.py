# SPDX-License-Identifier: Apache-2.0
"""What a Pyroscope server takes, loses without a word, and gives back: by its behaviour on the wire."""
import base64
import re
import time
import zlib

import pprof_wire
from pprof_wire import nested, number, varint

HOUR, DAY = 3600 * 1000, 86400 * 1000  # milliseconds, as in all queries
MAX_BYTES, BURST_BYTES, BYTES_PER_SECOND = 4 << 20, 2 << 20, 4 << 20
MAX_SAMPLES, MAX_DEPTH, MAX_LABELS, MAX_VALUE_BYTES = 16000, 1000, 30, 2048
LOOKBACK = 7 * DAY


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


def invalid(message):
    return Refused(400, "invalid_argument", message)


def now_ms():
    return int(time.time() * 1000)


class State:
    def __init__(self):
        self.series, self.tokens, self.answered = {}, float(BURST_BYTES), time.monotonic()
        self.pushes = self.refused = 0
        self.fresh = True

    # ---- taking -------------------------------------------------------------------------------

    def take_tokens(self, count):
        if count > self.tokens:
            self.refused += 1
            raise Refused(429, "resource_exhausted", "ingestion rate limit exceeded")
        self.tokens -= count

    def fill(self):
        """The bucket fills between an answer and the next push: how slow this server is must not matter."""
        waited = time.monotonic() - self.answered
        self.tokens = min(BURST_BYTES, self.tokens + waited * BYTES_PER_SECOND)

    def push(self, request, fault=""):
        for series in request.get("series", []):
            labels = check_labels({pair["name"]: pair["value"] for pair in series.get("labels", [])})
            if fault == "relabel":
                labels.pop("totals", None)
            for sample in series.get("samples", []):
                profile, size = read_profile(sample.get("rawProfile", ""))
                self.take_tokens(size)
                check_profile(profile)
                self.store(labels, profile, fault)
                self.pushes += 1

    def store(self, labels, profile, fault):
        text = [one.decode() for one in profile["strings"]]
        at_ns = profile["time"] or time.time_ns()
        samples = profile["samples"][::2] if fault == "lose" else profile["samples"]
        for column, (kind, unit) in enumerate(profile["types"]):
            for stack, values, tags in samples:
                # A negative value takes the whole sample with it; string labels make it another series.
                if min(values) < 0 or not values[column]:
                    continue
                own = dict(labels, **{text[key]: text[value] for key, value, _ in tags if value})
                if len(own) > MAX_LABELS:
                    raise invalid(f"{len(own)} label names; limit {MAX_LABELS}")
                series = self.find_series(own, text[kind], text[unit],
                                          [text[one] for one in profile["period_type"]])
                series.append(at_ns, frames_of(profile, stack), values[column] * (2 if fault == "double" else 1))

    def find_series(self, labels, kind, unit, period):
        type_id = ":".join([labels["__name__"], kind, unit, *period])
        labels = dict(labels, __profile_type__=type_id, __type__=kind, __unit__=unit, __period_type__=period[0],
                      __period_unit__=period[1], __service_name__=labels["service_name"])
        key = tuple(sorted(labels.items()))
        return self.series.setdefault(key, Series(labels))

    # ---- giving -------------------------------------------------------------------------------

    def select(self, selectors, start, end):
        """Series that match all selectors and have a profile in the range. What is fresh is found only by an
        exact service_name; here it is so until a test says otherwise."""
        start, end = check_range(start, end)
        matchers = [one for text in selectors for one in parse_selector(text)]
        if self.fresh and not any(name == "service_name" and operator == "=" and value for name, operator, value in matchers):
            return []
        return [one for one in self.series.values() if one.matches(matchers) and one.in_range(start, end)]

    def merge(self, type_id, selector, start, end):
        if type_id.count(":") not in (4, 5):
            raise invalid("profile-type selection must be of the form <name>:<type>:<unit>:<period_type>:<period_unit>")
        found = self.select([selector], start, end)
        start, end = check_range(start, end)
        # Nothing at all of the service in this time is no profile; nothing that matches is an empty one.
        services = [one for one in parse_selector(selector) if one[:2] == ("service_name", "=")]
        if not any(one.matches(services) and one.in_range(start, end) for one in self.series.values()):
            return b""
        total = {}
        for series in found:
            if series.labels["__profile_type__"] == type_id:
                for stack, value in series.between(start, end):
                    total[stack] = total.get(stack, 0) + value
        return encode_answer(type_id, total, end)


class Series:
    """One value type of one set of labels. What is pushed twice is in it twice."""

    def __init__(self, labels):
        self.labels, self.values = labels, []  # (time in ns, stack, value)

    def append(self, at_ns, stack, value):
        self.values.append((at_ns, stack, value))

    def in_range(self, start, end):
        """Series are found to the millisecond, values to the nanosecond."""
        return any(start <= at // 10**6 <= end for at, _, _ in self.values)

    def between(self, start, end):
        return [(stack, value) for at, stack, value in self.values if start * 10**6 <= at <= end * 10**6]

    def matches(self, matchers):
        return all(matches(self.labels.get(name, ""), operator, value) for name, operator, value in matchers)


# ---- what is refused ------------------------------------------------------------------------------


def check_labels(labels):
    if "__name__" not in labels:
        raise invalid("invalid metric name")
    labels = dict(labels)
    labels.setdefault("service_name", "unknown_service")
    if len(labels) > MAX_LABELS:
        raise invalid(f"{len(labels)} label names; limit {MAX_LABELS}")
    for name, value in labels.items():
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise invalid(f"invalid label name '{name}'")
        if len(value.encode()) > MAX_VALUE_BYTES:
            raise invalid(f"the value of label {name} is too long; limit {MAX_VALUE_BYTES}")
    return {name: value for name, value in labels.items() if value}


def read_profile(text):
    """The profile, and its size uncompressed. What is no profile at all is a 500, not a 400."""
    broken = Refused(500, "unknown", "failed to decode the profile")
    data = base64.b64decode(text, validate=True)
    try:
        if data[:2] == b"\x1f\x8b":
            inflater = zlib.decompressobj(31)
            data = inflater.decompress(data, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise invalid("uncompressed profile payload size exceeds limit of 4.2 MB")
        profile = pprof_wire.decode(data)
    except (zlib.error, pprof_wire.Malformed) as error:
        raise broken from error
    if not profile["types"]:
        raise invalid("empty profile")
    return profile, len(data)


def check_profile(profile):
    at, now = profile["time"] // 10**6, now_ms()
    if at and not now - HOUR <= at <= now + 10 * 60 * 1000:
        raise invalid("profile is outside of the ingestion window")
    if len(profile["samples"]) > MAX_SAMPLES:
        raise invalid(f"{len(profile['samples'])} samples; limit {MAX_SAMPLES}")
    if 0 in profile["locations"] or 0 in profile["functions"]:
        raise invalid("id is 0")
    if any(len(values) != len(profile["types"]) for _, values, _ in profile["samples"]):
        raise invalid("sample value length mismatch")
    for text in profile["strings"]:
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise invalid("invalid utf8 string") from error
    if any(b"-" in profile["strings"][kind] for kind, _ in profile["types"]):
        raise invalid("sample type contains -")


def check_range(start, end):
    if not start or not end:
        raise invalid("missing time range in the query")
    if start > end:
        raise invalid("the query time range is invalid: start after end")
    if end - start > DAY:
        raise invalid("the query time range exceeds the limit (max_query_length)")
    oldest = now_ms() - LOOKBACK
    return max(start, oldest), end


# ---- selectors ------------------------------------------------------------------------------------

MATCHER = re.compile(r'\s*([A-Za-z_][A-Za-z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(,|$)')


def parse_selector(text):
    if not (text.startswith("{") and text.endswith("}")):
        raise invalid(f"parsing label selector {text!r}")
    body, at, out = text[1:-1], 0, []
    while at < len(body):
        found = MATCHER.match(body, at)
        if not found:
            raise invalid(f"parsing label selector {text!r}")
        value = re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], found[3])
        out.append((found[1], found[2], value))
        at = found.end()
    return out


def matches(have, operator, value):
    if operator in ("=", "!="):
        return (have == value) == (operator == "=")
    return bool(re.fullmatch(value, have)) == (operator == "=~")


# ---- profiles -------------------------------------------------------------------------------------


def frames_of(profile, stack):
    """The stack as frames, leaf first: (module, build id, lines). Deep ones lose their leaves."""
    strings = profile["strings"]
    frames = []
    for index in stack[max(0, len(stack) - MAX_DEPTH):]:
        location = profile["locations"].get(index)
        lines = [] if location is None else [
            (tuple(strings[one] for one in profile["functions"][function][:3]) + profile["functions"][function][3:],
             line) for function, line in location["lines"] if function in profile["functions"]]
        if not lines:
            continue  # the frame is gone without a word
        mapping = profile["mappings"].get(location["mapping"])
        module = (b"", b"") if mapping is None else (strings[mapping["file"]], strings[mapping["build_id"]])
        frames.append((module, tuple(lines)))
    return tuple(frames)


def intern(table, key):
    return table.setdefault(key, len(table) + 1)


def encode_answer(type_id, total, end_ms):
    """One value type, the query's end as time, ids and order of its own; mappings without ranges, locations
    without addresses; no labels, comments or duration."""
    strings = pprof_wire.Strings()
    _, kind, unit, period, period_unit = type_id.encode().split(b":")[:5]
    if not total:
        return nested(1, b"") + nested(6, b"") + nested(11, b"")
    mappings, functions, locations, out = {}, {}, {}, b""
    out += nested(1, number(1, strings(kind)) + number(2, strings(unit)))
    samples = []
    for stack, value in reversed(total.items()):
        ids = b"".join(varint(intern(locations, frame)) for frame in stack)
        samples.append(nested(2, nested(1, ids) + nested(2, varint(value))))
    body = b""
    for (module, lines), index in locations.items():
        body += nested(4, number(1, index) + number(2, intern(mappings, module)) + b"".join(
            nested(4, number(1, intern(functions, function)) + number(2, line)) for function, line in lines))
    for (name, system, file, line), index in functions.items():
        body += nested(5, number(1, index) + number(2, strings(name)) + number(3, strings(system))
                       + number(4, strings(file)) + number(5, line))
    for (file, build_id), index in mappings.items():
        body += nested(3, number(1, index) + number(5, strings(file)) + number(6, strings(build_id)))
    head = number(9, end_ms * 10**6) + nested(11, number(1, strings(period)) + number(2, strings(period_unit)))
    return out + b"".join(samples) + body + head + number(12, 10**9) + b"".join(nested(6, one) for one in strings.table)
