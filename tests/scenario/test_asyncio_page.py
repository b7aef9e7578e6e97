# SPDX-License-Identifier: GPL-2.0-only
"""The example of `docs/protocols/asyncio.md`: a service, its test, and the test in pytest."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from command_calls import call_for_json
from conftest import ROOT

from defiance_zoo.protocols.chart.story import read_story
from defiance_zoo.recording import read_recording

EXAMPLES = ROOT / "examples" / "protocols"
PAGE = ROOT / "docs" / "protocols" / "asyncio.md"


def test_the_page_shows_the_programs_and_its_commands_find_the_bug(tmp_path: Path) -> None:
    """The chart has the requests and answers of the shrunk violation."""
    service, replica, in_pytest = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for name, shown in (("key_value.py", service), ("key_value_replicas.py", replica)):
        assert shown == (EXAMPLES / name).read_text()
        (tmp_path / name).write_text(shown)
    (command,) = re.findall(r"partition record (found .*bug=no_sync)\n", PAGE.read_text())
    folder, *options = command.split()
    env = ("--env", tmp_path / "key_value_replicas.py")
    options = [each for each in options if each not in ("--env", "key_value_replicas.py")]
    told = call_for_json("partition", "record", tmp_path / folder, *options, *env)
    (found,) = told["episodes"]
    assert found["violation"].startswith("linearizability: ")
    shrunk = call_for_json("partition", "shrink", found["file"], *env)
    story = read_story(read_recording(Path(shrunk["file"])))
    deeds = [step.deed for step in story.steps]
    assert deeds[:2] == ["reset", "request 1: compare and swap x 0 1"]
    assert deeds[-3:] == ["stop 1", "start 1", "request 3: compare and swap x 0 3"]
    assert [label.text for _, label in story.steps[-1].labels] == ["answers 3: 1"]
    (tmp_path / "test_store.py").write_text(in_pytest.replace("seeds=20", "seeds=2"))
    tested = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
                            cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert tested.returncode == 0, tested.stdout
