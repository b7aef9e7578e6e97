# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo debug`: a simulation in a debugger, while Python decides."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import click

from defiance_zoo.bridge.process.programs import is_python, start_words
from defiance_zoo.bridge.simulation import RngState, Scenario, StartCommand
from defiance_zoo.bridge.simulation.distributions import read_distributions
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.command_line.options import env_argument, parameter_option, read_parameters
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.arguments import RESERVED
from defiance_zoo.experiments.evaluation import RandomPolicy, play

TOOLS = {
    "gdb": ("gdb", "--args"),
    "valgrind": ("valgrind", "--leak-check=full", "--track-origins=yes"),
    "plain": (),
}
"""A program that a simulation can be started in."""

_DAY_S = 86400.0  # the user may stop at a breakpoint for a long time


@click.command
@env_argument
@parameter_option
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--attach/--no-attach",
    default=None,
    help="Wait for the simulation, and play an episode with random actions; or print how to run "
    "the simulation without Python, with the scenario's policy. By default, wait if the scenario "
    "is in C++.",
)
def command(env: str, parameters: tuple[str, ...], seed: int, attach: bool | None) -> None:
    """Print how to start the simulation of ENV in gdb or valgrind, and wait for it.

    Run one of the printed commands in another terminal. A scenario in Python is played here, with
    random actions: its output appears, and breakpoint() opens Python's debugger.
    """
    spec = lookup(env)
    arguments = read_parameters(parameters, spec)
    lonely = None if attach else alone(spec.scenario, arguments, seed)
    if lonely is None or (attach is None and not is_python(lonely.program)):
        _play(spec, arguments, seed)
    elif attach is None:
        _become(lonely)
    else:
        _print_commands(lonely)


def _become(command: StartCommand) -> NoReturn:
    """Turn this process into the simulation, with this terminal."""
    words = [*start_words(command.program), *command.arguments]
    sys.stdout.flush()
    os.execve(words[0], words, {**os.environ, **command.variables})


def _play(spec: EnvironmentSpec, arguments: dict[str, Any], seed: int) -> None:
    patient = {"timeout": _DAY_S, "attach_timeout": _DAY_S, "announce": _announce}
    with contextlib.closing(spec.raw_env(**{**patient, **arguments, "launch": "attach"})) as made:
        policy = RandomPolicy(made.action_space, seed)
        for episode in play(made, policy, episodes=1, seed=seed):
            click.echo(
                f"The episode is over: {episode.decisions} decisions, mean return "
                f"{episode.mean_return:g}, {episode.sim_time_s:g} s of simulated time."
            )


def _announce(command: StartCommand) -> None:
    _print_commands(command)
    click.echo("\nWaiting for the simulation: run one of these in another terminal.")


def _print_commands(command: StartCommand) -> None:
    for name, tool in TOOLS.items():
        missing = "" if not tool or shutil.which(tool[0]) else f" ({tool[0]} is not installed)"
        click.echo(f"{name}{missing}:\n  {command.shell(*tool)}")


def alone(
    scenario: Scenario, arguments: Mapping[str, Any], seed: int, *control: str, **variables: str
) -> StartCommand:
    """Return the command that starts a simulation without Python.

    Parameters that are distributions have their values in the episode of the seed. `control` are
    more arguments of the program, and `variables` are set in its environment.
    """
    ours = read_distributions({k: value for k, value in arguments.items() if k not in RESERVED})
    rng = RngState(rng_seed(seed), 1)
    command = scenario.command({**ours, **scenario.draw(ours, rng)})
    variables = {"NS_GLOBAL_VALUE": f"RngSeed={rng.seed}", **variables}
    return StartCommand(variables, command.program, [*command.arguments, *control])
