# SPDX-License-Identifier: GPL-2.0-only
"""Each program that a page shows runs here or in another test, or a reason is given."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import PROGRAMS, ROOT
from snippets import ALL, Snippet
from test_decisions import words

from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.workbench.descriptions import read_yaml

# The parts that a page leaves to the reader: before its first program, and for each `...`.
BEFORE = {
    "docs/coming-from/plain-ns-3.md": (
        "import os, subprocess, sys\n"
        "new = [sys.executable, '-m', 'defiance_zoo', 'new', 'my_scenario', '--python']\n"
        "subprocess.run(new, check=True, stdout=subprocess.DEVNULL)\n"
        "os.chdir('my_scenario')"
    ),
    "docs/networks/channels.md": "import defiance_zoo, pandas",
    "docs/training/learning.md": (
        "import defiance_zoo, torch\n"
        "from defiance_zoo.experiments.learning import *\n"
        "policy = torch.nn.Linear(4, 2)\n"
        "policies = {'agent_0': policy, 'agent_1': policy}\n"
        "weights = get_weights(policy)\n"
        "observations, rewards = [[0.0] * 4], [1.0]\n"
        "def step():\n"
        "    env.step({agent: 0 for agent in env.agents})\n"
        "def learn(agent, batch):\n"
        "    print(agent, batch)\n"
    ),
    "docs/explanation/steps.md": "import defiance_zoo",
}
FILLED: dict[str, Sequence[str]] = {
    "docs/networks/channels.md": ["env.reset(seed=1)"],
    "docs/training/learning.md": ["step()", "step()", "step()", "step()"],
}
# Code between two programs of a page.
BETWEEN = {"docs/training/learning.md": "env.reset(seed=1)\n"}
# Programs of a page, and the tests' programs in their place.
REPLACED = {
    "docs/networks/scenarios.md": [("build/my_scenario", f"{PROGRAMS}/callables")],
    "docs/coming-from/ns3-gym.md": [("build/gym_style", f"{PROGRAMS}/gym_style")],
    "docs/coming-from/ns3-ai.md": [("build/plain_main", f"{PROGRAMS}/plain_main")],
}
HERE = [
    "docs/networks/channels.md",
    "docs/coming-from/ns3-ai.md",
    "docs/coming-from/ns3-gym.md",
    "docs/coming-from/pettingzoo.md",
    "docs/coming-from/plain-ns-3.md",
    "docs/coming-from/rllib.md",
    "docs/coming-from/sb3.md",
    "docs/networks/deployment.md",
    "docs/networks/networked.md",
    "docs/reference/environments.md",
    "docs/recording/episode-reports.md",
    "docs/gallery.md",
    "docs/index.md",
    "docs/training/learning.md",
    "docs/networks/scenarios.md",
    "docs/explanation/steps.md",
    "docs/training/export.md",
    "docs/training/features.md",
    "docs/training/vector.md",
    "envs/partition/card.md",
    "envs/tcp_congestion/card.md",
    "envs/video_streaming/card.md",
    "envs/wifi_contention/card.md",
]
"""Pages whose programs run here."""

LONG = {
    "docs/coming-from/rllib.md",
    "docs/coming-from/sb3.md",
    "docs/training/features.md",
    "docs/training/learning.md",
}
"""Pages whose programs import modules that take seconds to load."""

ELSEWHERE = {
    "README.md": "tests/test_examples.py",
    "docs/training/clients.md": "tests/clients/current/test_torchrl.py",
    "docs/protocols/exploration.md": "tests/protocols/test_exploration_docs.py",
    "docs/tutorials/first-environment.md": "tests/test_examples.py",
    "docs/protocols/own-protocol.md": "tests/envs/partition/test_partition_own_protocol.py",
    "docs/protocols/python-protocol.md": "tests/envs/partition/test_partition_python.py",
    "docs/protocols/asyncio.md": "tests/scenario/test_asyncio_page.py",
    "docs/protocols/closed-world.md": "tests/scenario/test_closed_world.py",
    "docs/protocols/library.md": "tests/scenario/test_pysyncobj.py",
    "docs/training/populations.md": "tests/population/test_docs.py",
    "docs/tutorials/python-scenarios.md": "tests/scenario/test_documented_scenarios.py",
    "docs/networks/real-programs.md": "tests/scenario/test_hosts.py",
    "docs/protocols/real-servers.md": "tests/scenario/test_real_servers.py",
    "docs/recording/recording.md": "tests/recording/test_recording.py",
    "docs/training/rllib.md": "tests/test_examples.py",
    "docs/training/sb3.md": "tests/test_examples.py",
    "docs/recording/snapshots.md": "tests/test_examples.py",
}
"""Pages whose programs run in a separate test, which names the page."""

REASONS = {
    "docs/protocols/partition-testing.md": "needs a violation: tests/command_line/"
    "test_partition_command.py shrinks one",
    "docs/reference/seeded-bugs.md": "takes an hour to find the shown bug; tests/protocols/ "
    "calls the same functions",
    "docs/training/training.md": "trains 80,000 steps: examples/resume_and_evaluate.py is a "
    "smaller version; the library is in tests/experiments/training/outside/",
    "docs/training/wrappers.md": "trains 200,000 steps: docs/training/sb3.md and "
    "docs/training/rllib.md are smaller versions",
}
"""Pages whose programs do not run; only their imports are checked."""

PYTHON = [each for each in ALL if each.language == "python"]


def test_each_page_with_programs_is_listed() -> None:
    shown = {each.page for each in PYTHON}
    assert shown == {*HERE, *ELSEWHERE, *REASONS}
    assert len(shown) == len(HERE) + len(ELSEWHERE) + len(REASONS)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_pages_listed_for_another_test_are_read_there(page: str) -> None:
    text = (ROOT / ELSEWHERE[page]).read_text()
    assert Path(page).stem in text


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.long) if page in LONG else page for page in HERE],
)
def test_the_programs_of_a_page_run(page: str, tmp_path: Path) -> None:
    """The programs run in the order in which a reader meets them."""
    blocks = [each.text for each in PYTHON if each.page == page]
    program = BETWEEN.get(page, "").join(blocks)
    for filling in FILLED.get(page, ()):
        program = re.sub(r"^\.\.\.$", filling, program, count=1, flags=re.MULTILINE)
    assert not re.search(r"^\.\.\.$", program, re.MULTILINE)
    for old, new in REPLACED.get(page, ()):
        assert old in program
        program = program.replace(old, new)
    done = subprocess.run(
        [sys.executable, "-c", f"{BEFORE.get(page, '')}\n{program}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", REASONS)
def test_each_import_of_a_program_exists(page: str) -> None:
    blocks = [each.text for each in PYTHON if each.page == page]
    assert blocks
    for text in blocks:
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                exec(ast.unparse(node), {})


def test_configuration_files_of_pages_are_valid(tmp_path: Path) -> None:
    """The run of docs/training/training.md; other tests read those of studies and populations."""
    described, values = (
        each.text
        for each in ALL
        if (each.page, each.language) == ("docs/training/training.md", "yaml")
    )
    (tmp_path / "run.yaml").write_text(described)
    (tmp_path / "values.yaml").write_text(values)
    run = {**read_yaml(tmp_path / "run.yaml"), **read_yaml(tmp_path / "values.yaml")}
    assert "ent_coef" in build_config(run).hyperparameters
    assert build_config(read_yaml(tmp_path / "run.yaml")).steps == 100_000


# Names of the reader, and names of ns-3 and the standard library that no source here has.
NOT_OURS = re.compile(r"My\w*|Observe|Reward|Decide|Act|ConnectWithoutContext")


@pytest.mark.parametrize(
    "snippet",
    [each for each in ALL if each.language == "cpp"],
    ids=lambda each: f"{each.page}:{each.line}",
)
def test_names_in_cpp_snippets_exist_in_the_sources(snippet: Snippet) -> None:
    """The snippets are parts of scenarios compiled as a whole: tests/scenarios/, templates."""
    text = re.sub(r'//.*|"[^"]*"', "", snippet.text)
    found = {name for name in re.findall(r"\b[A-Z]\w+", text) if not NOT_OURS.fullmatch(name)}
    scenarios = " ".join(path.read_text() for path in (ROOT / "tests/scenarios").glob("*.cc"))
    known = words() | set(re.findall(r"\w+", scenarios))
    assert found <= known, f"{snippet.page}:{snippet.line}: {sorted(found - known)}"
