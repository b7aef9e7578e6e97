# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of tunings: keys and ranges, and refused descriptions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tunings import LEARNING_RATE, built, described, space, write

from defiance_zoo.errors import ParameterError, UnknownEnvironment
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.tuning import Range, Space, Tuning, TuningConfig, build_tuning, check
from defiance_zoo.experiments.workbench.descriptions import build_model, model_to_yaml, read_yaml

ROOT = Path(__file__).resolve().parents[3]
FLAG = {"type": "categorical", "choices": [True, False]}


def test_a_small_tuning_passes_all_checks() -> None:
    check(built())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"type": "float", "low": 1, "high": 1}, "low=1 is not below high=1"),
        ({"type": "float", "low": 2, "high": 1}, "low=2 is not below high=1"),
        ({"type": "float", "low": 1}, "float needs low and high"),
        ({"type": "float", "low": float("nan"), "high": 1}, "finite"),
        ({"type": "float", "low": 0, "high": 1, "log": True}, "`low > 0` must hold for `log=True`"),
        (
            {"type": "float", "low": 1, "high": 2, "log": True, "step": 0.5},
            "not supported when `log`",
        ),
        ({"type": "float", "low": 0, "high": 1, "step": 0.3}, "high must be low plus a multiple"),
        ({"type": "float", "low": 0, "high": 1, "step": 0}, "greater than 0"),
        ({"type": "float", "low": 0, "high": 1, "choices": [1, 2]}, "but no choices"),
        ({"type": "int", "low": 1, "high": 2.5}, "whole numbers"),
        ({"type": "categorical", "choices": [1]}, "at least two"),
        ({"type": "categorical", "choices": ["a", "a"]}, "different choices"),
        ({"type": "categorical", "low": 1, "high": 2}, "categorical takes choices"),
        ({"type": "categoricl", "choices": [1, 2]}, "did you mean 'categorical'"),
        ({"type": "float", "lo": 1, "high": 2}, "did you mean 'low'"),
        ({"low": 1, "high": 2}, "type' is missing"),
    ],
)
def test_a_range_without_values_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)) as caught:
        build_tuning(space(hyperparameters={"learning_rate": given}))
    assert "tuning.space.hyperparameters.learning_rate" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Range(type="float", low=0.5, high=2), [0.5, 2.0]),
        (Range(type="int", low=1, high=9, step=4), [1, 9]),
        (Range(type="categorical", choices=["a", [1], {"b": 2}]), ["a", [1], {"b": 2}]),
    ],
)
def test_examples_of_a_range_are_its_bounds_or_choices(given: Range, message: list[Any]) -> None:
    assert given.examples == message
    assert [type(each) for each in given.examples] == [type(each) for each in message]


def test_choices_that_are_collections_are_stored_as_texts() -> None:
    choices = ["a", 1, [64, 64], {"net_arch": [64]}]
    given = Range(type="categorical", choices=choices)
    assert all(isinstance(each, str | int) for each in given.by_label)
    assert list(given.by_label.values()) == choices


def test_values_are_written_to_their_keys_of_the_run() -> None:
    config = built(seed=7)
    run = config.run({"hyperparameters.learning_rate": 0.5, "normalize": True}, seed=9)
    expected = described(seed=9, normalize=True, hyperparameters={"learning_rate": 0.5})
    del expected["tuning"]
    assert run == build_config(expected)
    assert config.run({}).seed == 7


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (space(), "names no key to search"),
        (space(hyperparameters={"learning_rat": LEARNING_RATE}), "did you mean 'learning_rate'"),
        (space(hyperparameters={"n_steps": {"type": "int", "low": 1, "high": 2}}), "n_steps has a"),
        (space(hyperparameters={"seed": {"type": "int", "low": 1, "high": 2}}), "the run sets it"),
        (
            {**space(normalize=FLAG), "normalize": True},
            "normalize has a value, and is in tuning.space",
        ),
        (space(simulations={"type": "int", "low": 0, "high": 4}), "simulations=0"),
        (space(normalize={"type": "categorical", "choices": [True, "yes"]}), "normalize='yes'"),
        (space(algorithm={"type": "categorical", "choices": ["PPO", "PPQ"]}), "mean 'PPO'"),
        (space(algorithm={"type": "categorical", "choices": ["PPO", "A2C"]}), "batch_size"),
        (space(parameters={"los": {"type": "float", "low": 0, "high": 1}}), "did you mean 'loss'"),
        (space(parameters={"loss": {"type": "float", "low": 0, "high": 2}}), "is not within"),
        (
            space(parameters={"delay": {"type": "categorical", "choices": ["1ms", "1xs"]}}),
            "is not of type time",
        ),
        (described(evaluation={"every": None}), r"evaluation\.every is not set"),
        (described(evaluation={"every": 65}), "no trial would be evaluated"),
    ],
)
def test_a_tuning_that_no_trial_can_play_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check(build_tuning(values))


def test_a_description_with_all_keys_is_the_same_tuning() -> None:
    config = build_tuning(space(normalize=FLAG, simulations={"type": "int", "low": 1, "high": 2}))
    written = build_tuning(yaml.safe_load(model_to_yaml(config)))
    check(written)
    assert written == config


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"env": "cart_pole_v0"}, "'tuning' is missing"),
        (space(hyperparameter={"gamma": LEARNING_RATE}), "did you mean 'hyperparameters'"),
        (space(steps={"type": "int", "low": 1, "high": 2}), "unknown key 'tuning.space.steps'"),
        (described(tuning={"pruner": "medium"}), "did you mean 'median'"),
        (described(tuning={"trial": 3}), "did you mean 'trials'"),
    ],
)
def test_unknown_keys_of_a_tuning_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build_tuning(values)


def test_an_unknown_environment_is_refused() -> None:
    with pytest.raises(UnknownEnvironment, match="did you mean 'cart_pole_v0'"):
        check(built(env="cart_pole_v1"))


def test_a_run_with_a_section_tuning_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="defiance-zoo tune"):
        build_config(read_yaml(write(tmp_path, described())))


@pytest.mark.parametrize("model", [Tuning, Space, Range])
def test_each_key_is_in_the_page_about_tuning(model: type[Tuning | Space | Range]) -> None:
    page = (ROOT / "docs" / "training" / "tuning.md").read_text()
    for name in model.model_fields:
        assert f"`{name}`" in page, name


@pytest.mark.parametrize("known", [FLAG, {"type": "float", "low": 0.1, "high": 0.9}])
def test_a_written_description_is_read_again(known: dict[str, Any]) -> None:
    """Otherwise no tuning could be continued."""
    config = build_tuning(space(hyperparameters={"gamma": known}))
    assert build_model(TuningConfig, yaml.safe_load(model_to_yaml(config))) == config
