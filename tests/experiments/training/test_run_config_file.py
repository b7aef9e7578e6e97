# SPDX-License-Identifier: GPL-2.0-only
"""Run configurations from YAML and flags."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from defiance_zoo import CurveKeys
from defiance_zoo.errors import ParameterError, UnknownEnvironment
from defiance_zoo.experiments.training import Evaluation, RunConfig
from defiance_zoo.experiments.training.configuration import Teacher
from defiance_zoo.experiments.training.run_config_file import (
    build_config,
    check_environment,
    check_names,
    to_yaml,
)
from defiance_zoo.experiments.workbench.descriptions import merge, read_yaml


def test_a_mapping_may_extend_another_one(tmp_path: Path) -> None:
    path = tmp_path / "any.yaml"
    path.write_text("first: &first {a: 1, b: 2}\nsecond: {<<: *first, b: 3}\n")
    assert read_yaml(path)["second"] == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "'env' is missing"),
        ({"algoritm": "PPO"}, "unknown key 'algoritm'; did you mean 'algorithm'?"),
        ({"evaluation": {"evry": 3}}, "unknown key 'evaluation.evry'; did you mean 'every'?"),
        ({"library": "sb4"}, "library='sb4'.*did you mean 'sb3'?"),
        ({"policies": "share"}, "policies='share'.*did you mean 'shared'?"),
        ({"policies": {"agent_0": 1}}, "policies.agent_0=1"),
        ({"steps": "many"}, "steps='many': input should be a valid integer"),
        ({"steps": True}, "steps=True"),
        ({"steps": 0.5}, "steps=0.5"),
        ({"steps": 0}, "steps=0: a run without a teacher needs at least 1 step"),
        ({"seed": -1}, "seed=-1"),
        ({"normalize": "yes"}, "normalize='yes'"),
        ({"parameters": ["udp"]}, "parameters="),
    ],
)
def test_unknown_or_ill_typed_keys_are_refused(values: dict[str, Any], message: str) -> None:
    given = values if "env" in message else {"env": "cart_pole_v0", **values}
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")) as caught:
        build_config(given)
    assert "\n" not in str(caught.value)


def test_unknown_keys_in_python_name_the_nearest_key() -> None:
    """Also in sections that are dicts."""
    with pytest.raises(ValidationError, match=r"did you mean 'steps'\?"):
        RunConfig(env="cart_pole_v0", step=5)  # type: ignore[call-arg] # the point
    with pytest.raises(ValidationError, match=r"; there are\n  algorithm, "):
        RunConfig(env="cart_pole_v0", wings=5)  # type: ignore[call-arg] # the point
    with pytest.raises(ValidationError, match=r"(?s)evaluation\.episode.*mean 'episodes'"):
        RunConfig(env="cart_pole_v0", evaluation={"episode": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("library", "algorithm", "remedy"),
    [
        ("sb3", "PPO", "use algorithm='MaskablePPO' with library='sb3' or algorithm='IPPO'"),
        ("rllib", "DQN", "use algorithm='PPO' with library='rllib' or algorithm='IPPO' with"),
        ("sb3", "MaskablePPO", ""),
        ("benchmarl", "QMIX", ""),
        ("rllib", "PPO", ""),
    ],
)
def test_masked_environments_need_algorithms_that_use_masks(
    library: str, algorithm: str, remedy: str
) -> None:
    config = RunConfig(env="partition_v0", library=library, algorithm=algorithm)
    refusal = pytest.raises(ParameterError, match=remedy) if remedy else nullcontext()
    with refusal:
        check_names(config)
    check_names(config.model_copy(update={"parameters": {"illegal_actions": "keep"}}))


def test_all_problems_are_reported_together() -> None:
    with pytest.raises(ParameterError) as caught:
        build_config({"envi": "x", "steps": "many"})
    for part in ("'env' is missing", "'envi'; did you mean 'env'", "steps='many'"):
        assert part in str(caught.value)


def test_a_file_and_flags_are_merged_key_by_key(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(
        "env: cart_pole_v0\n"
        "steps: 1e5\n"
        "parameters: {transport: udp, delay: 5ms}\n"
        "hyperparameters: {learning_rate: 1e-3, net_arch: [64, 64]}\n"
        "evaluation: {every: 1000, episodes: 3}\n"
    )
    flags = {"parameters": {"delay": "20ms"}, "evaluation": {"episodes": 5}, "seed": 7}
    config = build_config(merge(read_yaml(file), flags))
    assert config.steps == 100_000
    assert config.parameters == {"transport": "udp", "delay": "20ms"}
    assert config.hyperparameters == {"learning_rate": 0.001, "net_arch": [64, 64]}
    assert (config.evaluation.every, config.evaluation.episodes, config.seed) == (1000, 5, 7)


def test_a_written_configuration_reads_the_same(tmp_path: Path) -> None:
    config = RunConfig(
        env="cart_pole_v0",
        policies={"agent_.*": "one"},
        hyperparameters={"learning_rate": 3e-5, "schedule": [[0, 1e-300], [10, -2.5e20]]},
    )
    file = tmp_path / "config.yaml"
    file.write_text(to_yaml(config))
    assert build_config(read_yaml(file)) == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("env: [", "is not YAML"),
        ("- cart_pole_v0", "does not consist of keys and values"),
        ("", "does not consist of keys and values"),
        ("seed: 1\nenv: cart_pole_v0\nseed: 2", "'seed' stands here twice"),
        ("env: !!python/object/apply:os.getcwd []", "is not YAML"),
        ("env: cart_pole_v0\nsteps: 18446744073709551616", "more than 64 bits"),
    ],
)
def test_files_without_a_run_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(ParameterError, match=message) as caught:
        read_yaml(file)
    assert "\n" not in str(caught.value)


def test_each_key_is_in_the_pages_about_training() -> None:
    folder = Path(__file__).resolve().parents[3] / "docs" / "training"
    page, imitation = ((folder / f"{name}.md").read_text() for name in ("training", "imitation"))
    for name in {*RunConfig.model_fields} - {"evaluation"}:
        assert f"\n| `{name}` | " in page
    for name in Teacher.model_fields:
        assert f"\n| `{name}` | " in imitation
    for name in Evaluation.model_fields:
        assert f"\n| `evaluation.{name}` | " in page


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="No such file"):
        read_yaml(tmp_path / "run.yaml")


def test_values_that_yaml_cannot_hold_are_refused() -> None:
    config = RunConfig(env="cart_pole_v0", parameters={"curve": CurveKeys.generate()})
    with pytest.raises(ParameterError, match=r"parameters\.curve: a CurveKeys cannot be written"):
        to_yaml(config)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"transprt": "udp"}, "did you mean 'transport'"),
        ({"transport": "udq"}, "did you mean 'udp'"),
        ({"delay": "20xs"}, "is not of type time"),
        ({"loss": 2}, "is not within"),
        ({"max_cycles": 0}, "not a positive integer"),
    ],
)
def test_parameters_are_checked_against_the_scenario(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        check_environment(RunConfig(env="cart_pole_v0", parameters=parameters))


def test_the_environment_must_exist() -> None:
    with pytest.raises(UnknownEnvironment, match="did you mean 'cart_pole_v0'"):
        check_environment(RunConfig(env="cart_pol_v0"))
