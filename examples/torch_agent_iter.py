# SPDX-License-Identifier: GPL-2.0-only
"""Learn to balance two carts with REINFORCE in plain PyTorch, in a loop over `agent_iter()`.

The program takes about a minute on two cores. The loop uses PettingZoo's AEC interface without
another library: the agents take turns in the order in which the simulated network delivers
observations, and one network decides for both. Docs: docs/training/sb3.md
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numpy as np
import torch
from pettingzoo import AECEnv
from torch import nn
from torch.distributions import Categorical

import defiance_zoo


@dataclass
class Config:
    """The configuration of a run."""

    seed: int = 1
    """Seed of the simulations, the weights and the exploration."""
    updates: int = 60
    """Steps of the optimiser."""
    decisions: int = 1000
    """Minimum number of both agents' decisions for each update; episodes are completed."""
    gamma: float = 0.99
    """Discount of rewards for each decision."""
    learning_rate: float = 0.01
    """Learning rate of Adam."""
    transport: str = "udp"
    """The transport of observations and actions."""
    delay: str = "0ms"
    """One-way delay of the access links."""
    out: str = "runs/torch_agent_iter"
    """Folder for weights and the learning curve."""


@dataclass
class Trajectory:
    """The decisions and rewards of one agent in one episode."""

    log_probabilities: list[torch.Tensor] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)

    def returns(self, gamma: float) -> torch.Tensor:
        """Return the discounted return after each decision, shape (decisions,)."""
        found, following = np.zeros(len(self.rewards), np.float32), 0.0
        for step in reversed(range(len(self.rewards))):
            found[step] = following = self.rewards[step] + gamma * following
        return torch.from_numpy(found)


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        kind = type(each.default)
        flag = f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


def play(env: AECEnv, policy: nn.Module, seed: int | None) -> dict[str, Trajectory]:
    """Play one episode, and return the decisions and rewards of each agent."""
    trajectories: dict[str, Trajectory] = defaultdict(Trajectory)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        mine = trajectories[agent]
        if mine.log_probabilities:  # the reward belongs to the agent's last decision
            mine.rewards.append(reward)
        if termination or truncation:
            env.step(None)
            continue
        choice = Categorical(logits=policy(torch.as_tensor(np.array(observation))))
        action = choice.sample()
        mine.log_probabilities.append(choice.log_prob(action))
        env.step(int(action))
    return trajectories


def learn(optimizer: torch.optim.Optimizer, batch: list[Trajectory], gamma: float) -> None:
    """Make actions with large returns more likely, and those with small returns less."""
    returns = torch.cat([each.returns(gamma) for each in batch])
    advantages = (returns - returns.mean()) / (returns.std() + 1e-8)
    log_probabilities = torch.stack([p for each in batch for p in each.log_probabilities])
    loss = -(log_probabilities * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main() -> None:
    """Learn, print, save."""
    config = parse_arguments()
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain
    torch.manual_seed(config.seed)

    env = defiance_zoo.make(
        "cart_pole_v0", carts=2, transport=config.transport, delay=config.delay, link="local"
    )
    policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=config.learning_rate)
    curve: list[float] = []
    seed: int | None = config.seed
    for update in range(config.updates):
        batch: list[Trajectory] = []
        while sum(len(each.rewards) for each in batch) < config.decisions:
            batch += play(env, policy, seed).values()
            seed = None  # the first seed determines the next episodes
        learn(optimizer, batch, config.gamma)
        curve.append(float(np.mean([sum(each.rewards) for each in batch])))
        if update % 10 == 9 or update + 1 == config.updates:
            print(f"update {update + 1:3}  return of an agent {np.mean(curve[-10:]):5.1f}")
    env.close()
    torch.save(policy.state_dict(), out / "policy.pt")
    result = {"config": asdict(config), "returns": curve}
    (out / "learning_curve.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
