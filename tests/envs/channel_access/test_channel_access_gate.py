# SPDX-License-Identifier: GPL-2.0-only
"""Known results of channel_access_v0: exact success rates, and a learned optimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from stable_baselines3 import PPO

from defiance_zoo.envs import channel_access_v0
from defiance_zoo.wrappers.sb3 import make_vec_env

torch.set_num_threads(1)  # more threads only wait for each other

CHANNELS = range(2, 9)
SLOTS = 1000
LEAST_PROBABILITY = 0.001
"""A correct program passes unless its result is less probable."""

Choose = Callable[[int, int], int]
"""A function from the numbers of slot and radio to a channel."""


def successes(choose: Choose, *, episodes: int = 1, **arguments: Any) -> np.ndarray[Any, Any]:
    """Return whether each frame was received, shape (episodes * slots, radios)."""
    env = channel_access_v0.parallel_env(link="local", reward="competitive", **arguments)
    received = []
    for seed in range(episodes):
        env.reset(seed=seed)
        slot = 0
        while env.agents:
            actions = {a: choose(slot, number) for number, a in enumerate(env.agents)}
            _, rewards, *_ = env.step(actions)
            received.append([reward > 0 for reward in rewards.values()])
            slot += 1
    env.close()
    return np.array(received)


def is_within(received: np.ndarray[Any, Any], rate: float) -> bool:
    """Return whether a number of successes is plausible at an exact rate."""
    tested = stats.binomtest(int(received.sum()), received.size, rate)
    return bool(tested.pvalue > LEAST_PROBABILITY)


def by_chance(channels: int) -> Choose:
    draw = np.random.default_rng(channels)
    return lambda _slot, _number: int(draw.integers(channels))


@pytest.mark.parametrize("interferer", ["periodic", "random", "sensing"])
@pytest.mark.parametrize("channels", CHANNELS)
def test_random_play_succeeds_on_all_channels_but_one(channels: int, interferer: str) -> None:
    """(C - 1) / C, for each interferer; a sensing one is silent in the first slot."""
    received = successes(
        by_chance(channels), channels=channels, interferer=interferer, duration=f"{SLOTS}ms"
    )
    assert is_within(received[1:], (channels - 1) / channels)
    assert not is_within(received[1:], (channels - 1) / channels - 0.1)


@pytest.mark.parametrize("channels", CHANNELS)
def test_round_robin_has_its_exact_rate_against_random_and_sensing_interferers(
    channels: int,
) -> None:
    """(C - 1) / C against a random interferer; 1 against one that is a slot behind."""
    given: dict[str, Any] = {"channels": channels, "duration": f"{SLOTS}ms"}
    received = successes(lambda slot, _: slot % channels, interferer="random", **given)
    assert is_within(received, (channels - 1) / channels)
    assert successes(lambda slot, _: slot % channels, interferer="sensing", **given).all()


@pytest.mark.parametrize("channels", CHANNELS)
def test_round_robin_against_a_periodic_interferer_is_all_or_nothing(channels: int) -> None:
    """All slots succeed, or none in the 1 / C of episodes with equal first channels."""
    received = successes(
        lambda slot, _: slot % channels, episodes=30, channels=channels, duration="5ms"
    )
    episodes = received.reshape(30, 5)
    assert (episodes == episodes[:, :1]).all()
    assert is_within(episodes[:, 0], (channels - 1) / channels)


@pytest.mark.parametrize(("radios", "channels"), [(2, 2), (3, 4), (6, 8)])
def test_radios_on_random_channels_have_the_exact_success_rate(radios: int, channels: int) -> None:
    """A frame is received if no other radio is on its channel: (1 - 1 / C)^(K - 1)."""
    received = successes(
        by_chance(channels),
        radios=radios,
        channels=channels,
        interferer="none",
        duration=f"{SLOTS}ms",
    )
    # Radios of one slot depend on each other, slots are independent.
    assert is_within(received[:, 0], (1 - 1 / channels) ** (radios - 1))


def test_radios_in_round_robin_do_not_collide() -> None:
    received = successes(
        lambda slot, number: (slot + number) % 5,
        radios=5,
        channels=5,
        interferer="none",
        duration="50ms",
    )
    assert received.all()


def test_an_interferer_of_low_activity_hits_less() -> None:
    """1 - activity / C."""
    received = successes(by_chance(3), channels=3, activity=0.3, duration="2s")
    assert is_within(received, 1 - 0.3 / 3)


@pytest.mark.long
def test_the_optimum_is_learned() -> None:
    """+1 in each slot against a periodic interferer; the first slot cannot be predicted yet."""
    env = make_vec_env("channel_access_v0", n_envs=4, seed=1)
    model = PPO(
        "MlpPolicy", env, n_steps=64, batch_size=64, gamma=0.0, learning_rate=3e-3, seed=1,
        device="cpu",
    )  # fmt: skip
    model.learn(4000)
    env.close()
    for seed in range(5):
        played = channel_access_v0.parallel_env(link="local")
        observations, _ = played.reset(seed=seed)
        rewards = []
        while played.agents:
            action, _ = model.predict(observations["agent_0"], deterministic=True)
            observations, earned, *_ = played.step({"agent_0": int(action)})
            rewards.append(earned["agent_0"])
        played.close()
        assert len(rewards) == 100
        assert all(reward == 1 for reward in rewards[1:])
