# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo random`: episodes with random actions."""

from __future__ import annotations

import contextlib
import statistics
from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import (
    env_argument,
    json_option,
    parameter_option,
    read_parameters,
    record_option,
    seed_option,
)
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.evaluation import PlayedEpisode, RandomPolicy, open_env, play
from defiance_zoo.experiments.workbench.wording import number


@click.command
@env_argument
@parameter_option
@click.option("--episodes", type=click.IntRange(1), default=5, show_default=True)
@seed_option
@record_option
@json_option
@quiet_option
def command(
    env: str,
    parameters: tuple[str, ...],
    episodes: int,
    seed: int,
    record: Path | None,
    as_json: bool,
) -> None:
    """Play episodes of ENV with random actions, and print their returns."""
    spec = lookup(env)
    arguments = read_parameters(parameters, spec)
    with (
        waiting(f"playing {spec.name}") as report,
        contextlib.closing(open_env(spec, {**arguments, "record": record})) as made,
    ):
        policy = RandomPolicy(made.action_space, seed)
        played = list(
            play(made, policy, episodes=episodes, seed=seed, name="random actions", report=report)
        )
    output.show({"env": spec.name, "parameters": arguments, **_facts(played)}, as_json, _print)


def _facts(played: list[PlayedEpisode]) -> dict[str, Any]:
    took = sum(each.wall_time_s for each in played)
    return {
        "episodes": [
            {
                "seed": each.seed,
                "return": each.mean_return,
                "returns": each.returns,
                "decisions": each.decisions,
                "sim_time_s": each.sim_time_s,
            }
            for each in played
        ],
        "decisions_per_second": sum(each.decisions for each in played) / took,
    }


def _print(facts: dict[str, Any]) -> None:
    headings = ("seed", "return", "decisions", "simulated s")
    rows = [
        (str(e["seed"]), f"{e['return']:g}", str(e["decisions"]), f"{e['sim_time_s']:.3f}")
        for e in facts["episodes"]
    ]
    output.print_table(headings, rows, right=headings)
    mean = statistics.fmean(each["return"] for each in facts["episodes"])
    rate = number(facts["decisions_per_second"], 0)
    click.echo(f"\nmean return {mean:g}; {rate} decisions/s")
