# SPDX-License-Identifier: GPL-2.0-only
"""Watch a radio learn to avoid an interferer: waterfalls before and after training.

In each slot, Stable-Baselines3's PPO chooses one of four channels by the energy measured in the
last slot. The program takes half a minute on two cores.

    python examples/channel_access.py [--steps 8000]
"""

from __future__ import annotations

import argparse

from stable_baselines3 import PPO

import defiance_zoo
from defiance_zoo.wrappers.sb3 import make_vec_env

NAME = "channel_access_v0"


def show(model: PPO, interferer: str) -> None:
    """Play an episode, and print its last slots and the share of received frames."""
    env = defiance_zoo.make(
        NAME, api="parallel", link="local", render_mode="ansi", interferer=interferer
    )
    observations, _ = env.reset(seed=1)
    successes = []
    while env.agents:
        action, _ = model.predict(observations["agent_0"], deterministic=True)
        observations, *_, infos = env.step({"agent_0": int(action)})
        successes.append(infos["agent_0"]["success"])
    print(env.render())
    print(f"received: {sum(successes) / len(successes):.0%}")
    env.close()


def main() -> None:
    """Train, and show the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=8000, help="decisions to train for")
    parser.add_argument("--interferer", default="periodic", choices=("periodic", "random"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    env = make_vec_env(NAME, n_envs=4, seed=given.seed, interferer=given.interferer)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=64,
        batch_size=64,
        gamma=0.0,  # actions have no effect beyond the slot
        learning_rate=3e-3,
        seed=given.seed,
        device="cpu",
    )
    print("before:")
    show(model, given.interferer)
    model.learn(given.steps)
    env.close()
    print("after:")
    show(model, given.interferer)


if __name__ == "__main__":
    main()
