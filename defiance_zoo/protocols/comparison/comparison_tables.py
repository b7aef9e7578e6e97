# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a comparison, and its test of two samples."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.table_files import Row, write_csv, write_parquet
from defiance_zoo.protocols.comparison.configuration import ComparisonConfig
from defiance_zoo.protocols.comparison.exploration import Cell


@dataclass(frozen=True)
class Difference:
    """The difference between two samples.

    Attributes:
        u: Mann and Whitney's statistic: number of pairs in which the first value is better; ties
            count half.
        p: Probability of this or a more extreme u, if neither sample is better.
        effect: u divided by the number of pairs: the probability that a value of the first sample
            is better than one of the second (Vargha and Delaney's A); 0.5 if neither sample is
            better.
        ratio: Ratio of the means; None if the second mean is 0, or a value is not finite.
    """

    u: float
    p: float
    effect: float
    ratio: float | None


def compare(ours: Sequence[float], theirs: Sequence[float], *, fewer: bool = False) -> Difference:
    """Compare two samples by the one-sided Mann-Whitney test.

    The test is exact if no values are equal; otherwise it is the normal approximation with
    corrections for ties and continuity.

    Args:
        ours: At least one value; infinity is larger than all others.
        theirs: At least one value.
        fewer: Whether smaller values are better.
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
    return Difference(u, p, u / (len(ours) * len(theirs)), ratio)


_DIGITS = 6
STEPS_TO = "steps_to"
"""The measure: the first step with the final coverage of the baseline."""


def tables(config: ComparisonConfig, results: Sequence[Result[Cell]]) -> dict[str, list[Row]]:
    """Return all tables by name; those without rows are left out."""
    done = [each for each in results if each.finished]
    found = {
        "cells": [_cell(each) for each in results],
        "curves": [{**each.cell.place, **point} for each in done for point in _curve(each)],
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
    for name in ("steps", "episodes", "coverage", "warnings", "out_of_bounds"):
        row[name] = record.get(name)
    for name, count in record.get("final", {}).items():
        first = record["first_final"].get(name, {})
        row[f"final/{name}"] = count
        row[f"first_step/{name}"], row[f"first_episode/{name}"] = (
            first.get("step"),
            first.get("episode"),
        )
    row["violated"] = " ".join(sorted(record.get("violations", ())))
    return {**row, "error": record.get("error"), "message": record.get("message")}


def _curve(result: Result[Cell]) -> list[dict[str, int]]:
    points: list[dict[str, int]] = result.record["curve"]
    return points


def _violations(result: Result[Cell]) -> Iterable[Row]:
    for name, known in sorted(result.record["violations"].items()):
        counts = {key: known[key] for key in ("step", "episode", "times")}
        yield {
            **result.cell.place,
            "property": name,
            **{f"first_{key}" if key != "times" else key: value for key, value in counts.items()},
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
        reached = (p["step"] for p in _curve(result) if p["coverage"] >= int(rest))
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
        "ratio": difference.ratio if difference else None,
        "u": difference.u if difference else None,
        "p": difference.p if difference else None,
        "effect": difference.effect if difference else None,
    }
    rounded = {name: _rounded(value) for name, value in row.items()}
    return {"cells": len(sample), "found": len(finite), **rounded}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")
