# SPDX-License-Identifier: GPL-2.0-only
"""PPO for one agent with discrete actions, in a single file in CleanRL's style."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete
from torch import nn

import defiance_zoo
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import Iteration, RunConfig, Trainer
from defiance_zoo.experiments.training.export.network import ActionHead
from plain_ppo import DEFAULTS


class Network(nn.Module):
    """An actor that returns logits, and a critic."""

    def __init__(self, observations: int, actions: int, hidden: int, start: int) -> None:
        """Make a network whose first logit is for the action `start`."""
        super().__init__()
        self.sizes, self.start = (observations, actions, hidden, start), start
        self.actor, self.critic = (
            nn.Sequential(nn.Linear(observations, hidden), nn.Tanh(), nn.Linear(hidden, outputs))
            for outputs in (actions, 1)
        )

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        return self.critic(observations).squeeze(-1)

    def save(self, file: Path) -> None:
        torch.save({"sizes": self.sizes, "weights": self.state_dict()}, file)

    @staticmethod
    def load(file: Path) -> Network:
        saved = torch.load(file, weights_only=True)
        network = Network(*saved["sizes"])
        network.load_state_dict(saved["weights"])
        return network


class PPOPolicy:
    """The policy that takes the most probable action."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def reset(self) -> None:
        """Do nothing: the policy has no memory."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        with torch.no_grad():
            logits = self.network.actor(torch.tensor(observation))
        return self.network.start + int(logits.argmax())


class Rollout(NamedTuple):
    """The data of an update; of shape (n_steps, simulations, ...)."""

    observations: torch.Tensor
    actions: torch.Tensor
    log_probabilities: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor


class PPOTrainer(Trainer):
    """A training in progress."""

    def __init__(self, config: RunConfig, env: Any) -> None:
        seen, acted = env.single_observation_space, env.single_action_space
        if not (isinstance(seen, Box) and len(seen.shape) == 1 and isinstance(acted, Discrete)):
            raise ParameterError(f"plain PPO observes rows and chooses; not {seen} and {acted}")
        self._env = env
        self._of = {**DEFAULTS, **config.hyperparameters}
        with torch.random.fork_rng():  # other random draws have no effect here
            torch.manual_seed(config.seed)
            sizes = seen.shape[0], int(acted.n), self._of["hidden"]
            self._network = Network(*sizes, int(acted.start))
        self._random = torch.Generator().manual_seed(config.seed)
        rate = self._of["learning_rate"]
        self._optimizer = torch.optim.Adam(self._network.parameters(), rate, eps=1e-5)
        self._seed, self._observations = config.seed, None
        self._steps = self._episodes = 0
        self._earned, self._length = np.zeros(env.num_envs), np.zeros(env.num_envs, int)
        self._ended: deque[tuple[float, int]] = deque(maxlen=100)
        self._waited = 0.0

    @classmethod
    def create(cls, config: RunConfig) -> PPOTrainer:
        torch.set_num_threads(config.threads)
        settings = {"restart_on_failure": True, **config.parameters}
        env = defiance_zoo.make_vec(
            config.env, config.simulations, autoreset_mode="SameStep", resumable=True, **settings
        )
        try:
            return cls(config, env)
        except BaseException:
            env.close()
            raise

    def iterate(self) -> Iteration:
        began, self._waited = time.perf_counter(), 0.0
        rollout = self._collect()
        metrics = self._learn(rollout)
        if self._ended:
            returns, lengths = zip(*self._ended, strict=True)
            mean = float(np.mean(returns))
            metrics |= {"return/mean": mean, f"return/{self._env.agent}": mean}
            metrics["length/mean"] = float(np.mean(lengths))
        metrics["failures"] = float(self._env.failures)
        metrics["simulation_share"] = self._waited / (time.perf_counter() - began)
        return Iteration(self._steps, self._episodes, metrics)

    def save(self, folder: Path) -> None:
        self._network.save(folder / "network.pt")
        state = {
            "optimizer": self._optimizer.state_dict(),
            "random": self._random.get_state(),
            "simulations": None if self._observations is None else self._env.state_dict(),
            "counters": (self._steps, self._episodes, self._ended, self._earned, self._length),
            "observations": self._observations,
        }
        torch.save(state, folder / "state.pt")

    def restore(self, folder: Path) -> None:
        self._network.load_state_dict(Network.load(folder / "network.pt").state_dict())
        state = torch.load(folder / "state.pt", weights_only=False)
        self._optimizer.load_state_dict(state["optimizer"])
        self._random.set_state(state["random"])
        if state["simulations"] is not None:
            self._env.load_state_dict(state["simulations"])
        counters = state["counters"]
        self._steps, self._episodes, self._ended, self._earned, self._length = counters
        self._observations = state["observations"]

    def policy(self) -> PPOPolicy:
        network = Network(*self._network.sizes)
        network.load_state_dict(self._network.state_dict())
        return PPOPolicy(network)

    def close(self) -> None:
        self._env.close()

    @classmethod
    def load_policy(cls, config: RunConfig, folder: Path) -> PPOPolicy:
        return PPOPolicy(Network.load(folder / "network.pt"))

    @classmethod
    def network(cls, config: RunConfig, policy: PPOPolicy, agent: str, spaces: Any) -> nn.Module:
        return nn.Sequential(policy.network.actor, ActionHead(spaces[1], unsquash=False))

    def _collect(self) -> Rollout:
        """Play `n_steps` decisions in each simulation."""
        if self._observations is None:
            self._observations, _ = self._env.reset(seed=self._seed)
        rows = [self._step() for _ in range(self._of["n_steps"])]
        seen, actions, chances, values, rewards, dones = map(torch.stack, zip(*rows, strict=True))
        with torch.no_grad():
            following = self._network.value(torch.as_tensor(self._observations))
        advantage, advantages = torch.zeros_like(following), torch.zeros_like(values)
        for step in reversed(range(len(rows))):
            goes_on = self._of["gamma"] * (1.0 - dones[step])
            surprise = rewards[step] + goes_on * following - values[step]
            advantage = surprise + goes_on * self._of["gae_lambda"] * advantage
            advantages[step], following = advantage, values[step]
        return Rollout(seen, actions, chances, advantages, advantages + values)

    def _step(self) -> tuple[torch.Tensor, ...]:
        """Let each simulation act once; return its observation, action, value and reward."""
        seen = torch.as_tensor(self._observations)
        with torch.no_grad():
            logits, values = self._network.actor(seen), self._network.value(seen)
        actions = torch.multinomial(logits.softmax(-1), 1, generator=self._random).squeeze(-1)
        chances = logits.log_softmax(-1).gather(-1, actions[:, None]).squeeze(-1)
        began = time.perf_counter()
        reported = self._env.step(actions.numpy() + self._network.start)
        self._waited += time.perf_counter() - began
        self._observations, rewards, terminations, truncations, infos = reported
        dones = terminations | truncations
        self._count(rewards, dones)
        for row in np.flatnonzero(truncations):  # the critic estimates the missing rest
            final = torch.tensor(infos["final_obs"][row])
            with torch.no_grad():
                rewards[row] += self._of["gamma"] * float(self._network.value(final))
        got = (torch.as_tensor(each, dtype=torch.float32) for each in (rewards, dones))
        return seen, actions, chances, values, *got

    def _count(self, rewards: Any, dones: Any) -> None:
        self._steps += len(rewards)
        self._earned += rewards
        self._length += 1
        for row in np.flatnonzero(dones):
            self._ended.append((float(self._earned[row]), int(self._length[row])))
            self._earned[row], self._length[row] = 0.0, 0
            self._episodes += 1

    def _learn(self, rollout: Rollout) -> dict[str, float]:
        """Take optimiser steps; return the means of the losses."""
        flat = Rollout(*(each.flatten(0, 1) for each in rollout))
        count, losses = len(flat.actions), []
        for _ in range(self._of["n_epochs"]):
            shuffled = torch.randperm(count, generator=self._random)
            for rows in shuffled.chunk(self._of["n_minibatches"]):
                losses.append(self._update(Rollout(*(each[rows] for each in flat))))
        policy, value = np.mean(losses, axis=0)
        return {"loss/policy": float(policy), "loss/value": float(value)}

    def _update(self, part: Rollout) -> tuple[float, float]:
        logits = self._network.actor(part.observations).log_softmax(-1)
        chances = logits.gather(-1, part.actions[:, None]).squeeze(-1)
        ratio = (chances - part.log_probabilities).exp()
        kept = ratio.clamp(1 - self._of["clip"], 1 + self._of["clip"])
        advantages = part.advantages - part.advantages.mean()
        advantages = advantages / (advantages.std(correction=0) + 1e-8)
        policy = -torch.minimum(ratio * advantages, kept * advantages).mean()
        value = 0.5 * (self._network.value(part.observations) - part.returns).square().mean()
        self._optimizer.zero_grad()
        (policy + 0.5 * value).backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), 0.5)
        self._optimizer.step()
        return policy.item(), value.item()
