#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what `millrace check --junit --sarif` writes as a build server and a code host would:
   check_reports.py MILLRACE WORK
Every field that the formats require is there and of its type, and what it says is true."""
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

RACE = "buffer A 1KiB\nstream s1 s2\ns1: kernel fill writes A\ns2: kernel use reads A\n"
SCRIPTS = {
    "clean.mill": "stream s\ns: kernel k\nexpect clean\n",
    "expected.mill": RACE + "expect race A\n",
    "race.mill": RACE,
    "late.mill": "stream s\ns: kernel k for 2us\nexpect end = 1us\n",
    'odd & "name" <é>.mill': RACE,
    "unreadable.mill": "stream s\ns: \x01\"<&> k\n",
}


def check_junit(text):
    root = xml.etree.ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    (suite,) = root
    assert suite.tag == "testsuite" and suite.get("name") == "millrace check"
    cases = {case.get("file"): case for case in suite}
    for element in (root, suite):
        counts = {name: int(element.get(name)) for name in ("tests", "failures", "errors", "skipped")}
        assert counts == {"tests": 6, "failures": 3, "errors": 1, "skipped": 0}, counts
        assert float(element.get("time")) >= 0
    for file, case in cases.items():
        assert case.tag == "testcase", case
        assert f"{case.get('classname')}/{case.get('name')}" == file
        assert float(case.get("time")) >= 0
        for problem in case:
            assert problem.get("message") and problem.get("type") and problem.text, file
    tags = {pathlib.Path(file).name: [child.tag for child in case] for file, case in cases.items()}
    assert tags == {
        "clean.mill": [],
        "expected.mill": [],
        "race.mill": ["failure"],
        "late.mill": ["failure"],
        'odd & "name" <é>.mill': ["failure"],
        "unreadable.mill": ["error"],
    }, tags
    race = next(case for case in suite if case.get("name") == "race.mill")[0]
    assert "race on A" in race.get("message")
    assert "\n  fix:    record an event on s1" in race.text, race.text
    unreadable = next(case for case in suite if case.get("name") == "unreadable.mill")[0]
    assert unreadable.get("message").startswith("line 2: "), unreadable.get("message")


def check_location(location):
    physical = location["physicalLocation"]
    uri = physical["artifactLocation"]["uri"]
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2}|file://)+", uri), uri
    if "region" in physical:
        assert physical["region"]["startLine"] >= 1
    return uri


def check_sarif(text):
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Millrace" and driver["version"]
    rules = driver["rules"]
    assert [rule["id"] for rule in rules] == ["race"]
    assert all(rule["shortDescription"]["text"] for rule in rules)
    suppressed = {}
    for result in run["results"]:
        assert result["ruleId"] in {rule["id"] for rule in rules}
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"].startswith("race on A")
        assert result["occurrenceCount"] >= 1
        assert all(isinstance(v, str) for v in result["partialFingerprints"].values())
        (location,) = result["locations"]
        uri = check_location(location)
        assert location["physicalLocation"]["region"]["startLine"] == 4
        (first,) = result["relatedLocations"]
        assert check_location(first) == uri
        assert first["physicalLocation"]["region"]["startLine"] == 3
        assert first["message"]["text"] == "fill on s1"
        for suppression in result.get("suppressions", []):
            assert suppression["kind"] in ("inSource", "external")
        suppressed[uri.rsplit("/", 1)[1]] = "suppressions" in result
    assert suppressed == {
        "expected.mill": True,
        "race.mill": False,
        "odd%20%26%20%22name%22%20%3C%C3%A9%3E.mill": False,
    }, suppressed
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error" and notification["message"]["text"]
    assert check_location(notification["locations"][0]).endswith("unreadable.mill")
    assert notification["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def check_baseline_and_lints(millrace, work):
    race, baseline, sarif = work / "race.mill", work / "baseline", work / "known.json"
    subprocess.run(
        [millrace, "check", race, "--baseline", baseline, "--update-baseline"],
        check=True, capture_output=True,
    )
    subprocess.run(
        [millrace, "check", race, "--baseline", baseline, "--sarif", sarif],
        check=True, capture_output=True,
    )
    (run,) = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
    assert [result["suppressions"][0]["kind"] for result in run["results"]] == ["external"]

    unjoined = work / "unjoined.mill"
    unjoined.write_text("stream s\ns: kernel k\n", encoding="utf-8")
    done = subprocess.run(
        [millrace, "check", unjoined, "--lint", "unjoined-work", "--sarif", sarif],
        check=False, capture_output=True,
    )
    assert done.returncode == 1, done
    (run,) = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("unjoined-work", "warning")]


def main():
    millrace, work = sys.argv[1], pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    for name, text in SCRIPTS.items():
        (work / name).write_text(text, encoding="utf-8")
    junit, sarif = work / "out.xml", work / "out.json"
    command = [millrace, "check", *(str(work / name) for name in SCRIPTS)]
    done = subprocess.run(
        [*command, "--junit", junit, "--sarif", sarif], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done
    check_junit(junit.read_text(encoding="utf-8"))
    check_sarif(sarif.read_text(encoding="utf-8"))

    done = subprocess.run(
        [millrace, "check", work / "clean.mill", "--sarif", sarif], check=False, capture_output=True
    )
    assert done.returncode == 0, done
    (run,) = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
    assert run["results"] == [] and run["invocations"][0]["executionSuccessful"] is True

    check_baseline_and_lints(millrace, work)

    for option in ("--junit", "--sarif"):
        done = subprocess.run(
            [millrace, "check", work / "clean.mill", option, "/nowhere/at"],
            check=False, capture_output=True, text=True,
        )
        assert done.returncode == 2 and "/nowhere/at: cannot be written" in done.stderr, done


main()
