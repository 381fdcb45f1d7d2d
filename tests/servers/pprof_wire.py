# SPDX-License-Identifier: Apache-2.0
"""pprof's protobuf wire format, as much as the test servers need: profiles as plain Python values.

A profile is a dict: types [(type, unit)], period_type (type, unit), period, time, samples
[(location ids, values, [(key, string or None, number)])], locations {id: {mapping, address, lines}},
functions {id: (name, system_name, file, start_line)}, mappings {id: {...}}, strings [bytes].
"""


class Malformed(Exception):
    """Not protobuf, or not this message."""


def read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed("varint")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), at
        shift += 7


def fields(data):
    """(number, value) pairs; value is an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise Malformed("field 0")
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            length, at = read_varint(data, at)
            value, at = data[at:at + length], at + length
            if at > len(data):
                raise Malformed("length")
        else:
            raise Malformed("wire type")
        yield number, value


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def numbers(value):
    """A repeated number, packed or not."""
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        number, at = read_varint(value, at)
        out.append(number)
    return out


def message(data, names):
    """The scalar fields of a message, by name; missing ones are 0."""
    out = dict.fromkeys(names.values(), 0)
    for number, value in fields(data):
        if number in names and isinstance(value, int):
            out[names[number]] = value
    return out


def decode(data):
    profile = {"types": [], "period_type": (0, 0), "period": 0, "time": 0, "samples": [], "locations": {},
               "functions": {}, "mappings": {}, "strings": []}
    for number, value in fields(data):
        if number in (1, 2, 3, 4, 5, 6, 11) and isinstance(value, int):
            raise Malformed("a number where a message should be")
        if number == 1:
            found = message(value, {1: "type", 2: "unit"})
            profile["types"].append((found["type"], found["unit"]))
        elif number == 2:
            profile["samples"].append(decode_sample(value))
        elif number == 3:
            found = message(value, {1: "id", 2: "start", 3: "limit", 4: "offset", 5: "file", 6: "build_id",
                                    7: "functions", 8: "files", 9: "lines", 10: "inlines"})
            profile["mappings"][found["id"]] = found
        elif number == 4:
            location = decode_location(value)
            profile["locations"][location["id"]] = location
        elif number == 5:
            found = message(value, {1: "id", 2: "name", 3: "system", 4: "file", 5: "line"})
            profile["functions"][found["id"]] = (found["name"], found["system"], found["file"], found["line"])
        elif number == 6:
            profile["strings"].append(value)
        elif number == 9:
            profile["time"] = signed(value)
        elif number == 11:
            found = message(value, {1: "type", 2: "unit"})
            profile["period_type"] = (found["type"], found["unit"])
        elif number == 12:
            profile["period"] = signed(value)
    return profile


def decode_sample(data):
    stack, values, labels = [], [], []
    for number, value in fields(data):
        if number == 1:
            stack += numbers(value)
        elif number == 2:
            values += [signed(one) for one in numbers(value)]
        elif number == 3:
            label = message(value, {1: "key", 2: "string", 3: "number"})
            labels.append((label["key"], label["string"], label["number"]))
    return tuple(stack), values, labels


def decode_location(data):
    location = {"id": 0, "mapping": 0, "address": 0, "lines": []}
    for number, value in fields(data):
        if number == 4:
            line = message(value, {1: "function", 2: "line"})
            location["lines"].append((line["function"], line["line"]))
        elif number in (1, 2, 3):
            location[("id", "mapping", "address")[number - 1]] = value
    return location


def varint(value):
    value &= 2**64 - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def nested(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Strings:
    """A string table under construction."""

    def __init__(self):
        self.table, self.index = [b""], {b"": 0}

    def __call__(self, text):
        if text not in self.index:
            self.index[text] = len(self.table)
            self.table.append(text)
        return self.index[text]
