# SPDX-License-Identifier: GPL-2.0-only
"""The page with a chart: one self-contained file without scripts."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from defiance_zoo.protocols.chart.drawing import clean, draw
from defiance_zoo.protocols.chart.story import Story

_STYLE = """
body { font: 14px sans-serif; margin: 16px; color: #222; background: #fff }
table { border-collapse: collapse; margin: 8px 0 }
td { padding: 1px 12px 1px 0; vertical-align: top }
.alarm { color: #b30000; font-weight: bold }
svg { font: 11px sans-serif }
.lane { stroke: #999 } .edge { stroke: #ddd }
.name, .deed { font-weight: bold } .name, .label { text-anchor: middle }
.time, .said { fill: #555 } .time { text-anchor: end } .said { font-size: 10px }
line.delivered { stroke: #1f5fa8 } .full.delivered { fill: #1f5fa8 }
line.dropped, path.dropped { stroke: #b30000; fill: none } line.dropped { stroke-dasharray: 5 3 }
line.pending, circle.pending, line.lost { stroke: #777; fill: none }
line.pending { stroke-dasharray: 1 3 } line.lost { stroke-dasharray: 1 5 }
.label, .said { paint-order: stroke; stroke: #fff; stroke-width: 3px }
.attempt { fill: #444 } .commit { fill: #1b7a33; font-weight: bold }
.crash, .byzantine { fill: #b30000; font-weight: bold } .start { fill: #1b7a33 }
rect.violation { fill: #ffd6d6 } rect.warning { fill: #fff0c2 }
.violation.told { fill: #b30000; font-weight: bold }
.stopped { fill: #d0d0d0 }
.block0 { fill: #d6e6fa } .block1 { fill: #fae4ce } .block2 { fill: #d8f2d6 }
.block3 { fill: #f4d8f0 } .block4 { fill: #f8f4c8 } .block5 { fill: #dcecec }
"""
_LEGEND = (
    ("delivered", "a delivered message"),
    ("dropped", "a message dropped by a partition, a crash or the tester"),
    ("pending", "a message that is still held at the end"),
    ("lost", "a message that was lost, that is in flight, or whose receiver is stopped"),
)


def draw_page(story: Story) -> str:
    """Return the page, as HTML that is also XML."""
    recording = story.recording
    html = Element("html", {"lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"})
    head, body = SubElement(html, "head"), SubElement(html, "body")
    SubElement(head, "meta", {"charset": "utf-8"})
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    title = f"{recording.environment}: {recording.parameters.get('protocol', '')}"
    SubElement(head, "title").text = clean(title)
    SubElement(head, "style").text = _STYLE
    SubElement(body, "h1").text = clean(title)
    for number, step in enumerate(story.steps):
        for violation in step.violations:
            line = SubElement(body, "p", {"class": "alarm"})
            line.text = clean(f"step {number}: {violation}")
    _add_facts(body, story)
    _add_legend(body)
    body.append(draw(story))
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode") + "\n"


def _add_facts(body: Element, story: Story) -> None:
    recording = story.recording
    versions = ", ".join(f"{name} {version}" for name, version in recording.versions.items())
    facts = {
        "recorded with": versions,
        "seed": str(recording.seed),
        "steps": str(len(story.steps) - 1),
        "messages": ", ".join(
            f"{sum(1 for _ in story.events(kind))} {kind}"
            for kind in ("sent", "delivered", "dropped")
        ),
    }
    table = SubElement(body, "table")
    for name, value in facts.items():
        row = SubElement(table, "tr")
        SubElement(row, "td").text = name
        SubElement(row, "td").text = clean(value) or "(empty)"
    details = SubElement(body, "details")
    SubElement(details, "summary").text = "parameters"
    table = SubElement(details, "table")
    for name, value in recording.parameters.items():
        row = SubElement(table, "tr")
        SubElement(row, "td").text = clean(name)
        SubElement(row, "td").text = clean(str(value)) or "(empty)"


def _add_legend(body: Element) -> None:
    table = SubElement(body, "table")
    for kind, text in _LEGEND:
        row = SubElement(table, "tr")
        svg = SubElement(SubElement(row, "td"), "svg", {
            "xmlns": "http://www.w3.org/2000/svg", "width": "60", "height": "12",
        })  # fmt: skip
        end = f"url(#end-{'pending' if kind == 'lost' else kind})"
        SubElement(svg, "line", {
            "class": kind, "x1": "2", "x2": "54", "y1": "6", "y2": "6", "marker-end": end,
        })  # fmt: skip
        SubElement(row, "td").text = text
