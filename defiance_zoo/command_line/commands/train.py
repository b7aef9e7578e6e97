# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo train`: a run, described by a file, flags or both."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import click

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.command_line.failures import BadInput
from defiance_zoo.command_line.options import (
    WholeNumber,
    complete_environment,
    parameter_option,
    read_parameters,
    read_value,
    record_evaluations_option,
    split,
    trace_parameters,
    traces_option,
    trust_option,
)
from defiance_zoo.command_line.parts import import_training
from defiance_zoo.command_line.progress import Mode, follow, modes
from defiance_zoo.environments import lookup
from defiance_zoo.errors import UnknownEnvironment

_KEYS = {
    "checkpoint_every": ("checkpoint_every",),
    "evaluate_every": ("evaluation", "every"),
    "evaluation_episodes": ("evaluation", "episodes"),
    "evaluation_seed": ("evaluation", "seed"),
    "baselines": ("evaluation", "baselines"),
    "teacher": ("teacher", "policy"),
    "residual": ("residual", "policy"),
}
"""The keys of a run whose flags have a different name."""


@click.command
@click.argument(
    "config", required=False, type=click.Path(path_type=Path), shell_complete=complete_environment
)
@click.option("--env", help="Environment, such as cart_pole_v0.")
@click.option("--library", help="Library, such as sb3; 'doctor' lists the installed ones.")
@click.option("--algorithm", help="Algorithm, such as PPO, A2C, DQN, SAC, APPO, IMPALA.")
@click.option(
    "--steps", type=WholeNumber(), help="Decisions of all agents after which the training stops."
)
@click.option("--seed", type=WholeNumber(), help="Seed of weights, exploration and simulations.")
@click.option(
    "--simulations", type=WholeNumber(), help="Simulations that run side by side in each process."
)
@click.option("--max-agents", type=WholeNumber(), help="Rows for agents in each simulation.")
@click.option("--runners", type=WholeNumber(), help="Processes that sample.")
@click.option("--threads", type=WholeNumber(), help="Threads of PyTorch; 1 by default.")
@click.option("--ray-address", help="Address of an existing Ray cluster.")
@click.option("--policies", help="shared, individual, or JSON: policies by agent pattern.")
@click.option("--normalize/--no-normalize", default=None, help="Scale observations and rewards.")
@click.option("--features", help="Observed features: FrameStack, Symlog, Summary, module:Class.")
@click.option("--teacher", help="Policy to imitate first, such as lookahead.")
@click.option("--residual", help="Hand-written policy to start as and to correct.")
@click.option("--rollouts", help="through-python or in-simulation-batched.")
@click.option("--checkpoint-every", type=WholeNumber(), help="Decisions between two checkpoints.")
@click.option("--evaluate-every", type=WholeNumber(), help="Decisions between two evaluations.")
@click.option("--evaluation-episodes", type=WholeNumber(), help="Episodes of an evaluation.")
@click.option(
    "--evaluation-seed", type=WholeNumber(), help="Seed of an evaluation's first episode."
)
@click.option(
    "--baselines/--no-baselines", default=None, help="Also play baselines at the run's end."
)
@parameter_option
@traces_option
@click.option(
    "--hyper",
    multiple=True,
    metavar="NAME=VALUE",
    help="Hyperparameter of the algorithm, such as n_steps=256; may be repeated.",
)
@click.option(
    "--feature-option",
    "feature_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Argument of the class of features, such as frames=4; may be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the run; by default runs/ with environment, algorithm and time.",
)
@click.option("--overwrite", is_flag=True, help="Delete the run that the folder holds.")
@record_evaluations_option
@trust_option
@modes
def command(
    config: Path | None,
    parameters: tuple[str, ...],
    traces: Path | None,
    hyper: tuple[str, ...],
    feature_options: tuple[str, ...],
    out: Path | None,
    overwrite: bool,
    record: bool,
    trust: bool,
    mode: Mode | None,
    **flags: Any,
) -> None:
    """Train as described by the YAML file CONFIG, by flags, or by both; flags override the file.

    CONFIG may also be the name of an environment, as after --env, or a scenario in Python.

    Ctrl-C and SIGTERM save a checkpoint after the current iteration; a second signal aborts.
    """
    config, env = _file_or_environment(config)
    library = import_training()
    from defiance_zoo.experiments.training.run_config_file import build_config
    from defiance_zoo.experiments.workbench.descriptions import merge, read_yaml

    values = merge(read_yaml(config) if config else {}, env, _to_keys(flags))
    if (parameters or traces) and isinstance(values.get("env"), str):
        spec = lookup(values["env"])
        chosen = read_parameters(parameters, spec) | trace_parameters(traces, spec, "training")
        values = merge(values, {"parameters": chosen})
    assigned = (
        ("hyperparameters", hyper, "--hyper"),
        ("feature_options", feature_options, "--feature-option"),
    )
    for key, texts, flag in assigned:
        if texts:
            chosen = {name: read_value(text) for name, text in split(texts, flag).items()}
            values = merge(values, {key: chosen})
    run = build_config(values)
    folder = out or _default_folder(lookup(run.env).name, run.algorithm)
    follow(
        lambda report: library.train(
            run, folder, overwrite=overwrite, record=record, trust=trust, report=report
        ),
        mode,
    )


def _file_or_environment(named: Path | None) -> tuple[Path | None, dict[str, str]]:
    """Return the file of a run or, if none was given, the run's environment."""
    if named is None or (not is_python(named) and (named.is_file() or named.suffix)):
        return named, {}
    try:
        lookup(str(named))
    except UnknownEnvironment as error:
        raise BadInput(f"there is no file {named}, and {error}") from error
    return None, {"env": str(named)}


def _to_keys(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the given flags as keys of a run's description."""
    values: dict[str, Any] = {}
    for name, value in flags.items():
        if value is None:
            continue
        *sections, key = _KEYS.get(name, (name,))
        place = values
        for section in sections:
            place = place.setdefault(section, {})
        place[key] = read_value(value) if name == "policies" else value
    return values


def _default_folder(env: str, algorithm: str) -> Path:
    name = env.rpartition(":")[2].replace("/", "-")
    return Path("runs") / f"{name}-{algorithm}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
