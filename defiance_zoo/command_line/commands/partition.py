# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition`: tests of protocols."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import click

from defiance_zoo.bridge.system.whole_files import require_writable, write_whole
from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import BadInput
from defiance_zoo.command_line.options import (
    environment_option,
    find_spec,
    json_option,
    out_option,
    parameter_option,
    policy_option,
    read_parameters,
    read_policies,
    seed_option,
)
from defiance_zoo.command_line.parts import import_chart, import_comparison
from defiance_zoo.command_line.progress import Mode, modes, quiet_option, run_cells, waiting
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import DefianceZooError, SimulationError
from defiance_zoo.experiments.workbench.interruption import unmasked
from defiance_zoo.experiments.workbench.progress import (
    Advance,
    Wording,
    advance_cells,
    describe_cells,
    place,
)
from defiance_zoo.experiments.workbench.wording import duration
from defiance_zoo.recording import Record, read_recording
from defiance_zoo.recording.replaying import find_environment, open_recorded


@click.group
def command() -> None:
    """Test replicated protocols: record and shrink episodes of `partition_v0`."""


_PRESETS = ("tendermint",)
_USUAL = "raft"


@command.command
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
@quiet_option
def record(
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
    depends on the time of the machine cannot be tested. With -p histories=true, the answers to
    clients are checked, too. Episodes with real servers are not repeated, and episodes that lag
    behind real time are dropped. The exit status is 0 with and without violations.
    """
    from defiance_zoo.envs.partition.partition_v0 import chart_arguments
    from defiance_zoo.protocols.checking import play_recorded
    from defiance_zoo.protocols.explorers import Random
    from defiance_zoo.protocols.explorers.registry import EXPLORERS
    from defiance_zoo.protocols.violations import is_violated

    spec, chosen = _find_protocol(env, protocol)
    given = {**chosen, **read_parameters(parameters, spec)}
    arguments = chart_arguments(spec.scenario, given)
    named = read_policies((policy,), options)
    assert named is not None  # a policy is named
    if policy in EXPLORERS.keys() - {Random.name, *spec.baselines}:
        raise BadInput(f"{policy} is an explorer of `partition compare`, and no policy")
    record = Record(folder, keep=is_violated if keep == "violations" else None, pcap=pcap)
    arguments = {**arguments, "record": record}
    seeds = range(seed, seed + episodes)
    try:
        with waiting(f"playing {spec.name}") as report:
            facts = play_recorded(spec, arguments, named[0], seeds, report, stops=bool(stop_on))
    except KeyboardInterrupt:
        click.echo(f"interrupted: {len(record.written)} episodes written to {folder}", err=True)
        raise
    output.show({"env": spec.name, **facts}, as_json, _print_recorded)


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


def _print_recorded(facts: dict[str, Any]) -> None:
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
    if facts["undecided"]:
        click.echo(f"Warning: {facts['undecided']} undecided: histories are too long", err=True)
    dropped = f", {facts['lagged']} dropped: behind real time" if facts["lagged"] else ""
    said = ""
    if facts["answers"] is not None:  # there are histories
        writes = f"({facts['answered_writes']} to writes)"
        said = f"; {facts['requests']} requests, {facts['answers']} answers {writes}"
    click.echo(f"\n{facts['played']} played, {len(rows)} written{dropped}{said}")


@command.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; by default FILE.html beside FILE.",
)
@environment_option
@json_option
def show(file: Path, out: Path | None, env: str | None, as_json: bool) -> None:
    """Draw the messages of the episode in FILE, as a page for a browser."""
    chart = import_chart()
    recording = read_recording(file)
    # Nothing is played: this refuses files of another version.
    open_recorded(recording, find_spec(env)).close()
    story = chart.read_story(recording)
    out = out or file.with_suffix(".html")
    require_writable(out)
    write_whole(out, chart.draw_page(story))
    output.show({"file": str(out)}, as_json, lambda facts: click.echo(facts["file"]))


@command.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; by default FILE.shrunk.json beside FILE.",
)
@click.option(
    "--same",
    type=click.Choice(["property", "text"]),
    default="property",
    show_default=True,
    help="Part of the first violation to keep: its property, or also replicas and entries.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0),
    default=math.inf,
    metavar="SECONDS",
    help="Time after which the best result so far is written; by default no limit.",
)
@environment_option
@json_option
@quiet_option
def shrink(
    file: Path, out: Path | None, same: str, budget: float, env: str | None, as_json: bool
) -> None:
    """Leave out actions of the episode in FILE while the same violation remains."""
    from defiance_zoo.protocols.violations import first_violation, shrink_violation
    from defiance_zoo.recording import Effort

    recording = read_recording(file)
    out = out or file.with_suffix(".shrunk.json")
    require_writable(out)
    part: Literal["property", "text"] = "text" if same == "text" else "property"
    with waiting(f"shrinking {file}", Wording(lambda _event: "", _advance_shrinking)) as report:
        effort, kept, stop = Effort(budget, report), [recording], None
        try:
            with unmasked():
                shrink_violation(recording, part, find_spec(env), effort, kept.append)
        except KeyboardInterrupt as error:
            stop = error
    shorter = kept[-1]
    if stop is not None and shorter is recording:
        raise stop  # the violation has not been found again
    write_whole(out, shorter.to_json())
    violation = first_violation(shorter)
    assert violation is not None  # shrinking keeps it
    before, after = len(recording.decisions), len(shorter.decisions)
    left = max(effort.left, 0 if stop is None else 1)
    facts = {"file": str(out), "before": before, "steps": after, "violation": violation[1]}
    if as_json:
        output.print_json({**facts, "plays": effort.plays, "left": left})
    else:
        click.echo(f"{before} steps, of which {after} {'remain' if left else 'are needed'}: {out}")
        if left:
            why = "interrupted" if stop else f"the budget of {budget:g} s is spent"
            click.echo(f"{why}: up to {left} plays were left; shrink {out.name} to continue")
        click.echo(f"step {violation[0]}: {violation[1]}")
    if stop is not None:
        raise stop


def _advance_shrinking(event: dict[str, Any]) -> Advance:
    plays, left = event["plays"], event["left"]
    rest = f"{event['kept']:,} steps left, at most {duration(event['remaining_s'])} more"
    return Advance(plays, plays + left, "plays", rest)


@command.command
@click.argument("file", type=click.Path(path_type=Path))
@environment_option
@parameter_option
@click.option(
    "--neighbours",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Schedules with other actions near the end that are played if there is no violation.",
)
@seed_option
@json_option
@quiet_option
def recheck(
    file: Path,
    env: str | None,
    parameters: tuple[str, ...],
    neighbours: int,
    seed: int,
    as_json: bool,
) -> None:
    """Play the actions of the episode in FILE again, after a change of the protocol.

    FILE may be a folder of episodes, such as the result of `record` or `compare`. States may differ
    from the recorded ones; -p replaces recorded parameters; --seed determines the neighbours. The
    exit status is 1 if a guarantee is violated. Otherwise it is 2 if the actions of an episode
    cannot be played, or its simulation fails, and 0 if no guarantee is violated any more.
    """
    from defiance_zoo.protocols.rechecking import list_recordings, recheck_violation

    def check(path: Path) -> dict[str, Any]:
        recording = read_recording(path)
        spec = find_spec(env) or find_environment(recording.environment)
        given = read_parameters(parameters, spec)
        try:
            with waiting(f"playing {path}"):
                found = recheck_violation(recording, spec, given, neighbours=neighbours, seed=seed)
        except SimulationError as error:  # status 1 would say that a guarantee is violated
            raise BadInput(str(error)) from error
        return asdict(found)

    paths, foreign = list_recordings(file)
    if paths == [file]:
        found = check(file)
        output.show(found, as_json, lambda facts: click.echo(_describe_recheck(facts)))
        rows = [{**found, "problem": ""}]
    else:
        rows, stop = [], None
        try:
            for path in paths:
                rows.append({"file": str(path), **_try_recheck(check, path)})
        except KeyboardInterrupt as error:
            stop = error
        facts = {"episodes": rows, "foreign": [str(each) for each in foreign]}
        output.show({**facts, "left": len(paths) - len(rows)}, as_json, _print_rechecked)
        if stop is not None:
            raise stop
    status = 2 if any(row["problem"] for row in rows) else 0
    status = 1 if any(row["violation"] for row in rows) else status
    if status == 0 and not as_json:
        click.echo("Note: an episode that no longer fails proves little: record more", err=True)
    click.get_current_context().exit(status)


def _try_recheck(check: Callable[[Path], dict[str, Any]], path: Path) -> dict[str, Any]:
    """Return the result of an episode of a folder, or the problem with it."""
    try:
        with unmasked():
            return {**check(path), "problem": ""}
    except (BadInput, DefianceZooError) as error:
        return {"steps": 0, "violation": "", "neighbours": 0, "problem": str(error)}


def _describe_recheck(found: dict[str, Any]) -> str:
    steps, neighbours = found["steps"], found["neighbours"]
    if found["violation"]:
        where = f" of neighbour {neighbours}" if neighbours else ""
        return f"step {steps}{where}: {found['violation']}"
    near = f", and none in {neighbours} neighbours" if neighbours else ""
    return f"no violation in {steps} steps{near}"


def _print_rechecked(facts: dict[str, Any]) -> None:
    rows = facts["episodes"]
    cells = [(Path(row["file"]).name, row["problem"] or _describe_recheck(row)) for row in rows]
    output.print_table(("file", "result"), cells)
    if facts["foreign"]:
        names = ", ".join(Path(each).name for each in facts["foreign"])
        click.echo(f"Warning: not recorded episodes, and ignored: {names}", err=True)
    violated, unplayed = (sum(bool(row[k]) for row in rows) for k in ("violation", "problem"))
    left = f"; interrupted, {facts['left']} left" if facts["left"] else ""
    click.echo(f"\n{len(rows)} episodes: {violated} with a violation, {unplayed} not played{left}")


@command.command
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@out_option("comparison", "comparison")
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one for each core.")
@modes
def compare(file: Path, out: Path | None, workers: int | None, mode: Mode | None) -> None:
    """Run the comparison of explorers that the YAML file FILE describes.

    Cells that are already in its folder do not run again. The exit status is 1 if a cell failed.
    """
    library = import_comparison()
    described = library.read_comparison(file)
    folder = out or Path("runs") / f"comparison-{file.stem}"

    run_cells(
        lambda report: library.compare_explorers(described, folder, workers=workers, report=report),
        mode,
        Wording(_describe, _advance),
    )


def _describe(event: dict[str, Any]) -> str:
    match event["event"]:
        case "cell":
            found = f", violated: {', '.join(event['violations'])}" if event["violations"] else ""
            return f"{place(event)}: coverage {event['coverage']:,}{found}"
        case "shrunk" | "shrinking_stopped":
            needed = "are needed" if event["event"] == "shrunk" else f"remain: {event['file']}"
            found = f"{event['system']}: {event['property']} after {event['steps']:,} steps"
            return f"{found}, of which {event['shrunk']:,} {needed}"
        case _:
            return describe_cells(event, "comparison")


def _advance(event: dict[str, Any]) -> Advance | None:
    if event["event"] == "exploring":
        return Advance(event["step"], event["steps"], "steps", place(event))
    return advance_cells(event)
