# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison.

Each rule supports every mode: it multiplies window or rate in each monitor interval, returns
numbers of bytes at each TCP call, and drops nothing at a bottleneck.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import NoOptions, SimulationAECEnv
from defiance_zoo.envs.tcp_congestion.flow_state import (
    ABSOLUTE,
    FACTORS,
    HISTORY,
    FlowState,
    Move,
    act_by,
)
from defiance_zoo.errors import ParameterError

Policy = Callable[[Any], Any]
"""A policy: from an observation to an action."""


def aimd_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return additive increase, multiplicative decrease: half on losses, else one more segment.

    With `control="per_ack"`, it equals ns-3's NewReno, packet by packet.
    """
    return _policy(action_space, _aimd, newreno)


def delay_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return a policy that keeps two to four segments in queues, like Vegas."""
    return _policy(action_space, _vegas, vegas)


def bdp_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return the window of one bandwidth-delay product: maximum throughput, minimum delay."""
    return _policy(action_space, _product, _product_per_ack(0))


def bdp_plus_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return the window of one bandwidth-delay product and two segments, which wait in a queue.

    The short queue keeps the bottleneck busy while the round trip time or the throughput vary.
    """
    return _policy(action_space, lambda: _product(_QUEUED), _product_per_ack(_QUEUED))


class BestWindow:
    """Keeps the constant window that earns the most in copies of the network, for all flows.

    The window doubles until it earns less in `_TRIAL_S`, and is then refined to 4 %.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        first = env.possible_agents[0]
        flows = math.prod(env.action_space(first).shape or (1,))
        if math.prod(env.observation_space(first).shape or ()) / flows not in (ABSOLUTE, HISTORY):
            raise ParameterError(
                "best_window needs observation='absolute' or 'history', and no control='per_ack'"
            )
        self._env = env
        self.reset()

    def reset(self) -> None:
        """Forget the window of the last episode."""
        self._window = 0.0
        self._flows: dict[str, Policy] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """See `Policy`.

        Raises:
            SnapshotError: The simulation cannot be copied.
            SimulationError: A simulation failed.
        """
        self._window = self._window or self._search()
        return self._move(self._flows, self._env, agent, observation, self._window)

    def _search(self) -> float:
        earn = functools.cache(self._try)
        window = 2.0
        while earn(2 * window) > earn(window):
            window *= 2
        for exponent in (1 / 2, 1 / 4, 1 / 8, 1 / 16):
            window = max((window * 2.0**each for each in (0, -exponent, exponent)), key=earn)
        return window

    def _try(self, window: float) -> float:
        """Return the rewards of all agents with a window in a copy of the network."""
        flows: dict[str, Policy] = {}
        earned = 0.0
        with contextlib.closing(self._env.branch(record=False)) as trial:
            end_ns = trial.sim_time_ns + _TRIAL_S * 1e9
            while trial.agents:
                agent = trial.agent_selection
                observation, reward, terminated, truncated, info = trial.last()
                earned += float(reward)
                if info["sim_time_ns"] > end_ns:
                    break
                over = terminated or truncated
                trial.step(None if over else self._move(flows, trial, agent, observation, window))
        return earned

    @staticmethod
    def _move(
        flows: dict[str, Policy], env: SimulationAECEnv, agent: str, observation: Any, window: float
    ) -> Any:
        """Return the action that brings the agent's windows closer to a window."""
        if agent not in flows:
            space = env.action_space(agent)
            flows[agent] = _policy(space, lambda: lambda seen: _towards(window, seen), newreno)
        return flows[agent](observation)


def newreno(observation: Any) -> Any:
    """Return NewReno's answer to a TCP call, with ns-3's arithmetic (`control="per_ack"`).

    Windows follow RFC 5681: they grow by one segment for each acknowledgement in slow start, then
    by about one in a round trip time. After a loss they are half of the data in flight. The card
    describes the observation, float64 of shape (10,); the answer is `[ssThresh, cWnd]` in bytes,
    float64 of shape (2,).
    """
    _, _, threshold, window, segment, acknowledged, in_flight = map(int, observation[:7])
    half = max(2 * segment, in_flight // 2)
    if window < threshold and acknowledged >= 1:
        window += segment
        acknowledged -= 1
    if window >= threshold and acknowledged > 0:
        window += int(max(1.0, segment * segment / window))
    return np.array([half, window], np.float64)


def vegas(observation: Any) -> Any:
    """Return an answer to a TCP call like `newreno()`, but keep two to four segments in queues.

    The queued data is cWnd (1 - smallest / last round trip time), as in Brakmo and Peterson (1995).
    """
    half, larger = newreno(observation)
    window, segment, acked, _, last, smallest = map(float, observation[3:9])
    queued = window * (1 - smallest / last) / segment if last > 0 else 0.0
    if queued < 2:
        return np.array([half, larger], np.float64)
    less = acked * segment * segment / window if queued > 4 else 0.0
    return np.array([half, max(2 * segment, window - less)], np.float64)


def _policy(
    action_space: spaces.Space[Any], make_move: Callable[[], Move], per_ack: Policy
) -> Policy:
    """Return the policy for this action space."""
    if isinstance(action_space, spaces.Box):
        if action_space.dtype == np.float64:
            return per_ack
        if action_space.low.min() == 0:  # for a bottleneck's agent: a probability
            return lambda _observation: np.zeros(action_space.shape, np.float32)
    if isinstance(action_space, spaces.Discrete) and action_space.n not in FACTORS:
        return lambda _observation: 0  # the same
    return act_by(action_space, make_move)


_TRIAL_S = 5.0
"""Simulated seconds of a trial of `best_window`."""
_QUEUED = 2.0
"""Segments of `bdp_window_plus_2` in the queue."""
_QUEUED_SHARE = 0.1
"""Its queue as a share of the product, for relative observations, which have no segments."""
_STRETCHED = 1.25
"""Threshold of a queue: mean round trip time over the smallest."""


def _towards(window: float, seen: FlowState) -> float:
    """Return the factor that makes a flow's window equal to another, but for 2 %."""
    factor = window / max(seen.window, 1e-3)
    return 1.0 if abs(factor - 1) < 0.02 else factor


def _one_more(seen: FlowState) -> float:
    return 1 + (1 / max(seen.window, 1) if seen.absolute else 0.04)


class _Start:
    """Doubles until there is a queue or a loss.

    Delayed acknowledgements look like a queue for one interval, so it waits for two.
    """

    def __init__(self) -> None:
        self.over, self._waited = False, False

    def move(self, seen: FlowState, *, queue: bool) -> float | None:
        """Return the factor, or None after the end of this phase."""
        self.over = self.over or seen.lost > 0 or (queue and self._waited)
        if self.over:
            return None
        self._waited = queue
        return 1.0 if queue else 2.0


def _aimd() -> Move:
    start, deaf, greatest = _Start(), 0, 0.0

    def move(seen: FlowState) -> float:
        nonlocal deaf, greatest
        deaf -= 1
        greatest = max(greatest, seen.product) if seen.absolute else 1.0
        # below that window, losses happened long before their report
        if seen.lost > 0 and deaf < 0 and seen.window > greatest / 3:
            start.over = True
            deaf = 4  # earlier losses are reported for some intervals
            return 0.5
        factor = start.move(seen, queue=seen.stretch > _STRETCHED)
        if factor is not None:
            return factor
        return _one_more(seen) if deaf < 0 else 1.0

    return move


def _vegas() -> Move:
    start = _Start()

    def move(seen: FlowState) -> float:
        least, most = (2.0, 4.0) if seen.absolute else (0.1, 0.2)
        factor = start.move(seen, queue=seen.queued > least)
        if factor is not None:
            return factor
        if seen.queued > 2 * seen.window / 3 or seen.lost > 0.1:
            return 0.5
        if seen.queued > most:
            return 2 - _one_more(seen)
        return _one_more(seen) if seen.queued < least else 1.0

    return move


def _product(queued: float = 0.0) -> Move:
    start, greatest = _Start(), 0.0

    def move(seen: FlowState) -> float:
        nonlocal greatest
        greatest = max(greatest, seen.product) if seen.absolute else 1.0
        factor = start.move(seen, queue=seen.stretch > _STRETCHED)
        if factor is not None:
            return factor
        return _towards(
            greatest + (queued if seen.absolute else _QUEUED_SHARE * bool(queued)), seen
        )

    return move


def _product_per_ack(queued: float) -> Policy:
    greatest = 0.0

    def act(observation: Any) -> Any:
        nonlocal greatest
        answer = newreno(observation)
        smallest, throughput = float(observation[8]), float(observation[9])
        greatest = max(greatest, throughput)
        if observation[7] > _STRETCHED * smallest > 0:  # the capacity is found
            product = greatest * smallest * 1e-6 / 8 + queued * observation[4]
            answer[1] = max(4 * observation[4], product)
        return answer

    return act
