# SPDX-License-Identifier: GPL-2.0-only
"""The closed world: each call of the page is virtual, real, or refused with its line."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs/protocols/closed-world.md").read_text()
(LIBRARY,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ROWS = dict(re.findall(r"^\| `(.*)` \| ((?:virtual|refused: |real: ).*) \|$", PAGE, re.MULTILINE))
"""Calls, and their results on the page."""

PROGRAM = """
import ast, json, os, sys
import defiance_zoo.scenario.replicas as rp
from defiance_zoo.bridge.system import single_process
from defiance_zoo.scenario.replicas.replica import enter_when_called

library = rp.patched("library_under_test", path=".")


class Probe(rp.Replica):
    def tick(self, now):
        *before, last = ast.parse(probe).body
        exec(compile(ast.Module(before, []), "probe.py", "exec"), vars(library))
        return repr(eval(compile(ast.Expression(last.value), "probe.py", "eval"), vars(library)))


def play():
    single_process.be_single("probes")
    process = Probe()
    vars(process).update(id=1, size=3, others=(2, 3), disk=rp.Disk())
    process.disk.files.open("/disk/a", "w").extend(b"hello")
    enter_when_called(process)
    print(process.tick(0.0), end="", flush=True)
    single_process.end_process(0)


results = {}
for probe in json.load(sys.stdin):
    reading, writing = os.pipe()
    if not os.fork():
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        play()
    os.close(writing)
    text = open(reading, "rb").read().decode()
    results[probe] = os.waitstatus_to_exitcode(os.wait()[1]), text
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, tuple[int, str]]]:
    """Exit status and output of each probe, in two programs; and a folder that stays as it is."""
    folder = tmp_path_factory.mktemp("probes")
    (folder / "library_under_test.py").write_text(LIBRARY)
    (folder / "program.py").write_text(PROGRAM)
    outside = folder / "outside"
    (outside / "tree").mkdir(parents=True)
    (outside / "file").touch()
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=folder,
            env={**os.environ, "OUTSIDE": str(outside), "PYTHONHASHSEED": "0"},
            input=json.dumps([*ROWS]),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        found.append(json.loads(done.stdout))
        assert sorted(each.name for each in outside.iterdir()) == ["file", "tree"]
    assert not Path(folder / "relative.txt").exists()
    return found


def test_the_page_has_rows() -> None:
    assert len(ROWS) == PAGE.count("\n| `") > 90


@pytest.mark.parametrize("call", ROWS)
def test_the_page_says_what_a_call_does(call: str, runs: list[dict[str, tuple[int, str]]]) -> None:
    kind, _, said = ROWS[call].partition(": ")
    (status, words), second = (run[call] for run in runs)
    if kind == "refused":
        assert status == 1
        assert 'probe.py", line 1' in words
        last = words.strip().splitlines()[-1]
        assert "code of replica 1 " in last
        assert said.strip("`") in last
        return
    assert status == 0, words
    if not call.startswith("id("):
        assert [status, words] == second
    if kind == "virtual" and said:
        assert ast.literal_eval(words) == ast.literal_eval(said.strip("`"))
