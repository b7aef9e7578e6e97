# SPDX-License-Identifier: GPL-2.0-only
"""The report of a study, a self-contained HTML file."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.cells import training_job
from defiance_zoo.experiments.study.configuration import PolicyConfig, Study, StudyConfig
from defiance_zoo.experiments.study.plots import Drawn, describe_fixed
from defiance_zoo.experiments.study.series import Axis, StudyResult, plot_table, write_estimate
from defiance_zoo.experiments.training.checkpoints import find_checkpoint, has_checkpoint
from defiance_zoo.experiments.training.evaluation import TRAINED
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.workbench.estimates import INTERVAL, Estimate
from defiance_zoo.experiments.workbench.html import failure_rows, render, to_figure
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
    config = study.config
    page = render(
        "experiments/study/report.html",
        title=f"{study.name}: a study in {lookup(config.env).name}",
        kind="study",
        text=study.text,
        interval=INTERVAL,
        facts=_facts(study, folder, axes, results),
        policies=[
            (name, *_policy(study, folder, name, policy, results))
            for name, policy in config.policies.items()
        ],
        trainings={
            name: to_yaml(policy.train)
            for name, policy in config.policies.items()
            if policy.train is not None
        },
        failed=failure_rows(results),
        idle=[(assignments(each.cell.place),) for each in results if each.is_idle],
        questions=[
            (question, [_answer(config, each, axes) for each in same])
            for question, same in itertools.groupby(plots, lambda each: each.plot.question)
        ],
        measures=[*axes, *(measure.replace("_", " ") for measure in _OVERVIEW)],
        cells=[_cell(axes, each) for each in results],
        texts=len(axes),
    )
    write_whole(folder / "report.html", page)


def _facts(
    study: Study, folder: Path, axes: Mapping[str, Axis], results: Sequence[StudyResult]
) -> dict[str, str]:
    config = study.config
    known = read_json(folder / "versions.json")
    machine = known["machine"]
    if "memory_bytes" in machine:
        machine["memory"] = f"{machine.pop('memory_bytes') / 2**30:.1f} GiB"
    last = config.seed + config.episodes - 1
    played = sum(len(each.record.get("episodes", ())) for each in results)
    return {
        "Environment": config.env,
        "In every cell": assignments(config.parameters) or "the environment's defaults",
        **{f"Grid: {name}": "; ".join(map(str, a.values)) for name, a in axes.items()},
        "Cells": f"{len(results)}, of {config.episodes} episodes each (seeds {config.seed} to "
        f"{last}, the same in every cell); {played} episodes played",
        "Simulation": f"ns-3 {known['scenario'].get('ns3', '')}, program "
        f"{known['scenario']['program_sha256'][:16]}",
        "Software": f"Python {known['python']}, {assignments(known['packages'], ' ')}",
        "Machine": assignments(machine, " "),
    }


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


def _answer(config: StudyConfig, drawn: Drawn, axes: Mapping[str, Axis]) -> dict[str, Any]:
    """Return the figure of a plot, with its numbers."""
    plot = drawn.plot
    fixed = describe_fixed(plot, axes)
    caption = f"{config.label(plot.y)} over {config.label(plot.x)}"
    headings, rows = plot_table(plot, drawn.panels, axes)
    return {
        "svg": to_figure(drawn.svg),
        "caption": f"{caption}; {fixed}" if fixed else caption,
        "headings": headings,
        "rows": rows,
        "texts": 2 if plot.panels else 1,
    }


def _cell(axes: Mapping[str, Axis], result: StudyResult) -> list[Any]:
    measures = (write_estimate(result.estimate(measure)) for measure in _OVERVIEW)
    return [*(result.cell.place[axis] for axis in axes), *measures]
