# SPDX-License-Identifier: GPL-2.0-only
"""Train RLlib's APPO on carts whose episodes differ in length, without waiting for the slowest.

Env runners are separate processes, each with several simulations. The learner takes samples that
are
ready, without waiting for long episodes. All carts share the policy.
Docs: docs/training/rllib.md
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import ray
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from defiance_zoo.wrappers.rllib.config import rllib_config


@dataclass
class Config:
    """The configuration of a run."""

    carts: int = 4
    """Agents of a simulation."""
    env_runners: int = 2
    """Processes that simulate and sample."""
    simulations: int = 2
    """Simulations side by side, in each of these processes."""
    iterations: int = 30
    """Training iterations; each takes the time of `rounds`."""
    rounds: int = 4000
    """Rounds of decisions for each iteration."""
    batch_size: int = 1000
    """Rounds in one batch of the learner."""
    seed: int = 1
    """Seed of the policy's weights, its exploration and the simulations."""
    address: str = ""
    """Address of a Ray cluster; empty: a new one on this machine."""
    out: str = "runs/rllib_appo_many_carts"
    """Folder for the checkpoint and results."""


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        kind = type(each.default)
        flag = f"--{each.name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


def train(config: Config) -> dict[str, float]:
    """Train and save; return the last iteration's figures."""
    algorithm = (
        rllib_config("APPO", "cart_pole_v0", carts=config.carts, transport="udp")
        .env_runners(num_env_runners=config.env_runners, num_envs_per_env_runner=config.simulations)
        .training(train_batch_size_per_learner=config.batch_size, lr=1e-3, gamma=0.98)
        .reporting(min_time_s_per_iteration=0, min_sample_timesteps_per_iteration=config.rounds)
        .debugging(seed=config.seed)
        .build_algo()
    )
    columns = (
        BarColumn(),
        TextColumn("{task.completed}/{task.total} iterations  return {task.fields[mean]:.0f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns) as progress:
        task = progress.add_task("", total=config.iterations, mean=0.0)
        for _ in range(config.iterations):
            result = algorithm.train()
            reported = result["env_runners"]
            progress.update(task, advance=1, mean=reported.get("episode_return_mean", 0.0))
    algorithm.save_to_path(Path(config.out).resolve() / "checkpoint")
    algorithm.stop()
    returns = reported.get("agent_episode_returns_mean", {})
    return {
        "rounds": reported["num_env_steps_sampled_lifetime"],
        "return of a cart": sum(returns.values()) / max(1, len(returns)),
        "waiting for ns-3": reported["simulation_share"],
        "simulations lost": reported["simulation_failures"],
    }


def main() -> None:
    """Train, and print a table."""
    config = parse_arguments()
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(asdict(config), indent=2) + "\n")
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if config.address:
        ray.init(address=config.address, **quiet)
    else:
        ray.init("local", num_cpus=config.env_runners + 1, include_dashboard=False, **quiet)
    try:
        figures = train(config)
    finally:
        ray.shutdown()
    table = Table(title="APPO")
    for heading in ("figure", "value"):
        table.add_column(heading, justify="left" if heading == "figure" else "right")
    for name, value in figures.items():
        table.add_row(name, f"{value:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
