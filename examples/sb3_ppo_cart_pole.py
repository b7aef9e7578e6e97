# SPDX-License-Identifier: GPL-2.0-only
"""Train SB3's PPO to balance a cart across a simulated UDP link, and compare with random actions.

`make demo` runs this program; it takes about two minutes on two cores. Observations leave the cart
as packets to the agent on another node, and its pushes return as packets. Docs:
docs/tutorials/demo.md
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium
import matplotlib as mpl
import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

import defiance_zoo  # noqa: F401  registers the environments
from defiance_zoo.envs.cart_pole.baselines import Policy, pole_policy, random_policy
from defiance_zoo.wrappers.sb3 import make_vec_env

mpl.use("Agg")
import matplotlib.pyplot as plt


@dataclass
class Config:
    """The configuration of a run."""

    seed: int = 1
    """Seed of the simulations, the policy's weights and its exploration."""
    total_steps: int = 100_000
    """Decisions of training, over all simulations."""
    n_envs: int = 8
    """Simulations that are stepped together."""
    evaluation_episodes: int = 20
    """Episodes to evaluate with; their seeds are 1000, 1001, ..."""
    transport: str = "udp"
    """The transport of observations and actions."""
    delay: str = "0ms"
    """One-way delay of the access link."""
    data_rate: str = "10Mbps"
    """Data rate of the access link."""
    loss: float = 0.0
    """Probability that a packet is lost."""
    out: str = "runs/sb3_ppo_cart_pole"
    """Folder for checkpoint, learning curve, configuration and evaluation."""
    ppo: dict[str, Any] = field(
        default_factory=lambda: {
            # From RL Baselines3 Zoo for CartPole-v1, without its schedules.
            "n_steps": 32,
            "batch_size": 256,
            "n_epochs": 20,
            "gamma": 0.98,
            "gae_lambda": 0.8,
            "learning_rate": 1e-3,
            "clip_range": 0.2,
            "ent_coef": 0.0,
        }
    )

    @property
    def environment(self) -> dict[str, Any]:
        """Arguments of the environment."""
        names = ("transport", "delay", "data_rate", "loss")
        return {name: getattr(self, name) for name in names}


def parse_arguments() -> Config:
    """Return the configuration from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for each in fields(Config):
        if each.name != "ppo":
            kind = type(getattr(Config(), each.name))
            flag = f"--{each.name.replace('_', '-')}"
            parser.add_argument(flag, type=kind, default=each.default, help="default: %(default)s")
    return Config(**vars(parser.parse_args()))


class ShowProgress(BaseCallback):
    """A progress bar with the mean return of the last 100 episodes; keeps the learning curve."""

    def __init__(self, total_steps: int) -> None:
        super().__init__()
        self.curve: list[tuple[int, float]] = []
        self._progress = Progress(
            TextColumn("[bold]training"),
            BarColumn(),
            TextColumn("{task.completed:,}/{task.total:,} steps  return {task.fields[mean]:.0f}"),
            TimeRemainingColumn(),
        )
        self._task = self._progress.add_task("", total=total_steps, mean=0.0)

    def _on_training_start(self) -> None:
        self._progress.start()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        returns = [episode["r"] for episode in self.model.ep_info_buffer or []]
        if returns:
            self.curve.append((self.num_timesteps, float(np.mean(returns))))
            mean = self.curve[-1][1]
            self._progress.update(self._task, completed=self.num_timesteps, mean=mean)

    def _on_training_end(self) -> None:
        self._progress.stop()


def evaluate(policy: Policy, config: Config) -> np.ndarray:
    """Return the returns of some episodes with fixed seeds, shape (evaluation_episodes,)."""
    env = gymnasium.make("defiance_zoo/CartPole-v0", **config.environment)
    returns = np.zeros(config.evaluation_episodes)
    for episode in range(config.evaluation_episodes):
        observation, _ = env.reset(seed=1000 + episode)
        over = False
        while not over:
            observation, reward, terminated, truncated, _ = env.step(policy(observation))
            returns[episode] += reward
            over = terminated or truncated
    env.close()
    return returns


def plot(curve: list[tuple[int, float]], path: Path) -> None:
    """Draw the learning curve."""
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(*zip(*curve, strict=True))
    axes.set(xlabel="decisions", ylabel="mean return of 100 episodes", ylim=(0, 510))
    axes.set_title("PPO on cart_pole_v0 over a simulated UDP link")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def save_configuration(config: Config, path: Path) -> None:
    """Write the files that are needed to repeat the run."""
    packages = ("defiance-zoo", "stable-baselines3", "torch", "gymnasium", "numpy", "pyzmq")
    versions = {package: version(package) for package in packages}
    versions["python"] = platform.python_version()
    path.write_text(json.dumps({"config": asdict(config), "versions": versions}, indent=2) + "\n")


def main() -> None:
    """Train, evaluate, print, save."""
    config = parse_arguments()
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    save_configuration(config, out / "config.json")
    torch.set_num_threads(1)  # for such small networks, threads cost more than they gain

    env = make_vec_env("cart_pole_v0", n_envs=config.n_envs, seed=config.seed, **config.environment)
    model = PPO("MlpPolicy", env, seed=config.seed, device="cpu", **config.ppo)
    progress = ShowProgress(config.total_steps)
    model.learn(config.total_steps, callback=progress)
    model.save(out / "checkpoint")
    env.close()
    plot(progress.curve, out / "learning_curve.png")

    policies: dict[str, Policy] = {
        "PPO, trained": lambda observation: model.predict(observation, deterministic=True)[0],
        "random": random_policy(gymnasium.spaces.Discrete(2), seed=0),
        "push where the pole falls": pole_policy(gymnasium.spaces.Discrete(2)),
    }
    table = Table(title=f"Return of {config.evaluation_episodes} episodes, at most 500")
    for heading in ("policy", "mean", "least", "greatest"):
        table.add_column(heading, justify="left" if heading == "policy" else "right")
    evaluation = {}
    for name, policy in policies.items():
        returns = evaluate(policy, config)
        evaluation[name] = returns.tolist()
        table.add_row(name, *(f"{v:.1f}" for v in (returns.mean(), returns.min(), returns.max())))
    (out / "evaluation.json").write_text(json.dumps(evaluation, indent=2) + "\n")
    console = Console()
    console.print(table)
    console.print(f"Saved in {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")


if __name__ == "__main__":
    main()
