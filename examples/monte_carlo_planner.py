# SPDX-License-Identifier: GPL-2.0-only
"""Balance a cart across a slow link by lookahead in copies of the simulation, without training.

Observations and pushes take tens of milliseconds, so a reactive policy reacts too late. At each
decision, the planner copies the running ns-3 simulation, packets in flight included, tries
sequences of pushes in the copy, and takes the first push of the best sequence. `lookahead` is a
similar policy for any environment. Docs: docs/recording/snapshots.md
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, fields

import gymnasium
import numpy as np
from numpy.typing import NDArray

import defiance_zoo  # noqa: F401  registers the environments
from defiance_zoo.envs.cart_pole.baselines import Policy, pole_policy
from defiance_zoo.experiments.evaluation import try_each

Plan = NDArray[np.int64]


@dataclass
class Config:
    """The configuration of a run."""

    seed: int = 1000
    """Seed of the first episode's simulation and planner; each episode adds 1."""
    episodes: int = 3
    """Episodes to play."""
    transport: str = "udp"
    """The transport of observations and pushes."""
    delay: str = "50ms"
    """One-way delay of the link."""
    duration: str = "10s"
    """Simulated time of an episode; a decision is due every 20 ms."""
    candidates: int = 24
    """Tried sequences for each decision."""
    horizon: int = 25
    """Pushes in a sequence."""
    mutation: float = 0.2
    """Probability that a candidate changes a push of the last plan."""
    link: str = "local"
    """The link between Python and the simulation."""


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        kind, flag = type(each.default), f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


def badness(observation: NDArray[np.float32]) -> float:
    """Return the distance of a state from an upright pole at rest in the middle."""
    x, x_dot, theta, theta_dot = observation
    return float((x / 2.4) ** 2 + 0.1 * x_dot**2 + (theta / 0.2) ** 2 + 0.1 * theta_dot**2)


class Planner:
    """Random shooting: takes the best of some sequences, half of them similar to the last plan."""

    def __init__(self, env: gymnasium.Env, config: Config, seed: int) -> None:
        self._env, self._config = env, config
        self._rng = np.random.default_rng(seed)
        self._plan = self._rng.integers(2, size=config.horizon)

    def __call__(self, _observation: NDArray[np.float32]) -> int:
        """Return the first push of the best sequence, and keep the rest for later."""
        plans = self._propose()
        costs = try_each(self._env, plans, badness_of)
        best = plans[int(np.argmin(costs))]
        self._plan = np.append(best[1:], self._rng.integers(2))
        return int(best[0])

    def _propose(self) -> list[Plan]:
        """Yield the last plan, then alternately similar and random sequences."""
        plans = [self._plan]
        while len(plans) < self._config.candidates:
            if len(plans) % 2:
                flips = self._rng.random(self._config.horizon) < self._config.mutation
                plans.append(np.where(flips, 1 - self._plan, self._plan))
            else:
                plans.append(self._rng.integers(2, size=self._config.horizon))
        return plans


def badness_of(env: gymnasium.Env, plan: Plan) -> float:
    """Return a sequence's cost: its states' distances, and the steps after a fall."""
    cost = 0.0
    for number, push in enumerate(plan):
        observation, _, terminated, truncated, _ = env.step(push)
        if truncated:
            break
        if terminated:
            return cost + 100.0 * (len(plan) - number)
        cost += badness(observation)
    return cost


def play(env: gymnasium.Env, policy: Policy, observation: NDArray[np.float32]) -> float:
    """Play an episode from its first observation; return the sum of rewards."""
    total, over = 0.0, False
    while not over:
        observation, reward, terminated, truncated, _ = env.step(policy(observation))
        total += float(reward)
        over = terminated or truncated
    return total


def main() -> None:
    """Compare the planner with a reactive policy."""
    config = parse_arguments()
    env = gymnasium.make(
        "defiance_zoo/CartPole-v0",
        transport=config.transport,
        delay=config.delay,
        duration=config.duration,
        link=config.link,
    ).unwrapped
    print(f"{'seed':>6} {'planner':>8} {'reactive':>9} {'ms a decision':>14}")
    returns = []
    for seed in range(config.seed, config.seed + config.episodes):
        observation, _ = env.reset(seed=seed)
        start = env.snapshot()
        reactive = play(env, pole_policy(env.action_space), observation)
        env.restore(start)  # the same episode
        began = time.perf_counter()
        planned = play(env, Planner(env, config, seed), observation)
        ms = (time.perf_counter() - began) * 1000 / planned
        returns.append((planned, reactive))
        print(f"{seed:>6} {planned:>8.0f} {reactive:>9.0f} {ms:>14.1f}", flush=True)
        start.release()
    planned, reactive = np.mean(returns, axis=0)
    print(f"{'mean':>6} {planned:>8.1f} {reactive:>9.1f}")
    env.close()


if __name__ == "__main__":
    main()
