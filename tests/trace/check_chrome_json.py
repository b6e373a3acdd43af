#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads Chrome JSON as a viewer would: every slice has a row with a name, slices of a row nest,
and every arrow has two ends, each tied to the slice that was opened last and still encloses it."""
import collections
import decimal
import json
import sys


def check(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    counted = {}
    names, open_slices, arrows, before = {}, collections.defaultdict(list), {}, decimal.Decimal(-1e9)
    for event in trace["traceEvents"]:
        row = (event["pid"], event.get("tid"))
        assert all(isinstance(part, int) for part in row if part is not None), event
        if event["ph"] == "M":
            names[row, event["name"]] = event["args"]
            continue
        ts = event["ts"]
        if event["ph"] == "C":
            counter = event["pid"], event["name"]
            assert ts > counted.get(counter, decimal.Decimal(-1e9)), f"not sorted: {event}"
            assert all(amount >= 0 for amount in event["args"].values()), event
            counted[counter] = ts
            continue
        assert ts >= before, f"not sorted: {event}"
        before = ts
        assert (row, "thread_name") in names and (row, "thread_sort_index") in names, event
        assert ((row[0], None), "process_name") in names, event
        stack = open_slices[row]
        while stack and stack[-1] <= ts:
            stack.pop()
        if event["ph"] == "X":
            end = ts + event["dur"]
            assert event["dur"] > 0 and event["name"], event
            assert not stack or end <= stack[-1], f"overlaps in part: {event}"
            stack.append(end)
        else:
            assert stack, f"no slice encloses {event}"
            key = (event["cat"], event["name"], event["id"])
            if event["ph"] == "s":
                assert key not in arrows, event
                arrows[key] = None
            else:
                assert event["ph"] == "f" and event["bp"] == "e", event
                assert arrows.pop(key, "") is None, f"ends before it begins: {event}"
                arrows[key] = event
    assert all(arrows.values()), "an arrow without end"
    assert len(arrows) == trace["otherData"]["arrows"]


for name in sys.argv[1:]:
    check(name)
    print("ok", name)
