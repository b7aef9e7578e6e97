# SPDX-License-Identifier: GPL-2.0-only
"""Train carts separately, and average their weights over a slow link.

Each agent is on its cart, and trains its own copy of a policy with PPO, in plain PyTorch.
Periodically, all agents send their weights to the training server, which returns the mean. The
bytes cross the simulated access network, and agents use an average only after its arrival. Docs:
docs/training/learning.md
"""

from __future__ import annotations

import argparse
import copy
import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pettingzoo import ParallelEnv
from torch import nn
from torch.distributions import Categorical

import defiance_zoo
from defiance_zoo.experiments.learning import Federation, get_weights, set_weights

SCALE = np.array([2.4, 2.0, 0.2, 2.0], np.float32)
"""Scales of positions in m, velocities in m/s, angles in rad and angular velocities in rad/s."""

DECISIONS_PER_S = 50


@dataclass
class Config:
    """The configuration of a run."""

    seed: int = 1
    """Seed of the simulation, the weights and the exploration."""
    carts: int = 4
    """Agents, each with its own cart."""
    duration: float = 200.0
    """Simulated seconds; an agent decides 50 times a second."""
    period: float = 5.0
    """Simulated seconds from the arrival of an average until the next round; 0: no federation."""
    data_rate: str = "250kbps"
    """Data rate of the link between each cart and the training server."""
    delay: str = "10ms"
    """One-way delay of that link."""
    access: str = "point-to-point"
    """The kind of that link: point-to-point, csma, wifi, lte."""
    samples: int = 128
    """Decisions in each training update of an agent."""
    epochs: int = 4
    """Number of passes over the data."""
    minibatch: int = 64
    """Decisions in each step of the optimiser."""
    learning_rate: float = 0.0025
    """Initial learning rate of Adam, which decreases linearly to 0."""
    gamma: float = 0.99
    """Discount of rewards for each decision."""
    gae_lambda: float = 0.95
    """Discount of temporal differences in advantages."""
    clip: float = 0.2
    """Maximum change of a decision's probability (PPO's clip range)."""
    hidden: int = 64
    """Units in each of the two hidden layers."""
    evaluate_every: float = 20.0
    """Simulated seconds between two evaluations."""
    out: str = "runs/federated_averaging"
    """Folder for the learning curve."""


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        kind, flag = type(each.default), f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


class Policy(nn.Module):
    """Logits of both pushes, and the value of a state."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, hidden), nn.Linear(hidden, hidden)
        self.actor, self.critic = nn.Linear(hidden, 2), nn.Linear(hidden, 1)

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits, shape (..., 2), and values, shape (...,)."""
        features = self.second(self.first(states).tanh()).tanh()
        return self.actor(features), self.critic(features).squeeze(-1)


class Learner:
    """An agent that acts with its policy, and trains it with PPO on its own experience."""

    def __init__(self, config: Config, policy: Policy, seed: int) -> None:
        self.policy, self._config = policy, config
        self._optimizer = torch.optim.Adam(policy.parameters(), lr=config.learning_rate, eps=1e-5)
        self._rng = np.random.default_rng(seed)
        # Views of the policy's memory, because NumPy is faster than PyTorch for single states.
        self._weights = {name: value.numpy() for name, value in policy.state_dict().items()}
        self._decisions: list[tuple[NDArray[np.float32], int, float, float]] = []
        self._outcomes: list[tuple[float, bool]] = []
        self._falls = 0
        self._total = 0
        self.trained = 0  # decisions since the last average

    def judge(self, observation: NDArray[np.float32]) -> tuple[float, float]:
        """Return the probability of a push to the right, and the value."""
        w = self._weights
        features = np.tanh(w["first.weight"] @ (observation / SCALE) + w["first.bias"])
        features = np.tanh(w["second.weight"] @ features + w["second.bias"])
        left, right = w["actor.weight"] @ features + w["actor.bias"]
        value = w["critic.weight"][0] @ features + w["critic.bias"][0]
        return float(1 / (1 + np.exp(left - right))), float(value)

    def act(self, observation: NDArray[np.float32]) -> int:
        """Draw an action, and store its observation and probability."""
        right, value = self.judge(observation)
        action = int(self._rng.random() < right)
        self._decisions.append((observation / SCALE, action, right if action else 1 - right, value))
        return action

    def learn(self, observation: NDArray[np.float32], reward: float, falls: int) -> None:
        """Add the result of the last action; train when there are enough decisions."""
        # 0, or -1 for a fall, because small values are easier to learn.
        self._outcomes.append((reward - 1.0, falls > self._falls))
        self._falls = falls
        if len(self._outcomes) < self._config.samples:
            return
        self._total += len(self._outcomes)
        left = max(1 - self._total / (DECISIONS_PER_S * self._config.duration), 0.0)
        self._optimizer.param_groups[0]["lr"] = left * self._config.learning_rate
        states, actions, old, values = map(np.array, zip(*self._decisions, strict=True))
        advantages = self._advantages(values, self.judge(observation)[1])
        self._optimize(
            torch.from_numpy(states),
            torch.from_numpy(actions),
            torch.from_numpy(old).float().log(),
            torch.from_numpy(advantages).float(),
            torch.from_numpy(advantages + values).float(),
        )
        self.trained += len(self._outcomes)
        self._decisions, self._outcomes = [], []

    def _advantages(self, values: NDArray[np.float64], following: float) -> NDArray[np.float64]:
        """Return generalised advantages, shape (decisions,), without rewards after a fall."""
        config = self._config
        advantages, advantage = np.zeros(len(values)), 0.0
        for step in reversed(range(len(values))):
            reward, fallen = self._outcomes[step]
            if fallen:
                following = advantage = 0.0
            difference = reward + config.gamma * following - values[step]
            advantage = difference + config.gamma * config.gae_lambda * advantage
            advantages[step], following = advantage, values[step]
        return advantages

    def _optimize(
        self,
        states: torch.Tensor,
        actions: torch.Tensor,
        old: torch.Tensor,
        advantages: torch.Tensor,
        returns: torch.Tensor,
    ) -> None:
        """Make actions that were better than expected more likely, within the clip range."""
        config = self._config
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for _ in range(config.epochs):
            for rows in torch.randperm(len(states)).split(config.minibatch):
                logits, values = self.policy(states[rows])
                choice = Categorical(logits=logits, validate_args=False)
                ratio = (choice.log_prob(actions[rows]) - old[rows]).exp()
                clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
                gain = torch.minimum(ratio * advantages[rows], clipped * advantages[rows]).mean()
                loss = 0.5 * (values - returns[rows]).square().mean() - gain
                self._optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self._optimizer.step()


class Rounds:
    """Rounds of averaging. A round begins one period after the arrival of the last average.

    An average replaces the weights, including their changes since they were sent.
    """

    def __init__(self, env: ParallelEnv, learners: dict[str, Learner], period: float) -> None:
        self._env, self._learners, self._period = env, learners, period
        self._federation = Federation(env, learners, server="server_0")
        self._due: dict[str, float] = dict.fromkeys(learners, period)
        self.received = dict.fromkeys(learners, 0)

    def advance(self) -> None:
        """Use arrived averages, and send the weights of agents that are due."""
        now = self._env.sim_time_ns / 1e9
        for agent, average in self._federation.averages().items():
            set_weights(self._learners[agent].policy, average)
            self._learners[agent].trained = 0
            self._due[agent] = now + self._period
            self.received[agent] += 1
        for agent, due in self._due.items():
            if now >= due:
                learner = self._learners[agent]
                self._federation.share(agent, get_weights(learner.policy), learner.trained + 1)
                self._due[agent] = math.inf  # until the average arrives


def evaluate(learners: dict[str, Learner], seed: int) -> float:
    """Return the mean return of greedy agents in 10 s; at most 500."""
    env = defiance_zoo.make("cart_pole_v0", api="parallel", carts=len(learners), link="local")
    observations, _ = env.reset(seed=seed)
    total = 0.0
    while env.agents:
        right = {agent: learners[agent].judge(observations[agent])[0] for agent in env.agents}
        observations, rewards, *_ = env.step({agent: int(p > 0.5) for agent, p in right.items()})
        total += sum(rewards.values())
    env.close()
    return total / len(learners)


def train(config: Config) -> tuple[dict[str, Learner], dict[str, list[float]]]:
    """Train within one long episode; return the agents and the learning curve."""
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain
    torch.manual_seed(config.seed)
    env = defiance_zoo.make(
        "cart_pole_v0",
        api="parallel",
        carts=config.carts,
        placement="local",
        training_server="central",
        restart_when_fallen=True,
        access=config.access,
        data_rate=config.data_rate,
        delay=config.delay,
        duration=config.duration,
        link="local",
    )
    observations, _ = env.reset(seed=config.seed)
    policy = Policy(config.hidden)  # all agents begin with the same weights
    learners = {
        agent: Learner(config, copy.deepcopy(policy), 1000 * config.seed + number)
        for number, agent in enumerate(env.agents)
    }
    rounds = Rounds(env, learners, config.period or math.inf)
    curve: dict[str, list[float]] = {"seconds": [], "return": [], "rounds": []}
    while env.agents:
        actions = {agent: learners[agent].act(observations[agent]) for agent in env.agents}
        observations, rewards, _, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            learners[agent].learn(observations[agent], reward, infos[agent]["falls"])
        if env.agents:
            rounds.advance()
        if env.sim_time_ns / 1e9 >= config.evaluate_every * (1 + len(curve["seconds"])):
            curve["seconds"].append(env.sim_time_ns / 1e9)
            curve["return"].append(evaluate(learners, seed=1000 + len(curve["seconds"])))
            curve["rounds"].append(min(rounds.received.values()))
            print(
                "{:5.0f} s  return {:5.1f}  rounds {:3.0f}".format(*(c[-1] for c in curve.values()))
            )
    env.close()
    return learners, curve


def main() -> None:
    """Learn, print, save."""
    config = parse_arguments()
    learners, curve = train(config)
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    for agent, learner in learners.items():
        torch.save(learner.policy.state_dict(), out / f"{agent}.pt")
    result = {"config": asdict(config), **curve}
    (out / "learning_curve.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
