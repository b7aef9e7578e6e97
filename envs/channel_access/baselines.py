# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison.

Each radio has a number: its agent's number, or its index with a central agent. If all radios would
choose the same channel, each adds its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.radio import SIGNAL_LEVEL
from defiance_zoo.errors import ParameterError

Choose = Callable[[np.ndarray[Any, Any], int, int], int]
"""From energy in each channel, shape (channels,), the slot and the radio's number to a channel."""


class ChannelPolicy:
    """Chooses a channel for each radio by the energy in its last known slot."""

    def __init__(self, env: SimulationAECEnv, choose: Choose) -> None:
        self._env, self._choose = env, choose
        self.reset()

    def reset(self) -> None:
        self._slots: dict[str, int] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        slot = self._slots.get(agent, 0)
        self._slots[agent] = slot + 1
        space, channels = self._env.action_space(agent), int(info["channels"])
        if not isinstance(space, spaces.MultiDiscrete):
            number = int(agent.rpartition("_")[2])
            return self._choose(observation[:channels], slot, number) % channels
        parts = np.reshape(observation, (len(space.nvec), -1))[:, :channels]
        chosen = [self._choose(part, slot, number) for number, part in enumerate(parts)]
        return np.array(chosen, space.dtype) % channels


class SkippingPolicy:
    """Takes the next channel, and skips one after each lost frame.

    A periodic interferer that has met the radio once stays on other channels from then on.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        self._env = env
        self.reset()

    def reset(self) -> None:
        self._channels: dict[str, Any] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        space, channels = self._env.action_space(agent), int(info["channels"])
        if agent in self._channels:
            sent = np.asarray(info["channel"]) >= 0
            lost = sent & (np.asarray(info["success"]) == 0)
            before = self._channels[agent]
            chosen = before + 1 + self._skipped(lost, before, observation, channels)
        elif isinstance(space, spaces.MultiDiscrete):
            chosen = np.arange(len(space.nvec))
        else:
            chosen = np.array(int(agent.rpartition("_")[2]))
        self._channels[agent] = chosen % channels
        return self._channels[agent].astype(space.dtype) if space.shape else int(chosen % channels)

    def _skipped(self, lost: Any, before: Any, observation: Any, channels: int) -> Any:
        """Return the number of channels that each radio skips, an array like `lost`."""
        return lost


class FillingPolicy(SkippingPolicy):
    """Takes the next channel, or after a lost frame the one after the nearest free channel.

    So the radios take the channels that a periodic interferer leaves to them.
    """

    def _skipped(self, lost: Any, before: Any, observation: Any, channels: int) -> Any:
        own = np.atleast_1d(before)[:, None]
        used = np.reshape(observation, (len(own), -1))[:, :channels] >= SIGNAL_LEVEL
        np.put_along_axis(used, own, True, axis=1)
        from_own = np.take_along_axis(used, (own + np.arange(channels)) % channels, axis=1)
        return lost * np.reshape(np.argmin(from_own, axis=1), np.shape(lost))


def next_channel(energy: np.ndarray[Any, Any], slot: int, number: int) -> int:
    """Return the next channel (round robin)."""
    return slot + number


def quiet_channel(energy: np.ndarray[Any, Any], slot: int, number: int) -> int:
    """Return the first channel without a signal in the last slot, or else the quietest one."""
    shifted = np.roll(energy, -number)
    quiet = shifted < max(SIGNAL_LEVEL, float(shifted.min()) * 1.001)
    return int(np.argmax(quiet)) + number


def unpredicted_channel(energy: np.ndarray[Any, Any], slot: int, number: int) -> int:
    """Return a channel that a periodic interferer neither uses nor moves to.

    With two channels, it leaves the interferer's current channel.
    """
    if energy.max() < SIGNAL_LEVEL:
        return number
    found = int(np.argmax(energy))
    return found if len(energy) == 2 else found + 2 + number % (len(energy) - 2)


@dataclass(frozen=True)
class FixedOptions:
    """The channel of the policy.

    Attributes:
        channel: Number of the channel of the first radio, from 0 on.
    """

    channel: int = 0

    def __post_init__(self) -> None:
        if type(self.channel) is not int or not 0 <= self.channel < 32:
            raise ParameterError(f"channel={self.channel!r} is not a whole number from 0 to 31")


def _maker(choose: Choose) -> PolicyMaker:
    def make(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> ChannelPolicy:
        return ChannelPolicy(env, choose)

    return PolicyMaker(make, __name__)


def _fixed(env: SimulationAECEnv, _seed: int, options: FixedOptions) -> ChannelPolicy:
    return ChannelPolicy(env, lambda _energy, _slot, number: options.channel + number)


BASELINES = {
    "round_robin": _maker(next_channel),
    "skip_after_loss": PolicyMaker(SkippingPolicy, __name__),
    "fill_gap": PolicyMaker(FillingPolicy, __name__),
    "quiet": _maker(quiet_channel),
    "predict": _maker(unpredicted_channel),
    "fixed": PolicyMaker(_fixed, __name__, FixedOptions),
}
"""The policies, by name."""
