# SPDX-License-Identifier: GPL-2.0-only
"""Times and data rates without a unit: the warning says how they are read."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import defiance_zoo
from defiance_zoo.errors import MissingUnitWarning, ParameterError

SCENARIO = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("units", duration="1s")
TIMEOUT = sc.Time("3")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate="5000", delay={delay})
    observer = sc.Observation(a)
    agent = sc.Agent(b, sc.Box(0, 1, (1,)), sc.Discrete(2))

    @observer.every({interval})
    def observe():
        return [0]

    sc.connect(observer, agent)


if __name__ == "__main__":
    sim.main()
"""


@pytest.mark.parametrize("delay", [0.02, "0.02", np.float32(0.5), defiance_zoo.Uniform(1, "2s")])
def test_a_parameter_without_a_unit_is_warned_of_at_the_line_of_the_call(delay: Any) -> None:
    with pytest.warns(MissingUnitWarning, match=r"delay=[\d.]+ was read as [\d.]+ s") as given:
        defiance_zoo.make("cart_pole_v0", delay=delay).close()
    assert [each.filename for each in given] == [__file__]


def test_a_vector_warns_once() -> None:
    with pytest.warns(MissingUnitWarning) as given:
        defiance_zoo.make_vec("cart_pole_v0", 2, delay="0.02").close()
    assert [str(each.message) for each in given] == [
        "delay=0.02 was read as 0.02 s: write 0.02s or 0.02ms"
    ]


def test_data_rates_are_in_bits_per_second() -> None:
    with pytest.warns(MissingUnitWarning, match="rate=1000000 was read as 1000000 bit/s: write"):
        defiance_zoo.make("tcp_congestion_v0", bottleneck_rate=1_000_000).close()


@pytest.mark.parametrize("delay", [0, "0", "0.0", "5ms", {"agent_0": "1ms"}])
def test_values_with_a_unit_and_zero_need_no_warning(delay: Any) -> None:
    """A warning would be an error."""
    with contextlib.suppress(ParameterError):  # the delay of carts is no value of each agent
        defiance_zoo.make("cart_pole_v0", delay=delay).close()


def test_refused_values_are_not_warned_of() -> None:
    with pytest.raises(ParameterError, match="not within"):
        defiance_zoo.make("cart_pole_v0", delay=-1)


def _play(folder: Path, delay: str, interval: str) -> list[str]:
    """Play two episodes of a scenario; return the warnings of missing units."""
    file = folder / "units.py"
    file.write_text(SCENARIO.format(delay=delay, interval=interval))
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with contextlib.closing(defiance_zoo.make(str(file), api="gymnasium")) as env:
            env.reset(seed=1)
            env.reset(seed=2)
    return [str(each.message) for each in given if each.category is MissingUnitWarning]


def test_texts_without_a_unit_in_a_scenario_are_warned_of_once_with_their_line(
    tmp_path: Path,
) -> None:
    found = _play(tmp_path, '"0.001"', '"0.1"')
    words = ["3 was read as 3 s", "5000 was read as 5000 bit/s", "0.001 was", "0.1 was read"]
    assert [word in text for word, text in zip(words, found, strict=True)] == [True] * 4
    places = [(each.splitlines()[1].strip()) for each in found]
    lines = [5, 11, 11, 15]
    file = tmp_path / "units.py"
    for place, line in zip(places, lines, strict=True):
        assert place.startswith(f'File "{file}", line {line}, in ')


def test_numbers_of_seconds_in_a_scenario_are_documented(tmp_path: Path) -> None:
    found = _play(tmp_path, "0.001", "0.1")
    assert [each.split(": ", 2)[-1].split(" was")[0] for each in found] == ["3", "5000"]
