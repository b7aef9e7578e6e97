# SPDX-License-Identifier: GPL-2.0-only
"""Train an agent to set the contention window of saturated Wi-Fi stations, and compare it.

Stable-Baselines3's PPO chooses one window for all stations every 10 ms of simulated time; it
observes collision rates, but not the number of stations. Then the same cell runs with the
standard's binary exponential back-off, with each fixed window, and with the agent. The program
takes two minutes on two cores.

    python examples/wifi_windows.py [--stations 15] [--steps 2000]
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any

from stable_baselines3 import PPO

import defiance_zoo
from defiance_zoo.envs.wifi_contention.bianchi import WINDOWS, best_window
from defiance_zoo.wrappers.sb3 import make_vec_env

NAME = "wifi_contention_v0"


def train(stations: int, steps: int, seed: int) -> PPO:
    """Return a policy, learned in two parallel simulations with episodes of half a second."""
    env = make_vec_env(
        NAME,
        n_envs=2,
        seed=seed,
        stations=stations,
        duration="0.5s",
        history=20,
        observe_actions=True,
    )
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=100,
        batch_size=50,
        gamma=0.5,  # a few intervals show the value of a window
        learning_rate=2e-3,
        seed=seed,
        device="cpu",
    )
    model.learn(steps)
    env.close()
    return model


def throughput(
    act: Callable[[Any], Any], *, stations: int, seconds: float, back_off: str = "agent"
) -> float:
    """Return the mean throughput of an episode in Mb/s."""
    env = defiance_zoo.make(
        NAME,
        api="parallel",
        stations=stations,
        back_off=back_off,
        duration=seconds,
        history=20,
        observe_actions=True,
        link="local",
    )
    observations, _ = env.reset(seed=1)
    measured = []
    while env.agents:
        observations, *_, infos = env.step({"agent_0": act(observations["agent_0"])})
        measured.append(infos["agent_0"]["throughput"])
    env.close()
    return statistics.fmean(measured)


def main() -> None:
    """Train, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stations", type=int, default=15)
    parser.add_argument("--steps", type=int, default=2000, help="decisions to train for")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each compared run")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    model = train(arguments.stations, arguments.steps, arguments.seed)
    cell = {"stations": arguments.stations, "seconds": arguments.seconds}

    print(f"{arguments.stations} stations, Mb/s:")
    print(f"  standard back-off {throughput(lambda _: 0, back_off='standard', **cell):6.2f}")
    for action, slots in enumerate(WINDOWS):
        best = "  best by Bianchi's model" if slots == best_window(arguments.stations) else ""
        print(f"  {slots:4d} slots        {throughput(lambda _, a=action: a, **cell):6.2f}{best}")
    learned = throughput(lambda seen: int(model.predict(seen, deterministic=True)[0]), **cell)
    print(f"  PPO, {arguments.steps} decisions {learned:6.2f}")


if __name__ == "__main__":
    main()
