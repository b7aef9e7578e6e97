# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo eval`: the returns of a policy without exploration."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import BadInput
from defiance_zoo.command_line.options import (
    WholeNumber,
    complete_environment,
    complete_policy,
    json_option,
    parameter_option,
    policy_option,
    read_parameters,
    read_policies,
    record_option,
    trace_parameters,
    traces_option,
    trust_option,
)
from defiance_zoo.command_line.parts import import_study, import_training
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import UnknownEnvironment
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.progress import STUDY
from defiance_zoo.experiments.workbench.wording import assignments, number


@click.command
@click.argument(
    "runs",
    metavar="RUN...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    shell_complete=complete_environment,
)
@parameter_option
@traces_option
@click.option(
    "--episodes", type=WholeNumber(1), help="Number of episodes; by default the run's, or 20."
)
@click.option(
    "--seed",
    type=WholeNumber(0),
    help="Seed of the first episode; by default the run's, or 1000.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_policy,
    help="Compare with this policy, such as lookahead, instead of the usual baselines; may be "
    "repeated. 'defiance-zoo info ENV' lists them.",
)
@policy_option
@click.option("--no-baselines", is_flag=True, help="Play the trained policy alone.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Also write a JSON file."
)
@click.option(
    "--leaderboard",
    is_flag=True,
    help="Play the tasks of the environment's leaderboard, and add a row to the file of --out. "
    "Several RUNs count as one policy, trained with several seeds.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="With --leaderboard: each RUN has a separate row, and each two of them are compared.",
)
@record_option
@trust_option
@click.option("--name", help="Name of the row of the leaderboard; by default the folder's.")
@json_option
@quiet_option
def command(
    runs: tuple[Path, ...],
    parameters: tuple[str, ...],
    traces: Path | None,
    episodes: int | None,
    seed: int | None,
    policies: tuple[str, ...],
    options: tuple[str, ...],
    no_baselines: bool,
    out: Path | None,
    leaderboard: bool,
    compare: bool,
    record: Path | None,
    trust: bool,
    name: str | None,
    as_json: bool,
) -> None:
    """Evaluate the best checkpoint of a run, or the checkpoint in the folder RUN.

    Parameters given here replace the parameters of the training. Every policy plays the same
    episodes. RUN may also be the name of an environment: then its baselines play.
    """
    if leaderboard:
        if parameters or policies or options or no_baselines or seed is not None:
            raise click.UsageError("with --leaderboard, only --episodes and --traces can be chosen")
        if record is not None:
            raise click.UsageError("--record and --leaderboard exclude each other")
        names = _row_names(runs, name, compare)
        import_training()
        with waiting(f"playing the leaderboard of {runs[0]}", STUDY) as report:
            document = add_to_leaderboard(names, out, episodes, traces, trust, report)
        output.show(document, as_json, print_leaderboard)
        return
    if len(runs) > 1 or name is not None or compare:
        raise click.UsageError("several RUNs, --compare and --name need --leaderboard")
    import_training()
    from defiance_zoo.bridge.system.whole_files import require_writable, to_json, write_json

    if no_baselines and policies:
        raise click.UsageError("--no-baselines and --policy exclude each other")
    if out is not None:
        require_writable(out)
    chosen = read_policies(policies, options)
    others = [] if no_baselines else chosen

    def read(spec: EnvironmentSpec) -> dict[str, Any]:
        return read_parameters(parameters, spec) | trace_parameters(traces, spec, "held_out")

    with waiting(f"evaluating {runs[0]}") as report:
        how = {"episodes": episodes, "seed": seed, "record": record, "report": report}
        found = _evaluate(runs[0], read, others, trust, how)
    if out is not None:
        write_json(out, found, 2)
    if as_json:
        click.echo(to_json(found))
    else:
        print_evaluation(found)


def _row_names(runs: tuple[Path, ...], name: str | None, compare: bool) -> dict[str, Any]:
    """Return the runs of each row, by the row's name."""
    if not compare:
        return {name or runs[0].resolve().name: runs}
    names = {each.resolve().name: (each,) for each in runs}
    if name is not None or len(names) < len(runs) or len(runs) == 1:
        raise click.UsageError("--compare needs several RUNs with different names, and no --name")
    return names


def _evaluate(
    run: Path,
    read: Callable[[EnvironmentSpec], dict[str, Any]],
    policies: list[NamedPolicy] | None,
    trust: bool,
    how: dict[str, Any],
) -> dict[str, Any]:
    """Evaluate a run; if there is no such folder, the environment of this name."""
    from defiance_zoo.experiments.training.checkpoints import find_checkpoint
    from defiance_zoo.experiments.training.evaluation import evaluate, evaluate_baselines

    if not is_python(run) and (run.exists() or run.name != str(run)):
        spec = lookup(find_checkpoint(run, trust=trust).config.env)
        return evaluate(run, parameters=read(spec), compare=policies, trust=trust, **how)
    try:
        spec = lookup(str(run))
    except UnknownEnvironment as error:
        raise BadInput(f"there is no folder {run}, and {error}") from error
    if policies == []:
        raise click.UsageError("--no-baselines is for runs: an environment has only baselines")
    return evaluate_baselines(str(run), parameters=read(spec), policies=policies, **how)


def print_evaluation(found: dict[str, Any]) -> None:
    """Print the result of `evaluate()`."""
    checkpoint, parameters = found.get("checkpoint"), found["parameters"]
    count, first = found["episodes"], found["seed"]
    what = found["env"]
    if checkpoint is not None:
        what = f"{what}, {checkpoint['method']} after {checkpoint['steps']:,} decisions"
    seeds = f"{count} episodes, seeds {first} to {first + count - 1}"
    click.echo(f"{what}; {seeds if count > 1 else f'1 episode, seed {first}'}")
    if parameters:
        chosen = assignments(parameters)
        others = checkpoint is not None and parameters != checkpoint["parameters"]
        click.echo(f"parameters: {chosen}{' (trained with others)' if others else ''}")
    if checkpoint is not None and (programs := checkpoint.get("programs")):
        click.echo(
            "The scenario has changed since the training: SHA-256 {trained:.16} then, {played:.16} "
            "now.".format(**programs)
        )
    policies: dict[str, dict[str, Any]] = found["policies"]
    agents = _opponents(policies)
    headings = ("policy", "mean return", "95 % interval", "least", "greatest", *agents)
    rows = [
        (
            name,
            number(each["mean"]),
            " to ".join(map(number, each["ci95"])),
            number(min(each["returns"])),
            number(max(each["returns"])),
            *(number(each["agents"][agent]["mean"]) for agent in agents),
        )
        for name, each in policies.items()
    ]
    click.echo()
    output.print_table(headings, rows, right=headings[1:])
    click.echo(f"\nIntervals: {found['interval']}, over episodes.")
    equal = [name for name, each in policies.items() if len(set(each["returns"])) == 1]
    if agents:
        click.echo("The sum over agents is constant: compare policies by the columns of agents.")
    elif count > 1 and equal:
        which = "every policy" if len(equal) == len(policies) else ", ".join(equal)
        click.echo(f"All episodes of {which} had the same return: the interval is meaningless.")
    for name, each in policies.items():
        if failures := each.get("failures"):
            click.echo(f"{name}: episodes were played again after failed simulations: {failures}")
            click.echo(f"The first failure: {each['failure']}")
    for name, reason in found.get("refused", {}).items():
        click.echo(f"Not played: {name}: {reason}")


def _opponents(policies: dict[str, dict[str, Any]]) -> list[str]:
    """Return the agents whose returns cancel each other out, as in a zero-sum game."""
    agents = list(dict.fromkeys(agent for each in policies.values() for agent in each["agents"]))
    present = all(set(agents) == each["agents"].keys() for each in policies.values())
    cancel = all(abs(value) < 1e-9 for each in policies.values() for value in each["returns"])
    earned = any(each["agents"][agent]["mean"] for each in policies.values() for agent in agents)
    return agents if len(agents) > 1 and present and cancel and earned else []


def add_to_leaderboard(
    names: dict[str, tuple[Path, ...]],
    out: Path | None,
    episodes: int | None,
    traces: Path | None,
    trust: bool,
    report: EventCallback,
) -> dict[str, Any]:
    """Play the tasks of the leaderboard of the runs' environment, and write the runs' rows.

    `names` has the runs of each row. The result is the document with `rows`, the names of the new
    rows, its `file`, and `compared`, the comparison of each two rows.
    """
    import_study()
    from defiance_zoo.bridge.system.whole_files import require_writable, write_json
    from defiance_zoo.experiments.study.leaderboard.board import (
        Entry,
        play_entries,
        read_leaderboard,
    )
    from defiance_zoo.experiments.study.leaderboard.document import (
        compare_rows,
        open_document,
        update,
    )
    from defiance_zoo.experiments.training.checkpoints import find_checkpoint

    (first, *_), *_ = names.values()
    env = find_checkpoint(first, trust=trust).config.env
    board = read_leaderboard(env)
    if episodes is not None:
        board = board.with_episodes(episodes)
    if traces is not None:
        board = board.on_traces(trace_parameters(traces, lookup(env), "held_out"))
    stem = env.rpartition(":")[2]
    file = out or Path("runs") / f"leaderboard-{stem}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    require_writable(file)
    document = open_document(file, board)
    entries = [Entry(name, runs=runs) for name, runs in names.items()]
    folder = file.parent / f"leaderboard-{stem}"
    rows = play_entries(board, entries, folder, trust=trust, report=report)
    document = update(document, rows)
    write_json(file, document, 2)
    pairs = itertools.combinations(names, 2)
    compared = [asdict(compare_rows(document, *each)) for each in pairs]
    return {**document, "rows": list(names), "file": str(file), "compared": compared}


def print_leaderboard(document: dict[str, Any]) -> None:
    """Print the rows, best first, with a mark at the rows of the runs, and their comparisons."""
    from defiance_zoo.experiments.study.leaderboard.document import interval_of, mean_scores

    task = document["task"]
    places, last = list(task["deployments"]), task["seed"] + task["episodes"] - 1
    click.echo(
        f"{task['env']}: {task['measure']} in {len(places)} deployments "
        f"({'; '.join(places)}), seeds {task['seed']} to {last}\n"
    )
    rows = sorted(document["results"].items(), key=lambda each: -each[1]["mean"])
    scores = mean_scores(document)
    score = ["score"] if scores else []
    headings = ("", "policy", "mean", "95 % interval", *score, *places, "s an episode")
    table = [
        (
            "*" if name in document["rows"] else "",
            name,
            number(row["mean"]),
            interval_of(row),
            *(f"{scores[name]:.2f}" for _ in score),
            *(number(row["deployments"][place]["mean"]) for place in places),
            number(row["wall_time_s"]),
        )
        for name, row in rows
    ]
    output.print_table(headings, table, right=headings[2:])
    for each in document["compared"]:
        probability, gap = (_with_interval(each[key]) for key in ("probability", "difference"))
        click.echo(
            f"\n{each['name']} against {each['other']}: better in {each['wins']} of "
            f"{each['deployments']} deployments; probability of improvement {probability}; "
            f"difference {gap}"
        )
    click.echo(f"\nIntervals: {document['interval']}. Written to {document['file']}.")


def _with_interval(measured: dict[str, Any]) -> str:
    """Return a measure of a comparison as text."""
    value, low, high = (measured[key] for key in ("value", "low", "high"))
    interval = "" if low is None else f" (95 % interval {low:.3g} to {high:.3g})"
    return f"{value:.3g}{interval}"
