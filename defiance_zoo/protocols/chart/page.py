# SPDX-License-Identifier: GPL-2.0-only
"""The page with a chart: one self-contained file without scripts."""

from __future__ import annotations

from xml.etree.ElementTree import tostring

from markupsafe import Markup

from defiance_zoo.experiments.workbench.html import render
from defiance_zoo.protocols.chart.drawing import clean, draw
from defiance_zoo.protocols.chart.story import Story


def draw_page(story: Story) -> str:
    """Return the page, as HTML that is also XML."""
    recording = story.recording
    versions = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    counts = (
        f"{sum(1 for _ in story.events(kind))} {kind}" for kind in ("sent", "delivered", "dropped")
    )
    facts = {
        "recorded with": clean(versions),
        "seed": recording.seed,
        "steps": len(story.steps) - 1,
        "messages": ", ".join(counts),
    }
    return render(
        "protocols/chart/chart.html",
        title=clean(f"{recording.environment}: {recording.parameters.get('protocol', '')}"),
        violations=[
            (number, clean(violation))
            for number, step in enumerate(story.steps)
            for violation in step.violations
        ],
        facts=facts,
        parameters={clean(n): clean(str(value)) for n, value in recording.parameters.items()},
        chart=Markup(tostring(draw(story), encoding="unicode")),
    )
