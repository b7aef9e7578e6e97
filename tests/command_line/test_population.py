# SPDX-License-Identifier: GPL-2.0-only
"""`population train`, `resume` and `show`: from a game's description to its figures."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from command_calls import call, call_for_json, start

from defiance_zoo.population.running.state import read_generations

torch.set_num_threads(1)

CONFIG = """\
env: jamming_v0
parameters: {channels: 2, duration: 1ms}
roles: {transmitter: agent_0, jammer: agent_1}
initial:
  transmitter: [{baseline: constant, options: {action: 0}}]
  jammer: [{baseline: constant, options: {action: 0}}, equalising]
probes: {jammer: [{baseline: constant, options: {action: 1}}]}
best_response:
  library: sb3
  hyperparameters: {n_steps: 8, batch_size: 8, n_epochs: 1}
  simulations: 1
stop: {steps: 8}
generations: 2
episodes: 2
"""


def write(folder: Path, text: str = CONFIG) -> Path:
    path = folder / "jam.yaml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A population that SIGTERM interrupted in its second training."""
    folder = tmp_path_factory.mktemp("populations")
    out = folder / "population"
    # A training that would continue for long.
    file = write(folder, CONFIG.replace("{steps: 8}", "{steps: 1e9}"))
    with start("population", "train", file, "--out", out, "--workers", 2, "--json") as process:
        assert process.stdout is not None
        lines = []
        while not lines or json.loads(lines[-1])["event"] != "iteration":
            lines.append(process.stdout.readline())
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        lines += process.stdout.readlines()
    events = [json.loads(line) for line in lines]
    return {"out": out, "status": process.returncode, "events": events, "children": children}


@pytest.mark.long
def test_sigterm_leaves_no_process_running(interrupted: dict[str, Any]) -> None:
    assert interrupted["status"] == 128 + signal.SIGTERM
    kinds = [each["event"] for each in interrupted["events"]]
    assert kinds[:2] == ["started", "cells"]
    assert kinds[-1] == "interrupted"
    assert interrupted["events"][-1]["generation"] == 0
    assert len(interrupted["children"]) >= 3  # workers and simulations
    assert psutil.wait_procs(interrupted["children"], timeout=10)[1] == []
    assert len(read_generations(interrupted["out"])) == 1


@pytest.mark.long
def test_an_interrupted_population_is_resumed_and_shown(interrupted: dict[str, Any]) -> None:
    out = interrupted["out"]
    description = out / "population.yaml"
    description.write_text(description.read_text().replace("1000000000", "8"))
    events = call_for_json("population", "resume", out, "--generations", 1, "--workers", 0)
    kinds = [each["event"] for each in events]
    assert kinds.count("trained") == 2
    assert kinds[-2:] == ["generation", "finished"]
    assert events[-1]["reason"] == "generations"
    # Three cells were known; a new transmitter plays four jammers, and a new jammer both.
    (cells,) = [each for each in events if each["event"] == "cells"]
    assert (cells["missing"], cells["known"]) == (5, 3)

    known = call_for_json("population", "show", out)
    assert known["generation"] == 1
    names = [each["name"] for each in known["policies"]]
    assert names == [
        "transmitter-constant-0",
        "transmitter-1",
        "jammer-constant-0",
        "jammer-equalising",
        "jammer-1",
    ]
    assert sum(each["probability"] for each in known["policies"]) == pytest.approx(2)
    assert known["matrix"]["means"][0][0] == 0  # both on one channel: the transmitter is jammed
    assert known["figures"]["nash_conv"] >= 0
    status, printed, _ = call("population", "show", out)
    assert status == 0
    for words in ("generation 1 of 1", "transmitter-1", "row earns", "nash_conv"):
        assert words in printed
    assert call("population", "resume", out)[0] == 2


def test_progress_is_printed_for_people(tmp_path: Path) -> None:
    out = tmp_path / "population"
    status, printed, errors = call(
        "population", "train", write(tmp_path), "--out", out, "--generations", 1, "--workers", 0
    )
    assert (status, errors) == (0, "")
    for words in ("1 generations", "trained transmitter-1: 8 decisions", "nash conv", "finished"):
        assert words in printed
    again = call("population", "train", write(tmp_path), "--out", out)
    assert again[0] == 2
    assert "--overwrite" in again[2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("generations: 2", "generation: 2", "unknown key 'generation'; did you mean 'generations'"),
        ("env: jamming_v0", "env: jaming_v0", "did you mean 'jamming_v0'"),
        ("channels: 2", "chanels: 2", "did you mean 'channels'"),
        ("channels: 2", "channels: 99", "channels"),
        ("library: sb3", "library: sb4", "did you mean 'sb3'"),
        ("n_steps: 8", "n_stps: 8", "did you mean 'n_steps'"),
        ("equalising]", "equalizing]", "initial.jammer: .*did you mean 'equalising'"),
        (
            "action: 1}",
            "acton: 1}",
            "probes.jammer: constant: no option 'acton'; did you mean 'action'",
        ),
        ("action: 1}", "action: 2}", r"constant: action=2 is not in Discrete\(2\)"),
        ("jammer: agent_1", "jammer: agent_9", r"agent_1 has no role"),
        ("probes: {jammer", "probes: {jamer", "there is no role 'jamer'; did you mean 'jammer'"),
        ("episodes: 2", "episodes: 0", "episodes=0: input should be greater than 0"),
        ("episodes: 2", "solver: nahs", "did you mean 'nash'"),
        ("episodes: 2", "solver: pfsp\nsolver_options: {powr: 1}", "did you mean 'power'"),
        ("episodes: 2", "method: legue", "did you mean 'league'"),
        ("episodes: 2", "nash_conv: -1", "nash_conv=-1"),
        ("{steps: 8}", "{steps: 8, win_rate: 2}", "stop.win_rate=2: .*less than or equal to 1"),
        ("  simulations: 1", "  initialisation: pretrained", "has no run for the role"),
        ("  simulations: 1", "  pretrained: {jammer: x}", "is for initialisation='pretrained'"),
    ],
)
def test_typos_are_reported_before_anything_starts(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    assert old in CONFIG
    out = tmp_path / "population"
    file = write(tmp_path, CONFIG.replace(old, new))
    status, _, errors = call("population", "train", file, "--out", out)
    assert status == 2, errors
    assert re.search(words, " ".join(errors.split())), errors
    assert not out.exists()


def test_folders_without_a_population_are_refused(tmp_path: Path) -> None:
    assert call("population", "show", tmp_path)[0] == 2
    assert call("population", "resume", tmp_path)[0] == 2
    (tmp_path / "mine").write_text("")
    status, _, errors = call("population", "train", write(tmp_path), "--out", tmp_path)
    assert status == 2
    assert "not a population" in errors
