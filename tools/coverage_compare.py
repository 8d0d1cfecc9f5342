#!/usr/bin/env python3
"""Compares two LCOV files line by line: what one calls a line, a function or a branch and the other does not, and where they
disagree on whether it ran.

    tools/coverage_compare.py OURS THEIRS [--under DIR] [--show N] [--only PATTERN]

Paths are compared as they are written, or below DIR where they are absolute. Kinds of differences:

    lines covered differently   both call it a line; it ran for one only
    lines of one only           no line for the other
    counts                      ran for both, another number of times (told, no fault: the runners load files a different number
                                of times)
    functions, branches         by line: how many there are and how many of them ran

The exit code is 1 if both know a file and disagree on whether a line ran.
"""
import argparse
import os
import sys
from collections import Counter, defaultdict


def read(path, under):
    """Records by file: lines, functions and branches."""
    files = {}
    current = None
    for text in open(path, encoding="utf-8"):
        key, _, value = text.strip().partition(":")
        if key == "SF":
            if under and os.path.isabs(value):
                value = os.path.relpath(value, under)
            current = files.setdefault(value, {"DA": {}, "FN": {}, "FNDA": Counter(), "BRDA": {}})
        elif key == "DA":
            line, count = value.split(",")[:2]
            current["DA"][int(line)] = int(count)
        elif key == "FN":
            line, name = value.split(",", 1)
            current["FN"][name] = int(line.split(",")[0])
        elif key == "FNDA":
            count, name = value.split(",", 1)
            current["FNDA"][name] += int(count)
        elif key == "BRDA":
            line, block, way, count = value.split(",")
            current["BRDA"][int(line), block, way] = 0 if count == "-" else int(count)
    return files


def by_line(counts):
    """How many there are on a line and how many of them ran, from (line, count) pairs."""
    found = defaultdict(lambda: [0, 0])
    for line, count in counts:
        found[line][0] += 1
        found[line][1] += count > 0
    return {line: tuple(value) for line, value in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--under", help="directory that absolute paths are below")
    parser.add_argument("--show", type=int, default=20, help="examples of each kind (20)")
    parser.add_argument("--only", default="", help="files whose path contains this")
    options = parser.parse_args()
    ours, theirs = read(options.ours, options.under), read(options.theirs, options.under)
    kinds = defaultdict(list)
    sums = Counter()
    for name in sorted(set(ours) | set(theirs)):
        if options.only not in name:
            continue
        a, b = ours.get(name), theirs.get(name)
        if a is None or b is None:
            lines = (a or b)["DA"]
            # A file without a line is nothing to disagree on.
            kinds["files of ours only" if b is None else "files of theirs only"] += [f"{name} ({len(lines)} lines)"] if lines else []
            continue
        sums["files"] += 1
        for line in sorted(set(a["DA"]) | set(b["DA"])):
            x, y = a["DA"].get(line), b["DA"].get(line)
            if x is None or y is None:
                kinds["lines of ours only" if y is None else "lines of theirs only"].append(f"{name}:{line} ({x if y is None else y})")
                continue
            sums["lines"] += 1
            if (x > 0) != (y > 0):
                kinds["lines covered differently"].append(f"{name}:{line} ours {x}, theirs {y}")
            else:
                sums["lines equal"] += 1
                sums["lines with another count"] += x != y
        for kind, of in (
            ("functions", lambda f: by_line((line, f["FNDA"][fn]) for fn, line in f["FN"].items())),
            ("branches", lambda f: by_line((key[0], count) for key, count in f["BRDA"].items())),
        ):
            x, y = of(a), of(b)
            for line in sorted(set(x) | set(y)):
                one, other = x.get(line, (0, 0)), y.get(line, (0, 0))
                sums[kind] += max(one[0], other[0])
                if one == other:
                    sums[f"{kind} equal"] += one[0]
                else:
                    kinds[f"{kind} of a line"].append(f"{name}:{line} ours {one[1]} of {one[0]}, theirs {other[1]} of {other[0]}")
    for key, value in sums.items():
        print(f"{key}: {value}")
    for kind, found in kinds.items():
        if not found:
            continue
        print(f"\n{kind}: {len(found)}")
        for text in found[: options.show]:
            print(f"  {text}")
        if len(found) > options.show:
            print(f"  ... and {len(found) - options.show} more")
    return 1 if kinds["lines covered differently"] else 0


sys.exit(main())
