# SPDX-License-Identifier: GPL-2.0-only
"""The report of a study, a self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.configuration import PolicyConfig, Study, StudyConfig
from defiance_zoo.experiments.study.jobs import training_job
from defiance_zoo.experiments.study.plots import Drawn, describe_fixed
from defiance_zoo.experiments.study.result_tables import StudyResult
from defiance_zoo.experiments.study.series import Axis, plot_table, write_estimate
from defiance_zoo.experiments.training.checkpoints import find_checkpoint, has_checkpoint
from defiance_zoo.experiments.training.evaluation import TRAINED
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.workbench.estimates import INTERVAL, Estimate
from defiance_zoo.experiments.workbench.files import write_whole
from defiance_zoo.experiments.workbench.html import details, failures, figure, report_page, table
from defiance_zoo.experiments.workbench.wording import assignments

_OVERVIEW = ("return", "return_per_unit", "bytes_per_s", "observation_mean_latency_s")


def write_report(
    study: Study,
    folder: Path,
    axes: Mapping[str, Axis],
    results: Sequence[StudyResult],
    plots: Sequence[Drawn],
) -> None:
    """Write `report.html`."""
    title = f"{study.name}: a study in {study.config.env}"
    idle = [each for each in results if each.is_idle]
    parts = [
        *_description(study, folder, axes, results),
        *failures(results, "study"),
        *(_idle(idle) if idle else ()),
        *_answers(study.config, plots, axes),
        "<h2>All cells</h2>",
        f"<p>Means over episodes; intervals are {INTERVAL}. <code>cells.csv</code> and "
        "<code>episodes.parquet</code> have every measure.</p>",
        details(f"{len(results)} cells", _cells(axes, results)),
    ]
    write_whole(folder / "report.html", report_page(title, parts, "study", study.text))


def _description(
    study: Study, folder: Path, axes: Mapping[str, Axis], results: Sequence[StudyResult]
) -> Iterable[str]:
    config = study.config
    known = read_json(folder / "versions.json")
    last = config.seed + config.episodes - 1
    played = sum(len(each.record.get("episodes", ())) for each in results)
    facts = {
        "Environment": config.env,
        "In every cell": assignments(config.parameters) or "the environment's defaults",
        **{f"Grid: {name}": "; ".join(map(str, a.values)) for name, a in axes.items()},
        "Cells": f"{len(results)}, of {config.episodes} episodes each (seeds {config.seed} to "
        f"{last}, the same in every cell); {played} episodes played",
        "Simulation": f"ns-3 {known['scenario'].get('ns3', '')}, program "
        f"{known['scenario']['program_sha256'][:16]}",
        "Software": f"Python {known['python']}, {assignments(known['packages'], ' ')}",
        "Machine": assignments(known["machine"], " "),
    }
    yield "<h2>What was run</h2>"
    yield table((), list(facts.items()))
    yield "<h3>Policies</h3>"
    rows = [(n, *_policy(study, folder, n, p, results)) for n, p in config.policies.items()]
    yield table(("policy", "what it is", "in the evaluation of its run"), rows)
    for name, policy in config.policies.items():
        if policy.train is not None:
            described = f"<pre>{escape(to_yaml(policy.train))}</pre>"
            yield details(f"How {name} was trained", described)


def _policy(
    study: Study, folder: Path, name: str, policy: PolicyConfig, results: Sequence[StudyResult]
) -> tuple[str, str]:
    """Return the description of a policy, and the results that its run reports."""
    if policy.baseline is not None:
        chosen = f" with {assignments(policy.options)}" if policy.options else ""
        return f"baseline {policy.baseline}{chosen}", ""
    if policy.per_deployment:
        return "trained anew in each deployment", ""
    training = next((r.cell.training for r in results if r.cell.policy == name), None)
    own = study.folder / (policy.run or "")
    run = own if training is None else training_job(folder, training).folder
    try:
        if training is not None and not has_checkpoint(run):
            return "its training failed", ""
        found = find_checkpoint(run)
    except ParameterError as error:  # the run was deleted after its cells were played
        return str(error), ""
    steps, how = found.counters.steps, found.config
    trained = f"{how.algorithm} ({how.library}), {steps:,} decisions, seed {how.seed}"
    where = assignments(how.parameters) or "the environment's defaults"
    evaluation = run / "evaluation.json"
    if not evaluation.is_file():
        return f"{trained}, with {where}", ""
    return f"{trained}, with {where}", _achieved(evaluation)


def _achieved(evaluation: Path) -> str:
    """Return the result of a run from its untrusted file."""
    try:
        found = read_json(evaluation)["policies"][TRAINED]
        low, high = found["ci95"]
        return write_estimate(Estimate(float(found["mean"]), low, high))
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{evaluation.name} cannot be read: {error}"


def _answers(
    config: StudyConfig, plots: Sequence[Drawn], axes: Mapping[str, Axis]
) -> Iterable[str]:
    question = None
    for each in plots:
        if each.plot.question != question:
            question = each.plot.question
            yield f"<h2>{escape(question)}</h2>"
        fixed = describe_fixed(each.plot, axes)
        y, x = config.label(each.plot.y), config.label(each.plot.x)
        caption = f"{y} over {x}" + (f"; {fixed}" if fixed else "")
        yield figure(each.svg, caption, f"Intervals are {INTERVAL}.", _numbers(each, axes))


def _numbers(drawn: Drawn, axes: Mapping[str, Axis]) -> str:
    texts = 2 if drawn.plot.panels else 1
    return table(*plot_table(drawn.plot, drawn.panels, axes), texts)


def _idle(idle: Sequence[StudyResult]) -> Iterable[str]:
    yield f"<h2>In {len(idle)} cells no agent ever decided</h2>"
    yield "<p>Their returns say nothing about a policy.</p>"
    yield table(("cell",), [(assignments(each.cell.place),) for each in idle])


def _cells(axes: Mapping[str, Axis], results: Sequence[StudyResult]) -> str:
    rows = [
        [
            *(each.cell.place[axis] for axis in axes),
            *(write_estimate(each.estimate(measure)) for measure in _OVERVIEW),
        ]
        for each in results
    ]
    headings = [*axes, *(measure.replace("_", " ") for measure in _OVERVIEW)]
    return table(headings, rows, len(axes))
