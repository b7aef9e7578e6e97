# SPDX-License-Identifier: GPL-2.0-only
"""Train, continue later, and evaluate the policy in networks in which it was not trained.

The cart is balanced across a simulated UDP link without delay; the table shows the return for links
with delay. Docs: docs/training/training.md
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from defiance_zoo.experiments.training import RunConfig, evaluate, resume, train


@dataclass
class Config:
    """The configuration of the program."""

    steps: int = 30_000
    """Decisions of the first part of the training."""
    until: int = 60_000
    """Decisions at the end of the second part."""
    rollout: int = 256
    """Decisions of each simulation between two updates."""
    episodes: int = 20
    """Episodes of each evaluation."""
    seed: int = 1
    """Seed of the run."""
    out: str = "runs/resume_and_evaluate"
    """Folder of the run; an earlier one is overwritten."""


DELAYS = ("0ms", "10ms", "20ms", "40ms")


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        flag = f"--{each.name}"
        kind = type(each.default)
        parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


def show(event: dict) -> None:
    """Print the progress of the training."""
    if event["event"] == "checkpoint":
        print(f"saved at {event['steps']:,} decisions", flush=True)


def main() -> None:
    """Train in two parts, and evaluate with each delay."""
    config = parse_arguments()
    out = Path(config.out)
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain
    run = RunConfig(
        env="cart_pole_v0",
        parameters={"transport": "udp", "delay": DELAYS[0]},
        hyperparameters={"n_steps": config.rollout, "gamma": 0.98, "learning_rate": 1e-3},
        simulations=4,
        steps=config.steps,
        seed=config.seed,
        evaluation={"episodes": config.episodes},
    )
    train(run, out, overwrite=True, report=show)
    resume(out, until=config.until, report=show)

    table = Table(title=f"Mean return of {config.episodes} episodes, at most 500")
    table.add_column("delay")
    for number, delay in enumerate(DELAYS):
        policies = evaluate(out, parameters={"delay": delay})["policies"]
        if number == 0:
            for name in policies:
                table.add_column(name, justify="right")
        table.add_row(delay, *(f"{each['mean']:.1f}" for each in policies.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
