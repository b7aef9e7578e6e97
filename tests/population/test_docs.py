# SPDX-License-Identifier: GPL-2.0-only
"""The claims of docs/training/populations.md hold."""

from __future__ import annotations

import re
from pathlib import Path

import matrix_games  # noqa: F401 # registers games
import pytest
from pydantic import BaseModel
from test_decisions import names, words

from defiance_zoo.errors import ParameterError
from defiance_zoo.population import SOLVERS, PopulationConfig, read_population_file
from defiance_zoo.population.configuration import BestResponse, Stop

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "training" / "populations.md").read_text()


def test_the_example_is_a_valid_population(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.S)
    (tmp_path / "jamming.yaml").write_text(example)
    config = read_population_file(tmp_path / "jamming.yaml")
    assert config.env == "jamming_v0"
    assert config.generations == 8


def test_a_population_of_an_environment_file_is_refused(tmp_path: Path) -> None:
    """Its folder is not signed, and could name code to run."""
    (tmp_path / "own.yaml").write_text("env: own.py\n")
    with pytest.raises(ParameterError, match="env of a population cannot be a file: register"):
        read_population_file(tmp_path / "own.yaml")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "benchmarks" / "populations").glob("*.yaml")), ids=lambda path: path.stem
)
def test_committed_populations_are_read(path: Path) -> None:
    assert read_population_file(path).env.rpartition(":")[2] in path.stem


def test_the_example_in_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    exec(example, {})
    assert re.match(r"\[0\.5 +0\.33.* +0\.16.*\] ", capsys.readouterr().out)


@pytest.mark.parametrize("model", [PopulationConfig, BestResponse, Stop])
def test_each_key_is_described(model: type[BaseModel]) -> None:
    section = TEXT.partition("## The description of a population")[2].partition("\n## ")[0]
    for name in model.model_fields:
        assert re.search(rf"\b{name}\b", section), name


def test_each_solver_is_described() -> None:
    section = TEXT.partition("## Meta-solvers")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)`", section, re.M) == list(SOLVERS)


def test_components_and_steps_are_where_the_page_says() -> None:
    """Five components, five steps; each name is in the sources, and each path is a file."""
    section = TEXT.partition("## Counterparts of Light-MALib")[2]
    components, steps = section.split("| step | here |")
    assert len(re.findall(r"^\| [A-Z]", components, re.M)) == 5
    assert len(re.findall(r"^\| \d\.", steps, re.M)) == 5
    theirs = {"EnvRunnerGroup", "LearnerGroup", "Algorithm"}  # RLlib's
    known = words() | theirs
    assert len(names(section)) > 25
    assert names(section) - known == set()
    for path in re.findall(r"`((?:population|experiments)/[\w/.]*)`", section):
        assert (ROOT / "defiance_zoo" / path).exists(), path
