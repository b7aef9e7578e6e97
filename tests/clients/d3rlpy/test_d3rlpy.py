# SPDX-License-Identifier: GPL-2.0-only
"""d3rlpy learns from a dataset that `defiance-zoo` made in another Python environment.

The program is the one of docs/training/clients.md.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
from pathlib import Path

import minari
import pytest
from client_page import PAGE, run_program
from d3rlpy.datasets import get_minari


def test_a_minari_dataset_can_be_learned_from_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    monkeypatch.setenv("PYTHONPATH", str(PAGE.parents[2]))
    commands = [line for line in PAGE.read_text().splitlines() if line.startswith("defiance-zoo ")]
    assert len(commands) == 2
    for command in commands:
        words = [os.environ["ZOO_PYTHON"], "-m", "defiance_zoo", *command.split()[1:]]
        subprocess.run(words, check=True)
    names = run_program("Offline learning", 1)
    data = minari.load_dataset("carts/uniform-v0")
    assert sum(len(each.actions) for each in names["episodes"]) == data.total_steps
    assert set(names["learner"].predict(data[0].observations)) <= {0, 1}
    with pytest.raises(ValueError, match="env_spec is None"):
        get_minari("carts/uniform-v0")


def test_d3rlpy_requires_a_gymnasium_version_that_the_zoo_refuses() -> None:
    assert "gymnasium ==1.0.0" in (importlib.metadata.requires("d3rlpy") or ())
