# SPDX-License-Identifier: GPL-2.0-only
"""The report of a comparison, a self-contained HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.experiments.workbench.drawing import NotDrawn
from defiance_zoo.experiments.workbench.estimates import INTERVAL
from defiance_zoo.experiments.workbench.html import failure_rows, render, to_figure
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.table_files import Row
from defiance_zoo.experiments.workbench.wording import assignments
from defiance_zoo.protocols.comparison.configuration import Comparison
from defiance_zoo.protocols.comparison.counterexamples import Counterexample
from defiance_zoo.protocols.comparison.coverage_plots import Drawn
from defiance_zoo.protocols.comparison.exploration import Cell

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
