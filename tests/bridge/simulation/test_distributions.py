# SPDX-License-Identifier: GPL-2.0-only
"""A parameter given as a distribution is drawn for each episode from the episode's seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import defiance_zoo
from defiance_zoo import Choice, LogUniform, Traces, Uniform, errors
from defiance_zoo.bridge.simulation import RngState
from defiance_zoo.bridge.simulation.distributions import (
    read_distribution,
    read_distributions,
    write_distribution,
)
from defiance_zoo.bridge.simulation.parameters import Parameter, ParameterType
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.training.provenance import versions

DELAY = {"transport": "simple", "delay": Uniform("1ms", "9ms")}
SPEC = lookup("cart_pole_v0")
SCENARIO = SPEC.scenario

REFUSED: list[tuple[Any, str]] = [
    (Choice([1, 0]), r"carts=0 is not within \[1, 1000\]"),
    (Uniform(1, 2000), "carts=2000 is not within"),
    (Uniform(5, 2), "carts: no value lies from 5 to 2"),
    ({"uniform": [1, 2, 3]}, r"uniform takes two numbers, \[low, high\], not \[1, 2, 3\]"),
    ({"uniforn": [1, 2]}, "'uniforn' is not a distribution.*'uniform'"),
    ({"choice": []}, "a choice needs at least one value"),
    (Uniform("few", "many"), "carts='few' is not of type integer"),
]


def _draws(value: Any, name: str, count: int = 400) -> list[Any]:
    parameters = read_distributions({name: value})
    return [SCENARIO.draw(parameters, RngState(7, run))[name] for run in range(count)]


@pytest.mark.parametrize(("value", "words"), REFUSED, ids=str)
def test_invalid_distributions_are_refused_before_anything_starts(value: Any, words: str) -> None:
    with pytest.raises(errors.ParameterError, match=words):
        SPEC.raw_env(carts=value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("delay", LogUniform("0ms", "1s"), "delay: log_uniform must begin above 0, not at '0ms'"),
        ("transport", Uniform("tcp", "udp"), "transport: 'tcp' and 'udp' are not numbers"),
    ],
)
def test_distributions_of_the_wrong_type_are_refused(name: str, value: Any, words: str) -> None:
    with pytest.raises(errors.ParameterError, match=words):
        SPEC.raw_env(**{name: value})


def test_integer_draws_include_both_bounds_equally_often() -> None:
    draws = _draws(Uniform(1, 4), "carts")
    assert all(type(each) is int for each in draws)
    counts = np.bincount(draws, minlength=5)[1:]
    # Chi-squared with three degrees of freedom exceeds 16.3 once in a thousand cases.
    assert ((counts - 100) ** 2 / 100).sum() < 16.3


def test_quantities_with_units_are_drawn_uniformly_or_log_uniformly() -> None:
    times = np.array(_draws(Uniform("10ms", "0.03s"), "delay"))
    assert 0.01 <= times.min() < 0.011
    assert 0.029 < times.max() <= 0.03
    rates = _draws(LogUniform("1kbps", "1Mbps"), "data_rate")
    assert all(type(each) is int and 1e3 <= each <= 1e6 for each in rates)
    below = np.mean(np.array(rates) < 31_623)  # the geometric mean
    assert 0.42 < below < 0.58


def test_draws_of_a_parameter_do_not_depend_on_other_distributions() -> None:
    both = read_distributions({"delay": Uniform("1ms", "9ms"), "loss": Uniform(0, 0.5)})
    rng = RngState(3, 5)
    assert SCENARIO.draw(both, rng)["delay"] == _alone(rng)
    assert _alone(RngState(3, 6)) != _alone(rng)


def _alone(rng: RngState) -> Any:
    return SCENARIO.draw(read_distributions(DELAY), rng)["delay"]


def test_an_episode_is_simulated_with_its_drawn_values() -> None:
    env = SPEC.raw_env(**DELAY)
    try:
        env.reset(seed=3)
        first = env.drawn_parameters["delay"]
        # The first observation has crossed the link.
        sent = env.last()[4]["sim_time_ns"]
        assert sent == pytest.approx(1e9 * first, abs=1)
        env.reset()
        second = env.drawn_parameters["delay"]
        env.reset(seed=3)
        assert env.drawn_parameters == {"delay": first}
        env.reset()
        assert env.drawn_parameters == {"delay": second} != {"delay": first}
        env.reset(options={"delay": "4ms"})
        assert env.drawn_parameters == {}
        assert env.last()[4]["sim_time_ns"] == 4_000_000
        env.reset(options={"delay": Choice(["2ms"])})
        assert env.drawn_parameters == {"delay": "2ms"}
    finally:
        env.close()


def test_snapshots_and_branches_keep_the_drawn_values() -> None:
    env = SPEC.parallel_env(**DELAY)
    try:
        env.reset(seed=1)
        here = env.drawn_parameters
        snapshot = env.snapshot()
        env.reset()
        assert env.drawn_parameters != here
        env.restore(snapshot)
        assert env.drawn_parameters == here
        branch = env.branch()
        assert branch.drawn_parameters == here
        branch.close()
    finally:
        env.close()


def test_each_simulation_of_a_vector_draws_its_own_values() -> None:
    env = SPEC.vector_env(3, **DELAY)
    try:
        env.reset(seed=1)
        drawn = [each["delay"] for each in env.drawn_parameters]
        assert len(set(drawn)) == 3
        env.reset(seed=1)
        assert [each["delay"] for each in env.drawn_parameters] == drawn
    finally:
        env.close()


def test_files_contain_distributions_as_mappings() -> None:
    env = defiance_zoo.make(
        "cart_pole_v0", api="parallel", access={"choice": ["point-to-point", "csma"]}, **_UDP
    )
    try:
        seen = set()
        for seed in range(8):
            env.reset(seed=seed)
            seen.add(env.drawn_parameters["access"])
        assert seen == {"point-to-point", "csma"}
    finally:
        env.close()


_UDP = {"transport": "udp"}


def test_the_description_of_a_run_contains_its_distributions() -> None:
    delay = {"uniform": ["1ms", "9ms"]}
    facts = versions("cart_pole_v0", {"transport": "udp", "delay": delay})
    assert json.loads(json.dumps(facts))["scenario"]["parameters"]["delay"] == delay


def test_integers_beyond_float_precision_are_drawn_and_compared_exactly() -> None:
    odd = 2**53 + 1
    parameter = Parameter("n", ParameterType.INTEGER, "", "1", str(odd), str(odd + 2))
    assert parameter.to_argument(odd) == str(odd)
    for wrong in (odd - 1, odd + 3):
        with pytest.raises(errors.ParameterError, match="is not within"):
            parameter.to_argument(wrong)
    generator = np.random.default_rng(1)
    drawn = {Uniform(odd, odd + 2).draw(generator, parameter) for _ in range(60)}
    assert drawn == {odd, odd + 1, odd + 2}
    logarithmic = {LogUniform(odd, odd + 2).draw(generator, parameter) for _ in range(60)}
    assert logarithmic <= drawn


def test_traces_of_a_folder_are_divided_by_their_names(tmp_path: Path) -> None:
    names = [f"{number}.trace" for number in range(100)]
    for name in [*names, ".hidden"]:
        (tmp_path / name).write_text("10\n")
    (tmp_path / "folder").mkdir()
    parts = {part: Traces(tmp_path, part).values for part in ("training", "held_out")}
    assert sorted(Path(each).name for part in parts.values() for each in part) == sorted(names)
    assert 10 <= len(parts["held_out"]) <= 30
    (tmp_path / "another.trace").write_text("10\n")
    for part, before in parts.items():
        assert set(before) <= set(Traces(tmp_path, part).values)
    written = write_distribution(Traces(tmp_path, "training"))
    assert written == {"traces": [str(tmp_path), "training"]}
    assert read_distribution(written) == Traces(tmp_path, "training")


def test_each_part_of_two_traces_has_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("0 1\n1 2\n")
    assert [len(Traces(tmp_path, part).values) for part in ("training", "held_out")] == [1, 1]


@pytest.mark.parametrize(
    ("folder", "part", "said"),
    [
        ("", "test", r"one of \['training', 'held_out'\], not 2 files in .* and 'test'"),
        ("none", "training", "at least two files .* not 0 files"),
    ],
)
def test_other_folders_and_parts_of_traces_are_refused(
    tmp_path: Path, folder: str, part: str, said: str
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("10\n")
    with pytest.raises(errors.ParameterError, match=said):
        Traces(tmp_path / folder, part)


@pytest.mark.parametrize("folder", [None, 1, ["a"], b"a", "x" * 5000])
def test_a_value_that_names_no_folder_is_refused(folder: Any) -> None:
    with pytest.raises(errors.ParameterError, match=r"at least two files .* not 0 files"):
        read_distribution({"traces": [folder, "training"]})


def test_every_trace_is_read_before_anything_starts(tmp_path: Path) -> None:
    for name, text in (("a", "10\n"), ("b", "ten\n"), ("c", "ten\n")):
        (tmp_path / name).write_text(text)
    spec = lookup("video_streaming_v0")
    with pytest.raises(errors.ParameterError, match=r"trace_file: .*/[bc]: has 'ten' in line 1"):
        spec.parallel_env(trace_file={"traces": [tmp_path, "training"]})
