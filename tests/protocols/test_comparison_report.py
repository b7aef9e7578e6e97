# SPDX-License-Identifier: GPL-2.0-only
"""The report of a comparison shows hostile texts, missing plots and missing charts as text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from defiance_zoo.experiments.workbench.events import NotDrawn
from defiance_zoo.experiments.workbench.html import render, to_figure

EVIL = "<script>alert(1)</script>'\""
ROW = {"system": EVIL, "property": EVIL, "policy": EVIL, "steps": 3, "shrunk": 2, "said": EVIL}


def test_only_charts_and_pictures_become_markup() -> None:
    examples: list[Any] = [
        NotDrawn("the chart", "ValueError", EVIL),
        SimpleNamespace(row=ROW, page="<p>lanes</p>", undrawn=""),
        SimpleNamespace(row=ROW, page="", undrawn=EVIL),
    ]
    page = render(
        "protocols/comparison/report.html",
        title=EVIL,
        kind="comparison",
        text=EVIL,
        interval="95 %",
        baseline=EVIL,
        facts={EVIL: EVIL},
        failed=[(EVIL, "ValueError", EVIL)],
        conclusion=EVIL,
        plots=[(to_figure(b"<svg/>"), EVIL), (to_figure(NotDrawn("plot", "E", EVIL)), EVIL)],
        summary=[ROW, {**ROW, "shrunk": None}],
        violations=[],
        examples=examples,
        count=2,
        cells=[ROW],
    )
    assert "<script" not in page
    assert page.count('src="data:image/svg+xml;base64,PHN2Zy8+"') == 1
    assert page.count("was not drawn") == 2
    assert page.count('srcdoc="&lt;p&gt;lanes&lt;/p&gt;"') == 1
    assert page.count("There is no chart: &lt;script") == 1
    assert "<td class=number></td>" in page  # no value
    assert "<p>None.</p>" in page
