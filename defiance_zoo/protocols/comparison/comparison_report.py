# SPDX-License-Identifier: GPL-2.0-only
"""The report of a comparison, a self-contained HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from defiance_zoo.experiments.workbench.drawing import NotDrawn
from defiance_zoo.experiments.workbench.estimates import INTERVAL
from defiance_zoo.experiments.workbench.files import write_whole
from defiance_zoo.experiments.workbench.html import details, failures, figure, report_page, table
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
    config = comparison.config
    title = f"{comparison.name}: a comparison of explorers"
    violations = [
        {name: value for name, value in row.items() if name != "actions"}
        for row in found.get("violations", ())
    ]
    parts = [
        "<h2>What was run</h2>",
        table((), list(_facts(comparison, results).items())),
        *failures(results, "comparison"),
        "<h2>Results</h2>",
        f"<p>{escape(_conclusion(found.get('summary', []), config.compared_with))}</p>",
        *(
            figure(each.svg, f"{each.measure}, {each.system}", f"Bands are {INTERVAL}.")
            for each in drawn
        ),
        "<h2>Comparison with the baseline</h2>",
        f"<p>Intervals are {INTERVAL}; p is from the one-sided Mann-Whitney test against "
        f"{escape(config.compared_with)}; the effect is the chance that a cell of the policy is "
        "better than one of the baseline. For steps and episodes, fewer is better; cells without a "
        "violation come last, and are left out of means.</p>",
        _table(found.get("summary", []), 3),
        "<h2>Violations</h2>",
        _table(violations, 4),
        *(_chart(each) for each in examples),
        "<h2>All cells</h2>",
        details(f"{len(results)} cells", _table(found["cells"], 2)),
    ]
    write_whole(path, report_page(title, parts, "comparison", comparison.text))


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


def _chart(example: Counterexample | NotDrawn) -> str:
    if isinstance(example, NotDrawn):
        return f"<p>{escape(str(example))}</p>"
    row = example.row
    return (
        f"<h3>{escape(row['system'])}: {escape(row['property'])}</h3>\n"
        f"<p>Found by {escape(row['policy'])} in {row['steps']} steps, of which "
        f"{row['shrunk']} are needed.</p>\n{example.fragment}"
    )


def _table(rows: Sequence[Row], texts: int) -> str:
    if not rows:
        return "<p>None.</p>"
    cells = [["" if value is None else value for value in row.values()] for row in rows]
    return table(list(rows[0]), cells, texts)
