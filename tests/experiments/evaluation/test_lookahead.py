# SPDX-License-Identifier: GPL-2.0-only
"""Lookahead in copies of the running network, with real simulations."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from conftest import resources, simulations

from defiance_zoo.environments import PolicyMaker, SimulationAECEnv, lookup
from defiance_zoo.errors import ParameterError, SimulationCrashed
from defiance_zoo.experiments.evaluation import (
    Lookahead,
    LookaheadOptions,
    NamedPolicy,
    PlayedEpisode,
    cheap_policies,
    open_env,
    play,
    policy_makers,
    read_named,
    try_each,
)
from defiance_zoo.experiments.evaluation.constant import ConstantOptions, make_constant
from defiance_zoo.recording import find_episodes, read_episode

SPEC = lookup("cart_pole_v0")
CELLS = lookup("cell_power_v0")


def played(
    options: dict[str, Any], seed: int = 5, episodes: int = 1, **parameters: Any
) -> list[PlayedEpisode]:
    with contextlib.closing(open_env(SPEC, parameters)) as env:
        policy = NamedPolicy("lookahead", options).make(SPEC, env, seed)
        return list(play(env, policy, episodes=episodes, seed=seed))


def outcome(episode: PlayedEpisode) -> tuple[Any, ...]:
    return episode.seed, episode.returns, episode.decisions, episode.sim_time_s


@pytest.mark.long
def test_lookahead_balances_and_is_reproducible() -> None:
    """Pushes are rated by how long the pole stays up when repeated; random play holds it 0.5 s."""
    (first,) = played({"horizon": 10}, duration="1500ms")
    before = resources()
    (second,) = played({"horizon": 10}, duration="1500ms")
    assert first.returns == {"agent_0": 75.0}
    assert outcome(second) == outcome(first)
    assert resources() == before
    assert simulations() == []


@pytest.mark.thorough
def test_lookahead_with_defaults_balances_for_the_whole_episode() -> None:
    assert [each.mean_return for each in played({}, episodes=2)] == [500.0, 500.0]


def test_trials_are_not_recorded(tmp_path: Path) -> None:
    arguments = {"duration": "100ms", "record": tmp_path}
    (episode,) = played({"horizon": 3}, **arguments)
    (recording,) = map(read_episode, find_episodes(tmp_path))
    assert recording.path == tmp_path / "cart_pole_v0-000001"
    assert recording.header.notes == ()
    assert len(recording.recording().decisions) == episode.decisions > 1


def test_lookahead_takes_messages_in_flight_into_account() -> None:
    """With 50 ms each way, a policy that reacts to observations fails immediately."""
    arguments = {"transport": "udp", "delay": "50ms", "duration": "2s"}
    with contextlib.closing(open_env(SPEC, arguments)) as env:
        (reactive,) = play(env, NamedPolicy("pole").make(SPEC, env, 5), episodes=1, seed=5)
    (ahead,) = played({"horizon": 20}, **arguments)
    assert reactive.mean_return < 50
    assert ahead.mean_return > 2 * reactive.mean_return


def test_ties_are_decided_by_the_continuing_policy() -> None:
    """With a horizon of one decision no pole falls, so the continuing policy decides everything."""
    options = {"horizon": 1, "then": "state_feedback"}
    (ahead,) = played(options, duration="1s")
    with contextlib.closing(open_env(SPEC, {"duration": "1s"})) as env:
        base = NamedPolicy("state_feedback").make(SPEC, env, 5)
        (alone,) = play(env, base, episodes=1, seed=5)
    assert outcome(ahead) == outcome(alone)


def test_lookahead_decides_for_several_agents() -> None:
    (found,) = played({"horizon": 8}, carts=2, duration="800ms")
    assert found.returns == {"agent_0": 40.0, "agent_1": 40.0}


@pytest.mark.long
def test_lookahead_counts_its_own_rewards_up_to_a_time() -> None:
    """Eight samples of 20 ms are 160 ms: the rewards of others do not depend on this agent."""
    arguments = {"carts": 2, "duration": "400ms"}
    (by_count,) = played({"horizon": 8, "rewards": "own"}, **arguments)
    (by_time,) = played({"time_s": 0.16, "rewards": "own"}, **arguments)
    assert outcome(by_count) == outcome(by_time)


def test_a_central_agent_may_look_ahead() -> None:
    class Watched(Lookahead):
        taken: ClassVar[list[tuple[int, int]]] = []

        def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
            action = super().act(agent, observation, info)
            self.taken.append((int(info["sim_time_ns"]), int(action)))
            return action

    with contextlib.closing(open_env(SPEC, {"carts": 3, "duration": "200ms"})) as env:
        policy = Watched(env, 1, LookaheadOptions(horizon=4, agents="same"))
        list(play(env, policy, episodes=1, seed=1))
    assert len(policy.taken) == 30
    assert len(set(policy.taken)) == 10


def test_trials_do_not_change_the_environment() -> None:
    def fall(env: SimulationAECEnv, push: int) -> tuple[int, float]:
        steps = 0
        while env.agents:
            _, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else push)
            steps += 1
        return steps, float(env.observe("agent_0")[2])

    with contextlib.closing(open_env(SPEC, {"transport": "udp"})) as env:
        env.reset(seed=3)
        env.step(1)
        before, time_ns = np.array(env.observe("agent_0")), env.sim_time_ns
        (left, lean_left), (_, lean_right), again = try_each(env, (0, 1, 0), fall)
        assert again == (left, lean_left)
        assert lean_left > 0 > lean_right
        assert (env.sim_time_ns, env.agents) == (time_ns, ["agent_0"])
        assert np.array_equal(env.observe("agent_0"), before)
        assert len(simulations()) == 1
        env.step(0)


def test_an_error_in_a_copy_is_raised_and_leaves_nothing_behind() -> None:
    def kill(env: SimulationAECEnv, number: int) -> None:
        for process in simulations()[1:]:
            process.kill()
        env.step(number)

    with contextlib.closing(open_env(SPEC, {})) as env:
        env.reset(seed=3)
        with pytest.raises(SimulationCrashed):
            try_each(env, (0, 1), kill)
        assert len(simulations()) == 1
        env.step(0)
        assert env.agents == ["agent_0"]
    assert simulations() == []


def test_lookahead_plays_only_if_it_is_named() -> None:
    assert list(policy_makers(SPEC)) == [
        "random",
        "constant",
        "lookahead",
        "file",
        "trained",
        "pole",
        "state_feedback",
    ]
    assert [each.name for each in cheap_policies(SPEC)] == ["random", "pole", "state_feedback"]


def test_an_action_that_is_kept_for_the_whole_episode_is_the_best_constant() -> None:
    """Constant actions in separate episodes are the other way to find it."""
    powers = dict.fromkeys(("cells", "users_per_cell"), 2) | {"placement": "central", "levels": 3}
    with contextlib.closing(open_env(CELLS, {**powers, "duration": "300ms"})) as env:
        ahead = LookaheadOptions(horizon=100, keep=100, actions=9)
        (found,) = play(env, Lookahead(env, 1, ahead), episodes=1, seed=4)
        options = [ConstantOptions(list(each)) for each in itertools.product(range(3), repeat=2)]
        constants = [play(env, make_constant(env, 1, each), episodes=1, seed=4) for each in options]
        returns = [episode.returns["agent_0"] for (episode,) in constants]
    assert found.returns["agent_0"] == max(returns) > min(returns)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"horzon": 3}, "did you mean 'horizon'"),
        ({"horizon": 0}, "whole number from 1 to"),
        ({"horizon": 2.5}, "whole number from 1 to"),
        ({"actions": 1}, "whole number from 2 to"),
        ({"keep": 0}, "whole number from 1 to"),
        ({"rewards": "mine"}, r"\['all', 'own'\]"),
        ({"agents": "none"}, r"\['each', 'same'\]"),
        ({"time_s": 0}, "above 0"),
        ({"time_s": "1s"}, "above 0"),
        ({"then": "poles"}, "did you mean 'pole'"),
        ({"then": "lookahead"}, "is not known"),
    ],
)
def test_options_are_checked_before_anything_starts(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=rf"lookahead: .*{said}"):
        read_named(SPEC, NamedPolicy("lookahead", options))
    with pytest.raises(ParameterError, match="; there are none"):
        read_named(SPEC, NamedPolicy("pole", options))


def test_an_environment_may_add_policies_that_receive_it() -> None:
    class Clock:
        def __init__(self, env: SimulationAECEnv) -> None:
            self._env = env

        def reset(self) -> None:
            pass

        def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
            return self._env.sim_time_ns // 20_000_000 % 2

    clock = PolicyMaker(lambda env, _seed, _options: Clock(env), __name__)
    spec = replace(SPEC, baselines={"clock": clock})
    with contextlib.closing(open_env(spec, {"duration": "100ms"})) as env:
        (found,) = play(env, NamedPolicy("clock").make(spec, env, 1), episodes=1, seed=1)
    assert found.decisions == 5
