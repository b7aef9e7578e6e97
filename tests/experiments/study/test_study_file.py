# SPDX-License-Identifier: GPL-2.0-only
"""The description of a study, and its cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from studies import ROOT, read, write

from defiance_zoo.errors import ParameterError, UnknownEnvironment
from defiance_zoo.experiments.study import (
    PlotConfig,
    PolicyConfig,
    StudyConfig,
    read_study,
    run_study,
    summary,
)
from defiance_zoo.experiments.study.cells import plan


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gird": {}}, "unknown key 'gird'; did you mean 'grid'?"),
        ({"policies": {"a": {"basline": "random"}}}, "'policies.a.basline'; did you mean 'baseli"),
        ({"policies": {"a": {"train": {"stebs": 3}}}}, "'policies.a.train.stebs'.*'steps'"),
        ({"policies": {"a": {"train": {"steps": 0}}}}, "policies.a.train.steps=0"),
        ({"policies": {"a": {}}}, "policies.a has none of baseline, run and train"),
        ({"policies": {"a": {"run": "x", "baseline": "random"}}}, "has baseline and run of"),
        ({"policies": {"a": {"baseline": "state_feedbak"}}}, "did you mean 'state_feedback'"),
        (
            {"policies": {"a": {"baseline": "random", "per_deployment": True}}},
            "is for trained policies",
        ),
        (
            {"policies": {"a": {"baseline": "lookahead", "options": {"horizn": 3}}}},
            "policies.a.options: lookahead: .*did you mean 'horizon'",
        ),
        (
            {"deployments": {"a": {"delay": "1ms"}}},
            "delay is both in deployments.a and in the grid",
        ),
        (
            {"measures": {"return": {"info": "x"}}},
            "measures.return: the tables already have a column",
        ),
        ({"measures": {"x": {"info": "x", "time": "first"}}}, "measures.x.time"),
        ({"measure": "retrn"}, "measure='retrn'.*did you mean 'return'"),
        ({"policies": {"a": {"run": "x", "options": {"horizon": 3}}}}, "are for baselines"),
        ({"policies": {"a": {"train": {"env": "other_v0"}}}}, "is trained in other_v0"),
        ({"policies": {"a": {"train": "missing.yaml"}}}, "missing.yaml cannot be read"),
        ({"policies": {}}, "policies={}"),
        ({"grid": {"policy": ["a"]}}, "grid.policy: the tables already have a column"),
        ({"grid": {"duration": ["1s"]}}, "duration is both in parameters and in the grid"),
        ({"grid": {"carts": [1, 1]}}, "grid.carts has 1 twice"),
        ({"grid": {"carts": [[1]]}}, r"grid.carts=\[1\] is not a number"),
        ({"grid": {"carts": []}}, "grid.carts="),
        ({"exclude": [{"dely": "0ms"}]}, "exclude='dely' is not known; did you mean 'delay'"),
        ({"exclude": [{"delay": "31ms"}]}, "delay has no '31ms'; did you mean '30ms'"),
        ({"exclude": [{"policy": ["feedback", "chance"]}]}, "leave no cell"),
        ({"plots": [{"x": "dely"}]}, "plots.x='dely' is not known; did you mean 'delay'"),
        ({"plots": [{"x": "delay", "y": "retrn"}]}, "plots.y='retrn'.*did you mean 'return'"),
        ({"plots": [{"x": "bytes_per_s", "lines": "bytes"}]}, "plots.lines='bytes' is not known"),
        ({"plots": [{"x": "delay", "lines": "delay"}]}, "delay is in two of"),
        ({"labels": {"dealy": "Delay (s)"}}, "labels='dealy' is not known"),
        ({"plots": [{"x": "delay", "where": {"transport": "tcp"}}]}, "transport has no 'tcp'"),
        ({"episodes": 0}, "episodes=0"),
    ],
)
def test_invalid_studies_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        plan(read(tmp_path, **changes))


def test_the_environment_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownEnvironment, match="did you mean 'cart_pole_v0'"):
        read(tmp_path, env="cart_pol_v0")


def test_cells_are_the_product_without_excluded_ones(tmp_path: Path) -> None:
    study = read(
        tmp_path,
        policies={
            "feedback": {"baseline": "state_feedback"},
            "chance": {"baseline": "random", "only": {"delay": "0ms"}},
        },
        grid={"carts": [1, 2], "delay": ["0ms", "5ms"]},
        exclude=[{"policy": "chance", "carts": 2}, {"carts": 1, "delay": "5ms"}],
    )
    assert [list(cell.place.values()) for cell in plan(study)] == [
        ["feedback", 1, "0ms"],
        ["feedback", 2, "0ms"],
        ["feedback", 2, "5ms"],
        ["chance", 1, "0ms"],
    ]
    counted = summary(study, tmp_path / "out")
    assert counted == {"cells": 4, "episodes": 8, "finished": 0, "trainings": 0}


def test_the_key_of_a_cell_depends_only_on_what_determines_it(tmp_path: Path) -> None:
    def keys(**changes: Any) -> list[str]:
        return [cell.key for cell in plan(read(tmp_path, **changes))]

    first = keys()
    assert len(set(first)) == 8
    for same in ({"plots": [{"x": "delay"}]}, {"ray_address": "auto"}):
        assert keys(**same) == first
    for other in ({"episodes": 3}, {"seed": 7}, {"parameters": {"duration": "1s"}}):
        assert not {*keys(**other)} & {*first}
    policies = {"other name": {"baseline": "state_feedback"}}
    assert keys(policies=policies) == first[:4]


def test_runs_are_trained_once_or_in_each_deployment(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("algorithm: A2C\nparameters: {carts: 1}\n")
    policies = {
        "once": {"train": "run.yaml"},
        "each": {"train": {"parameters": {"loss": 0.5}}, "per_deployment": True},
    }
    cells = plan(read(tmp_path, policies=policies, grid={"delay": ["0ms", "5ms"]}))
    once, again, each, other = [cell.training for cell in cells]
    assert once is not None
    assert once == again
    assert (once.config.env, once.config.algorithm) == ("cart_pole_v0", "A2C")
    assert each is not None
    assert other is not None
    assert each.key != other.key
    assert other.config.parameters == {"loss": 0.5, "duration": "400ms", "delay": "5ms"}


def test_an_unknown_parameter_is_reported_once(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as caught:
        run_study(read(tmp_path, grid={"dely": ["0ms", "5ms"]}), tmp_path / "out")
    assert str(caught.value).count("dely") == 1
    assert "combinations" not in str(caught.value)


def test_the_folder_of_a_run_is_refused_before_deployments_are_tried(tmp_path: Path) -> None:
    out, reported = tmp_path / "run", list[dict[str, Any]]()
    out.mkdir()
    (out / "config.yaml").touch()
    with pytest.raises(ParameterError, match="not a study"):
        run_study(read(tmp_path), out, report=reported.append)
    assert "checked" not in {each["event"] for each in reported}


@pytest.mark.parametrize(
    ("changes", "messages"),
    [
        ({"grid": {"dely": ["0ms"]}}, ["argument 'dely'", "did you mean 'delay'"]),
        ({"grid": {"loss": [0, 2]}}, ["loss=2: loss=2 is not within"]),
        (
            {"grid": {"placement": ["local", "remote"], "delay": ["0ms", "5ms"]}},
            [
                "1 of the combinations are not possible",
                "placement=local, delay=5ms: placement=local has no acc",
            ],
        ),
    ],
)
def test_parameters_that_the_scenario_refuses_are_reported_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], messages: list[str]
) -> None:
    with pytest.raises(ParameterError) as caught:
        run_study(read(tmp_path, **changes), tmp_path / "out")
    for message in messages:
        assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grid": {"dely": ["0ms"]}}, "did you mean 'delay'"),
        ({"grid": {"loss": [0, 2]}}, "loss=2: loss=2 is not within"),
        ({"policies": {"p": {"train": {"hyperparameters": {"gama": 1}}}}}, "mean 'gamma'"),
    ],
)
def test_a_dry_run_prints_axes_and_hyperparameters(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        summary(read(tmp_path, **changes), tmp_path / "out")


def test_a_policy_that_does_not_fit_a_deployment_is_refused(tmp_path: Path) -> None:
    policies = {"wide": {"train": {"parameters": {"placement": "central", "carts": 3}}}}
    grid = {"placement": ["central"], "carts": [2, 3]}
    with pytest.raises(
        ParameterError, match=r"1 of .*\n.*carts=2: agent_0 has .*float32\[8\].*trained"
    ):
        run_study(read(tmp_path, policies=policies, grid=grid), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_contents_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path)
    with pytest.raises(ParameterError, match="not empty, and not a study"):
        run_study(read_study(file), tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_each_key_is_in_the_page_about_studies() -> None:
    page = (ROOT / "docs" / "training" / "studies.md").read_text()
    for model in (StudyConfig, PolicyConfig, PlotConfig):
        for name in model.model_fields:
            assert f"\n| `{name}` | " in page
