#!/usr/bin/env python3
"""Reads what `go test -json` wrote.

report.py LOG ALLOWED    prints a line per package and what failed tests said;
                         fails for a failed test and, with CI=true, for a
                         skipped one that no pattern in ALLOWED matches
report.py --output LOG PREFIX
                         prints what the tests said whose names begin so
"""

import collections
import json
import os
import re
import sys


def events(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            try:
                yield json.loads(line)
            except ValueError:
                print(line, end="")  # what the compiler says


def output(path, prefix):
    for e in events(path):
        if e.get("Action") == "output" and e.get("Test", "").startswith(prefix):
            print(e["Output"], end="")


def allowed_skips(path):
    with open(path, encoding="utf-8") as f:
        lines = (line.rstrip("\n") for line in f)
        return [re.compile(line) for line in lines if line and not line.startswith("#")]


def report(path, allowed):
    said = collections.defaultdict(list)
    failed, skipped, passed = [], [], 0
    for e in events(path):
        action, package, test = e.get("Action"), e.get("Package", ""), e.get("Test")
        key = (package, test)
        if action in ("output", "build-output"):
            said[key if test or action == "output" else (e.get("ImportPath", ""), None)].append(e["Output"])
        elif action == "build-fail":
            failed.append((e.get("ImportPath", ""), None))
        elif action == "fail":
            failed.append(key)
        elif action == "skip" and test:
            skipped.append(key)
        elif action == "pass":
            if test:
                passed += 1
            else:
                print(f"ok    {package}  {e.get('Elapsed', 0):.1f}s")
    for key in failed:
        print(f"FAIL  {key[0]} {key[1] or ''}")
        print("".join(said[key]), end="")
    status = bool(failed)
    for package, test in skipped:
        name = f"{package} {test}"
        reason = " ".join("".join(said[package, test]).split())
        ok = any(p.search(f"{name}: {reason}") for p in allowed)
        print(f"skip  {name}{'' if ok else ' (not allowed in CI)'}: {reason}")
        if not ok and os.environ.get("CI") == "true":
            status = True
    print(f"{passed} passed, {len([f for f in failed if f[1]])} failed, {len(skipped)} skipped")
    return status


if sys.argv[1] == "--output":
    output(sys.argv[2], sys.argv[3])
else:
    sys.exit(report(sys.argv[1], allowed_skips(sys.argv[2])))
