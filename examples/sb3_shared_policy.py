# SPDX-License-Identifier: GPL-2.0-only
"""Train one SB3 policy for all carts of a team, over a simulated UDP network.

The program takes about a minute on two cores. Each cart has its own agent; when one cart falls, the
others continue. All agents of all simulations are rows of one vector, and their decisions train one
policy.
Docs: docs/training/sb3.md
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import defiance_zoo
from defiance_zoo.wrappers.sb3 import decisions_only, make_shared_policy_vec_env


@dataclass
class Config:
    """The configuration of a run."""

    seed: int = 1
    """Seed of the simulations, the policy's weights and its exploration."""
    total_steps: int = 60_000
    """Rows of training; fallen carts count until the last cart has fallen."""
    n_envs: int = 4
    """Simulations that are stepped together."""
    carts: int = 3
    """Carts in each simulation."""
    evaluation_episodes: int = 10
    """Episodes to evaluate with; their seeds are 1000, 1001, ..."""
    delay: str = "0ms"
    """One-way delay of the access links."""
    out: str = "runs/sb3_shared_policy"
    """Folder for checkpoint and results."""

    @property
    def environment(self) -> dict[str, Any]:
        """Arguments of the environment."""
        return {"carts": self.carts, "transport": "udp", "delay": self.delay}


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        kind = type(each.default)
        flag = f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


class PrintReturns(BaseCallback):
    """Prints the mean return of the last 100 episodes of agents, ten times."""

    def __init__(self, total_steps: int) -> None:
        super().__init__()
        self._interval, self._due = total_steps / 10, 0.0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        returns = [episode["r"] for episode in self.model.ep_info_buffer or []]
        if returns and self.num_timesteps >= self._due:
            self._due += self._interval
            print(f"{self.num_timesteps:8,} rows  return of an agent {np.mean(returns):5.1f}")


def evaluate(model: PPO | None, config: Config) -> np.ndarray:
    """Return each agent's return in some episodes, shape (evaluation_episodes, carts).

    Args:
        model: None for random actions.
        config: Configuration of the run.
    """
    env = defiance_zoo.make("cart_pole_v0", api="parallel", **config.environment)
    rng = np.random.default_rng(config.seed)
    returns = np.zeros((config.evaluation_episodes, config.carts))
    for episode in range(config.evaluation_episodes):
        observations, _ = env.reset(seed=1000 + episode)
        while env.agents:
            actions = {
                agent: int(rng.integers(2))
                if model is None
                else int(model.predict(observations[agent], deterministic=True)[0])
                for agent in env.agents
            }
            observations, rewards, _, _, _ = env.step(actions)
            for agent, reward in rewards.items():
                returns[episode, env.possible_agents.index(agent)] += reward
    env.close()
    return returns


def main() -> None:
    """Train, evaluate, print, save."""
    config = parse_arguments()
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain

    env = make_shared_policy_vec_env(
        "cart_pole_v0", n_envs=config.n_envs, seed=config.seed, **config.environment
    )
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=64,
        batch_size=256,
        n_epochs=10,
        gamma=0.98,
        gae_lambda=0.9,
        learning_rate=1e-3,
        seed=config.seed,
        device="cpu",
        **decisions_only(PPO, env),  # leaves out rows of fallen carts
    )
    model.learn(config.total_steps, callback=PrintReturns(config.total_steps))
    model.save(out / "checkpoint")
    env.close()

    table = Table(title="Returns of agents, at most 500")
    for heading in ("policy", "mean", "least", "greatest"):
        table.add_column(heading, justify="left" if heading == "policy" else "right")
    evaluation = {}
    for name, policy in (("PPO, shared", model), ("random", None)):
        returns = evaluate(policy, config)
        evaluation[name] = returns.tolist()
        table.add_row(name, *(f"{v:.1f}" for v in (returns.mean(), returns.min(), returns.max())))
    result = {"config": asdict(config), "returns": evaluation}
    (out / "evaluation.json").write_text(json.dumps(result, indent=2) + "\n")
    Console().print(table)


if __name__ == "__main__":
    main()
