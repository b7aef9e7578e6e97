# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo eval`: what a policy achieves without exploration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import as_messages, training
from defiance_zoo.command_line.options import (
    WholeNumber,
    json_option,
    parameter_option,
    read_parameters,
)
from defiance_zoo.environments import lookup


@click.command
@click.argument("checkpoint", type=click.Path(path_type=Path))
@parameter_option
@click.option("--episodes", type=WholeNumber(1), help="How many; by default as the run says.")
@click.option(
    "--seed", type=WholeNumber(0), help="Of the first episode; by default as the run says."
)
@click.option("--no-baselines", is_flag=True, help="Play the trained policy alone.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="JSON file to write, too."
)
@json_option
def command(
    checkpoint: Path,
    parameters: tuple[str, ...],
    episodes: int | None,
    seed: int | None,
    no_baselines: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Evaluate the best checkpoint of a run, or the one in the folder CHECKPOINT.

    Parameters that are given here replace those of the training. Every policy plays the same
    episodes.
    """
    with as_messages():
        training()
        from defiance_zoo.training.checkpoints import find_checkpoint
        from defiance_zoo.training.evaluation import evaluate
        from defiance_zoo.training.files import require_writable, to_json, write_whole

        if out is not None:
            require_writable(out)
        spec = lookup(find_checkpoint(checkpoint).config.env)
        found = evaluate(
            checkpoint,
            parameters=read_parameters(parameters, spec),
            episodes=episodes,
            seed=seed,
            compare=not no_baselines,
        )
        if out is not None:
            write_whole(out, to_json(found, 2) + "\n")
    if as_json:
        click.echo(to_json(found))
    else:
        print_evaluation(found)


def print_evaluation(found: dict[str, Any]) -> None:
    """Print what `evaluate()` returned."""
    checkpoint, parameters = found["checkpoint"], found["parameters"]
    last = found["seed"] + found["episodes"] - 1
    click.echo(
        f"{found['env']}, {checkpoint['algorithm']} ({checkpoint['library']}) after "
        f"{checkpoint['steps']:,} decisions; {found['episodes']} episodes, "
        f"seeds {found['seed']} to {last}"
    )
    if parameters:
        chosen = ", ".join(f"{name}={value}" for name, value in parameters.items())
        trained = "" if parameters == checkpoint["parameters"] else " (trained with others)"
        click.echo(f"parameters: {chosen}{trained}")
    headings = ("policy", "mean return", "95 % interval", "least", "greatest")
    rows = [
        (
            name,
            output.number(each["mean"]),
            _interval(each["ci95"]),
            output.number(min(each["returns"])),
            output.number(max(each["returns"])),
        )
        for name, each in found["policies"].items()
    ]
    click.echo()
    output.print_table(headings, rows, right=headings[1:])
    click.echo(f"\nIntervals: {found['interval']}, over episodes.")


def _interval(bounds: list[float | None]) -> str:
    return " to ".join(output.number(bound) for bound in bounds)
