# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition record`: episodes as files."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import as_messages
from defiance_zoo.command_line.options import (
    json_option,
    parameter_option,
    policy_option,
    read_parameters,
    read_policies,
    seed_option,
)
from defiance_zoo.command_line.recorded_options import environment_option, find_spec
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import ReplayDiverged
from defiance_zoo.experiments.evaluation import NamedPolicy, open_env, play
from defiance_zoo.recording import Record, Recording, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded

_PRESETS = ("tendermint",)
_USUAL = "raft"


@click.command
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--protocol", show_default="raft", help="Protocol under test, without --env.")
@environment_option
@click.option(
    "--policy",
    default="random",
    show_default=True,
    help="Policy that tests: random, or another baseline of the environment.",
)
@policy_option
@parameter_option
@click.option("--episodes", type=click.IntRange(1), default=1, show_default=True)
@seed_option
@click.option(
    "--keep",
    type=click.Choice(["all", "violations"]),
    default="all",
    show_default=True,
    help="Episodes to write.",
)
@click.option(
    "--stop-on",
    type=click.Choice(["violation"]),
    help="Play no further episode after one with a violation.",
)
@click.option("--pcap", is_flag=True, help="Also capture the packets of each link.")
@json_option
def command(
    folder: Path,
    protocol: str | None,
    env: str | None,
    policy: str,
    options: tuple[str, ...],
    parameters: tuple[str, ...],
    episodes: int,
    seed: int,
    keep: str,
    stop_on: str | None,
    pcap: bool,
    as_json: bool,
) -> None:
    """Play episodes, and write each to a file in FOLDER.

    Episodes with a violation are played again, and a difference causes a warning: a protocol that
    depends on the time of the machine cannot be tested. The exit status is 0 with and without
    violations.
    """
    from defiance_zoo.envs.partition.partition_v0 import chart_arguments
    from defiance_zoo.protocols.violations import is_violated

    with as_messages():
        spec, chosen = _find_protocol(env, protocol)
        given = {**chosen, **read_parameters(parameters, spec)}
        arguments = chart_arguments(spec.scenario, given)
        named = read_policies((policy,), options)
        assert named is not None  # a policy is named
        record = Record(folder, keep=is_violated if keep == "violations" else None, pcap=pcap)
        rows = _play(spec, {**arguments, "record": record}, named[0], episodes, seed, stop_on)
    facts = {"env": spec.name, "played": rows[0], "episodes": rows[1]}
    output.show(facts, as_json, _print)


def _find_protocol(env: str | None, protocol: str | None) -> tuple[EnvironmentSpec, dict[str, Any]]:
    """Return the environment that tests a protocol, and the argument that selects the protocol.

    A protocol with a preset has its own environment. The environment refuses unknown protocols.
    """
    if env is not None and protocol is not None:
        raise click.UsageError(
            "--protocol is a parameter of this package's environments; with --env, give "
            f"parameters by -p, such as -p protocol={protocol}"
        )
    protocol = protocol or _USUAL
    spec = find_spec(env)
    if spec is not None:
        return spec, {}
    if protocol in _PRESETS:
        return lookup(f"partition_{protocol}_v0"), {}
    return lookup("partition_v0"), {"protocol": protocol}


def _play(
    spec: EnvironmentSpec,
    arguments: dict[str, Any],
    policy: NamedPolicy,
    episodes: int,
    seed: int,
    stop_on: str | None,
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of played episodes, and the facts of the written episodes."""
    rows: list[dict[str, Any]] = []
    played = 0
    record: Record = arguments["record"]
    with contextlib.closing(open_env(spec, arguments)) as env:
        decider = policy.make(spec, env, seed)
        for _ in play(env, decider, episodes=episodes, seed=seed):
            played += 1
            rows += [_facts(spec, path) for path in record.written[len(rows) :]]
            if stop_on and rows and rows[-1]["violation"]:
                break
    return played, rows


def _facts(spec: EnvironmentSpec, path: Path) -> dict[str, Any]:
    from defiance_zoo.protocols.violations import first_violation

    recording = read_recording(path)
    violation = first_violation(recording)
    return {
        "file": str(path),
        "seed": recording.seed,
        "steps": len(recording.decisions),
        "step": violation[0] if violation else None,
        "violation": violation[1] if violation else "",
        "diverged": _find_divergence(spec, recording) if violation else "",
    }


def _find_divergence(spec: EnvironmentSpec, recording: Recording) -> str:
    """Return how an episode differs when it is played again; empty if it is equal."""
    try:
        with contextlib.closing(open_recorded(recording, spec)) as episodes:
            replay(recording, episodes)
    except ReplayDiverged as error:
        return str(error)
    return ""


def _print(facts: dict[str, Any]) -> None:
    rows = facts["episodes"]
    headings = ("file", "seed", "steps", "violation")
    cells = [
        (Path(row["file"]).name, str(row["seed"]), str(row["steps"]), row["violation"])
        for row in rows
    ]
    output.print_table(headings, cells, right=("seed", "steps"))
    for row in rows:
        if row["diverged"]:
            name = Path(row["file"]).name
            click.echo(f"Warning: {name} does not repeat itself: {row['diverged']}", err=True)
    click.echo(f"\n{facts['played']} played, {len(rows)} written")
