# SPDX-License-Identifier: GPL-2.0-only
"""The display of progress at a terminal and in a notebook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command_calls import at_terminal
from jupyter_client.manager import run_kernel

EPISODES = ("random", "cart_pole_v0", "--episodes", 3, "-p", "duration=200ms")


def test_a_bar_is_shown_until_the_result_is_printed() -> None:
    printed, shown = at_terminal(*EPISODES)
    assert re.search(r"0:00:00 ━+ playing cart_pole_v0", shown)
    assert re.search(r"━ 3/3 episodes of random actions +0:00:00 left", shown)
    assert printed.startswith("seed ")
    assert "━" not in printed


def test_the_doctor_shows_that_it_works() -> None:
    printed, shown = at_terminal("doctor")
    assert "starting each environment" in shown
    assert printed.startswith("Needed for everything")


def test_quiet_commands_show_nothing() -> None:
    printed, shown = at_terminal("info", "cart_pole_v0", "--quiet")
    assert "cart_pole_v0" in printed
    assert shown == ""


NOTEBOOK = """
from pathlib import Path
from defiance_zoo.experiments.training import RunConfig, train
run = RunConfig(
    env="cart_pole_v0",
    parameters={"duration": "200ms"},
    hyperparameters={"n_steps": 32, "batch_size": 32},
    steps=64,
)
train(run, Path("run"), **MORE)
"""


@pytest.mark.long
def test_notebooks_show_the_progress_of_a_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another callback replaces the display."""
    monkeypatch.chdir(tmp_path)
    outputs: list[tuple[str, dict[str, Any]]] = []

    def keep(message: dict[str, Any]) -> None:
        outputs.append((message["msg_type"], message["content"]))

    with run_kernel() as client:
        for more in ("{}", "{'report': lambda event: None, 'overwrite': True}"):
            outputs.append(("cell", {}))
            code = NOTEBOOK.replace("MORE", more)
            reply = client.execute_interactive(code, timeout=300, output_hook=keep)
            assert reply["content"]["status"] == "ok"
    _, first, second = "\n".join(
        "|" if kind == "cell" else str(content.get("data") or content.get("text"))
        for kind, content in outputs
    ).split("|\n")
    assert "training in run: 0 of 64 decisions" in first
    assert re.search(r'<progress value="\d+" max="64"></progress> \d+/64 decisions', first)
    assert "trained: mean return" in first
    assert "<progress" not in second
