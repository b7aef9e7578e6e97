# SPDX-License-Identifier: GPL-2.0-only
"""Options that several sub-commands have, and values of the form NAME=VALUE."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from defiance_zoo.bridge.simulation import Parameter, ParameterType, describe
from defiance_zoo.command_line.failures import BadInput
from defiance_zoo.environments import EnvironmentSpec, lookup, registered
from defiance_zoo.errors import UnknownEnvironment
from defiance_zoo.experiments.evaluation import NamedPolicy, policy_makers

record_option = click.option(
    "--record",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Record each episode in a new folder inside FOLDER.",
)
environment_option = click.option(
    "--env",
    "env",
    metavar="ENV",
    help="Your own environment, such as my_module:my_protocol_v0.",
)


def find_spec(env: str | None) -> EnvironmentSpec | None:
    """Return the environment of a name."""
    if env is None:
        return None
    try:
        return lookup(env)
    except UnknownEnvironment as error:
        if ":" in env or Path(env).exists() or Path(env).suffix or "/" in env:
            raise
        raise UnknownEnvironment(
            f"{error}; name your own environment with the module that registers it, --env "
            f"module:{env}"
        ) from None


_Function = TypeVar("_Function", bound=Callable[..., Any])
_QUANTITIES = (ParameterType.TIME, ParameterType.DATA_RATE)


def complete_environment(
    _context: click.Context, _argument: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Return names of environments for the shell, or files if none begins like this."""
    names = [CompletionItem(name) for name in registered() if name.startswith(begun)]
    return [CompletionItem(begun, type="file"), *names]  # bash drops what comes before a file


def _completion(
    list_names: Callable[[EnvironmentSpec], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return a function that returns names for the shell, from a command's environment."""

    def complete(
        context: click.Context, _option: click.Parameter, begun: str
    ) -> list[CompletionItem]:
        names: list[str] = []
        with contextlib.suppress(Exception):  # a shell cannot show errors
            # Click stops at an option without a value, and has not read the arguments.
            names = list(list_names(lookup(context.args[0])))
        return [CompletionItem(name) for name in names if name.startswith(begun)]

    return complete


_complete_parameter = _completion(
    lambda spec: (f"{name}=" for name in describe(spec.scenario.locate()).parameters)
)
complete_policy = _completion(policy_makers)

env_argument = click.argument("env", shell_complete=complete_environment)
parameter_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=_complete_parameter,
    help="Argument of the environment, such as delay=20ms; may be repeated. "
    "'defiance-zoo info ENV' lists them.",
)
traces_option = click.option(
    "--traces",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of capacity traces: train with one part, and evaluate on the held-out part.",
)
policy_option = click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="POLICY.NAME=VALUE",
    help="Option of a policy, such as lookahead.horizon=30; may be repeated.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Seed of the first episode and of the policy; each episode adds 1.",
)
record_evaluations_option = click.option(
    "--record-evaluations",
    "record",
    is_flag=True,
    help="Record the first episode of each evaluation during training, into episodes/ of the run.",
)
trust_option = click.option(
    "--trust",
    is_flag=True,
    help="Load checkpoints and policies that were not written on this machine: they can run any "
    "code when loaded. Also needed for runs copied from another machine.",
)
new_program_option = click.option(
    "--new-program",
    is_flag=True,
    help="Continue even if the program of the scenario has changed since the work began.",
)


def out_option(kind: str, begin: str) -> Callable[[_Function], _Function]:
    """Return the option for a folder that is otherwise named by the file of its description."""
    help_text = f"Folder of the {kind}; by default {begin}-NAME in runs/, with the file's name."
    return click.option("--out", type=click.Path(path_type=Path), help=help_text)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


class WholeNumber(click.IntRange):
    """A whole number, which may be written as 1e5, as in YAML."""

    name = "integer"

    def _describe_range(self) -> str:
        """Return the range for `--help`; empty without bounds, for which Click prints `x<=None`."""
        return "" if self.min is None and self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        with contextlib.suppress(ValueError):
            if "e" in str(value).lower() and (number := float(value)).is_integer():
                value = int(number)
        return super().convert(value, param, ctx)


def split(assignments: tuple[str, ...], option: str) -> dict[str, str]:
    """Return names and values of NAME=VALUE."""
    values: dict[str, str] = {}
    for each in assignments:
        name, sign, value = each.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{each!r} is not NAME=VALUE", param_hint=f"'{option}'")
        if name in values:
            raise click.BadParameter(f"{name!r} is given twice", param_hint=f"'{option}'")
        values[name] = value
    return values


def read_value(text: str) -> Any:
    """Return the value of a text in JSON, such as 3, 1e-3, true or [64, 64]; else the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # not JSON, or numbers and lists that Python cannot read
        return text


def read_parameters(assignments: tuple[str, ...], spec: EnvironmentSpec) -> dict[str, Any]:
    """Return arguments of an environment; they are not checked here.

    A value is a text if the scenario declares a text, a time or a data rate. The value of another
    parameter may be an object in JSON: a distribution or, if agents may differ, their values by
    name.
    """
    texts = split(assignments, "-p")
    declared: Mapping[str, Parameter] = {}
    if texts and spec.scenario.describes_itself:
        declared = describe(spec.scenario.locate()).parameters
    return {
        name: text if _is_text(declared.get(name), text) else read_value(text)
        for name, text in texts.items()
    }


def trace_parameters(folder: Path | None, spec: EnvironmentSpec, part: str) -> dict[str, Any]:
    """Return the parameter for capacity traces, drawn from a part of a folder, if there is one."""
    if folder is None:
        return {}
    declaration = spec.scenario.declaration({})
    names = declaration.parameters.keys() & _OF_TRACES if declaration else ()
    if not names:
        raise BadInput(f"{spec.name} has no parameter for capacity traces: leave out --traces")
    return {name: {"traces": [str(folder.absolute()), part]} for name in names}


_OF_TRACES = {"capacity_trace", "trace_file"}


def _is_text(parameter: Parameter | None, text: str) -> bool:
    if parameter is None or parameter.type not in (ParameterType.TEXT, *_QUANTITIES):
        return False
    free = parameter.type not in _QUANTITIES and not parameter.choices and not parameter.per_agent
    return free or not text.startswith("{")


def read_policies(names: tuple[str, ...], options: tuple[str, ...]) -> list[NamedPolicy] | None:
    """Return the named policies with their options; None if there are none."""
    chosen: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, text in split(options, "-o").items():
        policy, dot, name = key.partition(".")
        if not dot or policy not in chosen:
            named = f"--policy names {sorted(chosen)}" if chosen else "--policy names none"
            near = ""
            if not dot and len(chosen) == 1:
                near = f"; did you mean {f'{names[0]}.{key}'!r}?"
            raise click.BadParameter(
                f"{key!r} is not an option of a policy that plays: {named}{near}",
                param_hint="'-o'",
            )
        chosen[policy][name] = read_value(text)
    return [NamedPolicy(name, chosen[name]) for name in names] or None
