# SPDX-License-Identifier: GPL-2.0-only
"""Train RLlib's PPO on two carts, with one policy for both or one for each.

Each cart's own agent balances it across a simulated UDP link; when one cart falls, the other
continues. RLlib receives only the agents that decide. Docs: docs/training/rllib.md
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.rllib.config import rllib_config


@dataclass
class Config:
    """The configuration of a run."""

    policies: str = "both"
    """shared, individual, or both, one after the other."""
    seed: int = 1
    """Seed of the policies' weights, their exploration and the simulations."""
    iterations: int = 15
    """Training iterations."""
    batch_size: int = 2000
    """Rounds of decisions for each iteration."""
    evaluation_episodes: int = 10
    """Episodes to evaluate with; their seeds are 1000, 1001, ..."""
    delay: str = "0ms"
    """One-way delay of the access links."""
    out: str = "runs/rllib_ppo_two_carts"
    """Folder for checkpoints and results."""

    @property
    def environment(self) -> dict[str, Any]:
        """Arguments of the environment."""
        return {"carts": 2, "transport": "udp", "delay": self.delay}


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        kind = type(each.default)
        flag = f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


def build(config: Config, policies: str) -> Algorithm:
    """Return PPO for shared or individual policies."""
    algorithm = (
        rllib_config("PPO", "cart_pole_v0", policies=policies, **config.environment)
        .training(
            train_batch_size_per_learner=config.batch_size,
            minibatch_size=128,
            num_epochs=10,
            lr=1e-3,
            gamma=0.98,
            lambda_=0.8,
            vf_loss_coeff=0.5,
        )
        .debugging(seed=config.seed)
    )
    return algorithm.build_algo()


def evaluate(algorithm: Algorithm, config: Config) -> np.ndarray:
    """Return each agent's return without exploration, shape (evaluation_episodes, 2)."""
    env = RLlibEnv({"name": "cart_pole_v0", **config.environment})
    policy_of = algorithm.config.policy_mapping_fn
    returns = np.zeros((config.evaluation_episodes, 2))
    for episode in range(config.evaluation_episodes):
        observations, _ = env.reset(seed=1000 + episode)
        over = False
        while not over:
            actions = {}
            for agent in observations:
                module = algorithm.get_module(policy_of(agent))
                batch = torch.from_numpy(observations[agent].copy())[None]
                logits = module.forward_inference({"obs": batch})["action_dist_inputs"]
                actions[agent] = int(logits.argmax())
            observations, rewards, terminateds, truncateds, _ = env.step(actions)
            for agent, reward in rewards.items():
                returns[episode, int(agent[-1])] += reward
            for agent in {*terminateds, *truncateds} - {"__all__"}:
                observations.pop(agent, None)  # the agent has made its last decision
            over = terminateds["__all__"] or truncateds["__all__"]
    env.close()
    return returns


def train(config: Config, policies: str) -> np.ndarray:
    """Train, save and evaluate; return each agent's returns."""
    algorithm = build(config, policies)
    columns = (
        TextColumn(f"[bold]{policies}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} iterations  return {task.fields[mean]:.0f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as progress:
        task = progress.add_task("", total=config.iterations, mean=0.0)
        for _ in range(config.iterations):
            result = algorithm.train()["env_runners"]
            progress.update(task, advance=1, mean=result.get("episode_return_mean", 0.0))
    algorithm.save_to_path((Path(config.out) / policies).resolve())
    returns = evaluate(algorithm, config)
    algorithm.stop()
    return returns


def main() -> None:
    """Train with each kind of policies, and print a table."""
    config = parse_arguments()
    kinds = ["shared", "individual"] if config.policies == "both" else [config.policies]
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(asdict(config), indent=2) + "\n")
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain
    ray.init(
        "local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )
    table = Table(title=f"Return of {config.evaluation_episodes} episodes, at most 500")
    for heading in ("policies", "agent_0", "agent_1"):
        table.add_column(heading, justify="left" if heading == "policies" else "right")
    try:
        for kind in kinds:
            means = train(config, kind).mean(0)
            table.add_row(kind, *(f"{mean:.1f}" for mean in means))
    finally:
        ray.shutdown()
    Console().print(table)


if __name__ == "__main__":
    main()
