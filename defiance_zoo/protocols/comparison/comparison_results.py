# SPDX-License-Identifier: GPL-2.0-only
"""The results of a comparison: tables with a test of two samples, plots of coverage, a report."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.experiments.workbench.estimates import INTERVAL, Estimate
from defiance_zoo.experiments.workbench.events import EventCallback, NotDrawn
from defiance_zoo.experiments.workbench.figure_files import line_colors, save_drawing
from defiance_zoo.experiments.workbench.html import failure_rows, render, to_figure
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.table_files import Row, write_csv, write_parquet
from defiance_zoo.experiments.workbench.wording import assignments, counted
from defiance_zoo.protocols.comparison.configuration import Comparison, ComparisonConfig
from defiance_zoo.protocols.comparison.counterexamples import Counterexample
from defiance_zoo.protocols.comparison.exploration import Cell


@dataclass(frozen=True)
class Difference:
    """The difference between two samples.

    Attributes:
        ratio: Ratio of the means; None if the second mean is 0, or a value is not finite.
        u: Mann and Whitney's statistic: number of pairs in which the first value is better; ties
            count half.
        p: Probability of this or a more extreme u, if neither sample is better.
        effect: u divided by the number of pairs: the probability that a value of the first sample
            is better than one of the second (Vargha and Delaney's A); 0.5 if neither sample is
            better.
    """

    ratio: float | None
    u: float
    p: float
    effect: float


def compare(ours: Sequence[float], theirs: Sequence[float], *, fewer: bool = False) -> Difference:
    """Compare two samples of at least one value by the one-sided Mann-Whitney test.

    The test is exact if no values are equal; otherwise it is the normal approximation with
    corrections for ties and continuity. `fewer`: smaller values are better. Infinity is larger than
    all other values.
    """
    from scipy.stats import mannwhitneyu  # the import takes a second

    sign = -1.0 if fewer else 1.0
    values = [*ours, *theirs]
    ranks = {value: float(number) for number, value in enumerate(sorted(set(values)))}
    one, other = ([sign * ranks[value] for value in sample] for sample in (ours, theirs))
    ties = len(set(values)) < len(values)
    method = "asymptotic" if ties else "exact"
    if len(ranks) == 1:
        u, p = len(ours) * len(theirs) / 2, 1.0
    else:
        test = mannwhitneyu(one, other, alternative="greater", method=method)
        u, p = float(test.statistic), float(test.pvalue)
    finite = all(math.isfinite(value) for value in values)
    below = statistics.fmean(theirs) if finite else 0.0
    ratio = statistics.fmean(ours) / below if below else None
    return Difference(ratio, u, p, u / (len(ours) * len(theirs)))


_DIGITS = 6
STEPS_TO = "steps_to"
"""The measure: the first step with the final coverage of the baseline."""


def tables(config: ComparisonConfig, results: Sequence[Result[Cell]]) -> dict[str, list[Row]]:
    """Return all tables by name; those without rows are left out."""
    done = [each for each in results if each.finished]
    found = {
        "cells": [_cell(each) for each in results],
        "curves": [{**each.cell.place, **p} for each in done for p in each.record["curve"]],
        "violations": [row for each in done for row in _violations(each)],
        "summary": summary(config, done),
    }
    return {name: _aligned(rows) for name, rows in found.items() if rows}


def write_tables(folder: Path, found: dict[str, list[Row]]) -> None:
    """Write each table as CSV and as Parquet."""
    for name, rows in found.items():
        write_csv(folder / f"{name}.csv", rows)
        write_parquet(folder / f"{name}.parquet", rows)


def _aligned(rows: list[Row]) -> list[Row]:
    """Add missing columns to rows."""
    columns: Row = {}
    for row in rows:
        columns |= dict.fromkeys(row)
    return [{**columns, **row} for row in rows]


def _cell(result: Result[Cell]) -> Row:
    record = result.record
    row: Row = dict(result.cell.place)
    counts = ("steps", "episodes", "coverage", "warnings", "out_of_bounds")
    for name in (*counts, "requests", "answers", "answered_writes"):
        row[name] = record.get(name)
    for name, count in record.get("final", {}).items():
        first = record["first_final"].get(name, {})
        row[f"final/{name}"] = count
        row[f"first_step/{name}"] = first.get("step")
        row[f"first_episode/{name}"] = first.get("episode")
    row["violated"] = " ".join(sorted(record.get("violations", ())))
    return {**row, "error": record.get("error"), "message": record.get("message")}


def _violations(result: Result[Cell]) -> Iterable[Row]:
    for name, known in sorted(result.record["violations"].items()):
        yield {
            **result.cell.place,
            "property": name,
            "first_step": known["step"],
            "first_episode": known["episode"],
            "times": known["times"],
            "episode_seed": known["seed"],
            "actions": " ".join(map(str, known["actions"])),
            "said": known["said"],
        }


# ---------------------------------------------------------------------- summary


def summary(config: ComparisonConfig, results: Sequence[Result[Cell]]) -> list[Row]:
    """Return a row for each measure of each policy in each system, compared with the baseline."""
    rows = []
    for system in config.systems:
        mine = [each for each in results if each.cell.system == system]
        for measure, fewer in _measures(mine, config.compared_with):
            samples = {
                policy: [_value(each, measure) for each in mine if each.cell.policy == policy]
                for policy in config.policies
            }
            for policy, sample in samples.items():
                if sample:
                    theirs = samples[config.compared_with] if policy != config.compared_with else []
                    place = {"system": system, "measure": measure, "policy": policy}
                    rows.append({**place, **_summarised(sample, theirs, fewer=fewer)})
    return rows


def _measures(results: Sequence[Result[Cell]], baseline: str) -> list[tuple[str, bool]]:
    """Return the name of each measure, and whether a smaller value is better."""
    finals = {name for each in results for name in each.record["final"]}
    violated = {name for each in results for name in each.record["violations"]}
    found = [("coverage", False)]
    theirs = [each.record["coverage"] for each in results if each.cell.policy == baseline]
    if theirs:
        found.append((f"{STEPS_TO}/{math.floor(statistics.fmean(theirs))}", True))
    for name in sorted(finals):
        found += [(f"final/{name}", False), (f"first_step/{name}", True)]
    for name in sorted(violated):
        found += [(f"violation/{name}/step", True), (f"violation/{name}/episode", True)]
    return found


def _value(result: Result[Cell], measure: str) -> float:
    """Return a measure of a cell; infinity if it found no violation."""
    kind, _, rest = measure.partition("/")
    record = result.record
    if kind == "coverage":
        return float(record["coverage"])
    if kind == STEPS_TO:
        reached = (p["step"] for p in record["curve"] if p["coverage"] >= int(rest))
        return float(next(reached, math.inf))
    if kind == "final":
        return float(record["final"].get(rest, 0))
    if kind == "first_step":
        return float(record["first_final"].get(rest, {}).get("step", math.inf))
    name, _, unit = rest.rpartition("/")
    return float(record["violations"].get(name, {}).get(unit, math.inf))


def _summarised(sample: list[float], theirs: list[float], *, fewer: bool) -> Row:
    finite = [value for value in sample if math.isfinite(value)]
    estimate = Estimate.of(finite) if finite else None
    difference = compare(sample, theirs, fewer=fewer) if theirs else None
    median = statistics.median(sample)
    row: dict[str, float | None] = {
        "mean": estimate.mean if estimate else None,
        "std": statistics.stdev(finite) if len(finite) > 1 else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "median": median if math.isfinite(median) else None,
        **(vars(difference) if difference else dict.fromkeys(("ratio", "u", "p", "effect"))),
    }
    rounded = {k: None if v is None else float(f"{v:.{_DIGITS}g}") for k, v in row.items()}
    return {"cells": len(sample), "found": len(finite), **rounded}


# ---------------------------------------------------------------------- plots


@dataclass(frozen=True)
class Drawn:
    """A plot."""

    system: str
    measure: str
    svg: bytes | NotDrawn


def draw_curves(
    config: ComparisonConfig,
    results: Sequence[Result[Cell]],
    folder: Path,
    report: EventCallback,
) -> list[Drawn]:
    """Draw each measure of each system over steps, with 95 % intervals of the mean."""
    drawn: list[Drawn] = []
    for system, described in config.systems.items():
        mine = [each for each in results if each.cell.system == system and each.finished]
        finals = [f"final/{name}" for name in described.hierarchies]
        for measure in ["coverage", *finals] if mine else []:
            name = f"{len(drawn) + 1:02}-{measure.replace('/', '-')}"
            draw = functools.partial(_draw, config, mine, measure)
            drawn.append(Drawn(system, measure, save_drawing(draw, folder / name, report)))
    return drawn


def _draw(config: ComparisonConfig, results: Sequence[Result[Cell]], measure: str) -> Figure:
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    part = figure.subplots()
    colors = line_colors(len(config.policies))
    for color, policy in zip(colors, config.policies, strict=True):
        mine = [each.record["curve"] for each in results if each.cell.policy == policy]
        by_step: dict[int, list[float]] = {}
        for curve in mine:
            for point in curve:
                by_step.setdefault(point["step"], []).append(float(point[measure]))
        whole = {step: values for step, values in by_step.items() if len(values) == len(mine)}
        if whole:
            steps = sorted(whole)
            estimates = [Estimate.of(whole[step]) for step in steps]
            means = [each.mean for each in estimates]
            low = [each.mean if each.low is None else each.low for each in estimates]
            high = [each.mean if each.high is None else each.high for each in estimates]
            sample = counted([len(mine)], "seed") + (", no interval" if len(mine) == 1 else "")
            part.plot(steps, means, color=color, label=f"{policy} ({sample})")
            part.fill_between(steps, low, high, color=color, alpha=0.2, linewidth=0)
    part.set_xlabel("Simulated steps")
    name = measure.removeprefix("final/")
    part.set_ylabel("Multisets of colours" if name == "coverage" else f"States of {name}")
    part.set_ylim(bottom=0)
    part.grid(alpha=0.3)
    if part.lines:
        part.legend(fontsize=8)
    return figure


# ---------------------------------------------------------------------- report


SIGNIFICANT = 0.05
"""Level of significance."""


def write_report(
    path: Path,
    comparison: Comparison,
    results: Sequence[Result[Cell]],
    found: Mapping[str, list[Row]],
    drawn: Sequence[Drawn],
    examples: Sequence[Counterexample | NotDrawn],
) -> None:
    """Write the report."""
    config, summary = comparison.config, found.get("summary", [])
    page = render(
        "protocols/comparison/report.html",
        title=f"{comparison.name}: a comparison of explorers",
        kind="comparison",
        text=comparison.text,
        interval=INTERVAL,
        baseline=config.compared_with,
        facts=_facts(comparison, results),
        failed=failure_rows(results),
        conclusion=_conclusion(summary, config.compared_with),
        plots=[(to_figure(each.svg), f"{each.measure}, {each.system}") for each in drawn],
        summary=summary,
        violations=[
            {name: value for name, value in row.items() if name != "actions"}
            for row in found.get("violations", ())
        ],
        examples=examples,
        count=len(results),
        cells=found["cells"],
    )
    write_whole(path, page)


def _facts(comparison: Comparison, results: Sequence[Result[Cell]]) -> dict[str, Any]:
    config = comparison.config
    last = config.seed + config.seeds - 1
    return {
        **{f"System: {name}": _described(each.env, each.parameters) for name, each in
           config.systems.items()},
        **{f"Policy: {name}": _described(each.explorer, each.options) for name, each in
           config.policies.items()},
        "Cells": f"{len(results)}: seeds {config.seed} to {last}, {config.steps:,} steps each",
    }  # fmt: skip


def _described(name: str, values: Mapping[str, Any]) -> str:
    return f"{name}, {assignments(values)}" if values else name


def _conclusion(rows: Sequence[Row], baseline: str) -> str:
    """Describe the policies that reached more states than the baseline, and the others."""
    sentences = []
    for row in rows:
        if row["measure"] == "coverage" and row["p"] is not None:
            more = row["p"] < SIGNIFICANT
            verb = "saw more than" if more else "did not beat"
            ratio = "" if row["ratio"] is None else f"{row['ratio']:.3g} times as much, "
            sentences.append(
                f"{row['system']}: {row['policy']} {verb} {baseline} ({ratio}p = {row['p']:.2g})."
            )
    return " ".join(sentences)
