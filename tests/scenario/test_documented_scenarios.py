# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the documentation and of `defiance-zoo new --python` work unchanged."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from defiance_zoo.command_line import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorials" / "python-scenarios.md"


def run(folder: Path, *arguments: str) -> str:
    """Run Python in a folder, with this package, and return its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def blocks() -> list[str]:
    """Return the Python blocks of the page."""
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_program_of_the_tutorial_works(tmp_path: Path) -> None:
    """Its blocks are a scenario, its registration and a training, which is shortened."""
    scenario, *others = blocks()[:3]
    assert scenario == (ROOT / "examples" / "queue_rate.py").read_text().replace(
        _docstring(), "# queue_rate.py\n"
    )
    (tmp_path / "queue_rate.py").write_text(scenario)
    script = "\n".join(others).replace("5_000", "300").replace('"20ms"', '"20ms", max_cycles=100')
    run(tmp_path, "-c", script)
    # Long enough that a source with a changing rate would end the process, if it paused.
    command = ["-m", "defiance_zoo.scenario", "queue_rate.py", "--delay=20ms", "--duration=100s"]
    assert re.match(r"agent_0: 3\d\d\d decisions", run(tmp_path, *command))


@pytest.mark.thorough
def test_the_returns_of_the_tutorial_are_true(tmp_path: Path) -> None:
    """They are printed by the page's command."""
    scenario, *_ = blocks()
    (tmp_path / "queue_rate.py").write_text(scenario)
    page = PAGE.read_text()
    (command,) = re.findall(r"^defiance-zoo (eval queue_rate.py .*)$", page, re.MULTILINE)
    found = json.loads(run(tmp_path, "-m", "defiance_zoo", *command.split(), "--json"))
    means = {name: round(each["mean"]) for name, each in found["policies"].items()}
    said = "Random actions earn {random}, the lowest rate {constant}, and `lookahead` {lookahead}"
    assert said.format(**means) in page


def test_the_programs_of_the_page_about_counters_work(tmp_path: Path) -> None:
    """In the page's own scenario."""
    scenario, *_, counters, _, _ = blocks()
    place = "    sc.connect(observer"
    assert place in scenario
    counting = scenario.replace(place, textwrap.indent(counters, "    ") + place)
    command = ["--duration=1s", "--policy=constant", "--action=0"]
    earned = []
    for text in (scenario, counting):
        (tmp_path / "counting.py").write_text(text)
        played = run(tmp_path, "-m", "defiance_zoo.scenario", "counting.py", *command)
        earned += [float(each) for each in re.findall(r"return ([-\d.]+)", played)]
    assert earned[1] - earned[0] == pytest.approx(500e3 / 8 / 1000, rel=0.1)


def test_the_program_of_the_page_about_traffic_works(tmp_path: Path) -> None:
    """Between two nodes: half as many bytes after a second."""
    nodes = "server, client = sc.nodes(2, internet=True)\nsc.point_to_point(server, client)\n"
    head = 'import defiance_zoo.scenario as sc\n\nsim = sc.Simulation("flow", duration="9.5s")\n'
    episode = textwrap.indent(nodes + blocks()[-2], "    ")
    (tmp_path / "flow.py").write_text(f"{head}\n@sim.episode\ndef build(p):\n{episode}")
    lines = run(tmp_path, "-m", "defiance_zoo.scenario", "flow.py").splitlines()
    periods = [[float(each) for each in line.split()] for line in lines]
    assert periods[0][0] == pytest.approx(250_000, rel=0.2)
    assert sum(size for size, _ in periods[1:]) / 8 == pytest.approx(125_000, rel=0.1)
    assert all(0.001 < delay < 0.002 for _, delay in periods)


def test_the_program_of_the_page_about_lte_works(tmp_path: Path) -> None:
    """Two cells; when one gets weaker, its user's SINR falls, and the other user's rises."""
    (tmp_path / "two_cells.py").write_text(blocks()[-1])
    lines = run(tmp_path, "-m", "defiance_zoo.scenario", "two_cells.py").splitlines()
    seen = [ast.literal_eval(line) for line in lines]
    assert [[cell for cell, _ in each] for each in seen] == [[0, 1]] * 10
    first, last = seen[0], seen[-1]
    assert 5 < last[0][1] - first[0][1] < 9  # the rest is noise
    assert last[1][1] - first[1][1] == pytest.approx(-9, abs=0.1)


def _docstring() -> str:
    """Return the docstring of the example, which the page leaves out."""
    text = (ROOT / "examples" / "queue_rate.py").read_text()
    return text[: text.index("import defiance_zoo")]


@pytest.mark.long
def test_a_new_project_passes_its_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["new", "my_python_scenario", "--python", "--agents=2"])
    assert done.exit_code == 0, done.output
    assert "cmake" not in done.output
    project = tmp_path / "my_python_scenario"
    assert not (project / "CMakeLists.txt").exists()
    run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not parallel")


def test_new_refuses_other_styles_with_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["new", "my_other", "--python", "--style=direct"])
    assert done.exit_code == 2
    assert "--python excludes --from" in done.output
    assert not (tmp_path / "my_other").exists()
