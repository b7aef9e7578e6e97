# SPDX-License-Identifier: GPL-2.0-only
"""Plants that use their arrays again play as others; those that break the rules are refused."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import odd_plants
import pytest

import defiance_zoo
from defiance_zoo.environments import lookup
from defiance_zoo.environments.testing import play
from defiance_zoo.errors import ParameterError, ScenarioError


def open_plant(plant: Any, **arguments: Any) -> Any:
    return contextlib.closing(
        defiance_zoo.networked(plant, **{"over": "simple", "link": "local", **arguments})
    )


@pytest.mark.parametrize("window", [1, 3])
def test_an_observation_arrives_as_it_was_when_it_was_sent(window: int) -> None:
    episodes = []
    for plant in (odd_plants.Plain, odd_plants.Reusing):
        with open_plant(plant, window=window, delay="30ms") as env:
            observation, _ = env.reset(seed=1)
            seen, ended = [observation], False
            while not ended:
                observation, *_, terminated, truncated, _ = env.step(np.zeros(2, np.float32))
                seen.append(observation)
                ended = terminated or truncated
            episodes.append(seen)
    np.testing.assert_equal(*episodes)


def test_a_sensor_remembers_the_observation_that_it_has_sent() -> None:
    with open_plant(odd_plants.Reusing, send="sensor") as env:
        observations, _ = env.reset(seed=1)
        while env.agents:
            asked = observations["agent_1"]
            count = int(asked["observation"][0])
            assert int(asked["sent"][0]) == max(0, count - 1) // 2 * 2
            actions = {"agent_0": np.zeros(2, np.float32), "agent_1": int(count % 2 == 0)}
            observations, *_ = env.step({name: actions[name] for name in env.agents})


@pytest.mark.parametrize("hold", ["hold", "zero"])
def test_a_plant_that_changes_its_action_gets_the_same_one_again(hold: str) -> None:
    """An action holds for three steps, as its successors arrive later; at first it is neutral."""
    with open_plant(odd_plants.Changing, hold=hold, delay="50ms", decide="clock") as env:
        env.reset(seed=1)
        seen, ended = [], False
        while not ended:
            observation, *_, terminated, truncated, _ = env.step(np.ones(2, np.float32))
            seen.append(observation[0])
            ended = terminated or truncated
    assert set(seen) <= {0.0, 1.0}


def test_plants_get_arguments_and_options_of_their_own() -> None:
    given = {"plant_arguments": {"given": [[]]}, "plant_options": {"given": [[]]}}
    with open_plant(odd_plants.Adding, plants=3, **given) as env:
        for seed in (1, 2):
            observations, _ = env.reset(seed=seed)
            assert [each.tolist() for each in observations.values()] == [[1, 1]] * 3


def test_a_missing_action_is_zero_or_the_nearest_one() -> None:
    with open_plant(odd_plants.Steering, delay="50ms", decide="clock") as env:
        env.reset(seed=1)
        action = {"wheel": 1, "gears": [1, 2, -4]}
        observation, *_ = env.step(action)
        assert observation["wheel"] == 0
        assert observation["gears"].tolist() == [0, 1, -4]


@pytest.mark.parametrize("plant", [odd_plants.Wide, odd_plants.OneValue, odd_plants.FourValues,
                                   odd_plants.NewSpaces, odd_plants.Joining,
                                   odd_plants.Forgetting, odd_plants.Mute,
                                   odd_plants.Blind])  # fmt: skip
@pytest.mark.parametrize("window", [1, 2])
def test_episodes_of_plants_that_break_the_rules_end_with_the_fault(
    plant: Any, window: int
) -> None:
    faults = {
        odd_plants.Wide: "elements that are not of the element type",
        odd_plants.OneValue: r"reset\(\) of the plant returns .* should return 2 values",
        odd_plants.FourValues: r"step\(\) of the plant returns .* should return 5 values",
        odd_plants.NewSpaces: r"was made with the spaces .* and now has",
        odd_plants.Blind: "the plant returns None as the observation of an agent that continues",
        odd_plants.Forgetting: "returns no news of its agent 'member_0'",
        odd_plants.Mute: "the info None, which is not a dict",
        odd_plants.Joining: r"agent 'member_2' of the plant joins after reset\(\)",
    }
    with (
        open_plant(plant, window=window, api="aec") as env,
        pytest.raises(ScenarioError, match=faults[plant]),
    ):
        play(env, 1)


def test_each_copy_of_a_plant_is_closed_when_its_episode_ends(tmp_path: Path) -> None:
    file = tmp_path / "closed.txt"
    arguments = {"file": str(file)}
    with open_plant(odd_plants.Closing, plant_arguments=arguments, api="parallel") as env:
        play(env, 1)
        play(env, 2)
        env.reset(seed=3)
    closed = file.read_text().splitlines()
    assert [closed.count(f"{seed} {odd_plants.STEPS}") for seed in (1, 2)] == [1, 1]
    assert closed.count("3 0") == 1


def test_infos_in_a_dict_have_the_names_of_both_keys() -> None:
    with open_plant(odd_plants.make_counted, plant_infos=True) as env:
        env.reset(seed=1)
        ended = False
        while not ended:
            *_, terminated, truncated, info = env.step(np.zeros(2, np.float32))
            ended = terminated or truncated
    assert (info["plant_episode_r"], info["plant_episode_l"]) == (odd_plants.STEPS,) * 2


def test_members_that_leave_without_an_end_are_truncated() -> None:
    with open_plant(odd_plants.Leaving) as env:
        env.reset(seed=1)
        truncations, steps = [], 0
        while env.agents:
            *_, late, _ = env.step(dict.fromkeys(env.agents, 1))
            steps += 1
            truncations += [(steps, name) for name, each in late.items() if each]
    assert truncations == [(2, "agent_0"), (3, "agent_1"), (4, "agent_2")]


@pytest.mark.parametrize(
    ("plant", "arguments", "message"),
    [
        ("Sequences", {}, "a plant cannot have this space: Sequence(Discrete(3)"),
        ("Numbered", {}, "a plant cannot have this space: 1 is not a text"),
        ("ManyActions", {"over": "udp"}, "an action of 160000 bytes does not fit"),
        ("Nobody", {}, "has the agents []"),
        ("Plain:", {}, "needs one colon, after a module"),
        ("make_vector", {}, "is a vector of environments"),
        ("make_with", {}, "make_with() missing 1 required positional argument: 'size'"),
        ("find_only", {"plants": 2}, "is the same in each call, and cannot be 2 plants"),
        ("Plain", {"over": "udp", "network": "wifi", "standard": "802.11zz"}, "'802.11zz' is not"),
    ],
)
def test_plants_and_networks_that_cannot_be_are_refused(
    plant: str, arguments: dict[str, Any], message: str
) -> None:
    spec = lookup(f"networked:odd_plants:{plant}")
    with pytest.raises(ParameterError, match=re.escape(message)):
        spec.parallel_env(**{"over": "simple", **arguments}).reset(seed=1)
