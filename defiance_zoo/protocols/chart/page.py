# SPDX-License-Identifier: GPL-2.0-only
"""The page with a chart: one self-contained file without scripts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

from defiance_zoo.experiments.workbench.html import render
from defiance_zoo.protocols.chart.labels import describe_message
from defiance_zoo.protocols.chart.story import Event, Step, Story

LEFT, LANE, HEAD, ROW, STEP, LINE = 290, 230, 40, 16, 24, 15
MOST_MESSAGES = 300
"""Maximum number of drawn messages, the first ones, of a step: a healing phase has thousands."""
_CONTROL = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Rows(NamedTuple):
    """The positions of lanes and rows."""

    steps: list[tuple[int, int]]
    events: dict[tuple[int, int], int]
    bottom: int


def clean(text: str) -> str:
    """Return a text without characters that XML cannot hold."""
    return _CONTROL.sub("\ufffd", text)


def draw(story: Story) -> Element:
    """Return the chart as an element `svg`."""
    story = _shorten(story)
    rows = _lay_out(story)
    width, height = LEFT + story.replicas * LANE, rows.bottom + ROW
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
            "role": "img",
        },
    )
    _draw_arrowhead(svg)
    for step, span in zip(story.steps, rows.steps, strict=True):
        _shade(svg, step, span)
    for replica in range(1, story.replicas + 1):
        x = _lane(replica)
        _add(svg, "line", "lane", x1=x, x2=x, y1=HEAD - 12, y2=rows.bottom)
        _write(svg, f"replica {replica}", x, HEAD - 20, "name")
    for number, (step, span) in enumerate(zip(story.steps, rows.steps, strict=True)):
        _draw_step(svg, number, step, span, width)
    _draw_messages(svg, story, rows)
    return svg


def _shorten(story: Story) -> Story:
    """Return a story with at most `MOST_MESSAGES` messages in each step."""
    beyond: set[tuple[int, int]] = set()
    steps = []
    for step in story.steps:
        sent = [event.message for event in step.events if event.kind == "sent"]
        more = sent[MOST_MESSAGES:]
        beyond.update(more)
        events = tuple(event for event in step.events if event.message not in beyond)
        deed = f"{step.deed} ({len(more):,} more messages)" if more else step.deed
        steps.append(replace(step, events=events, deed=deed))
    return replace(story, steps=tuple(steps))


def _lay_out(story: Story) -> _Rows:
    y, steps, events = HEAD, [], {}
    for number, step in enumerate(story.steps):
        top = y
        y += STEP
        for place, event in enumerate(step.events):
            if event.kind != "arrived":
                events[number, place] = y
                y += ROW
        counts = [sum(1 for replica, _ in step.labels if replica == r) for r, _ in step.labels]
        y += LINE * (max(counts, default=0) + len(step.violations) + len(step.warnings))
        steps.append((top, y))
    return _Rows(steps, events, y)


def _lane(replica: int) -> int:
    return LEFT + LANE * (replica - 1) + LANE // 2


def _draw_arrowhead(svg: Element) -> None:
    for kind in ("delivered", "dropped", "pending"):
        marker = SubElement(
            SubElement(svg, "defs"),
            "marker",
            {"id": f"end-{kind}", "viewBox": "0 0 10 10", "refX": "9", "refY": "5",
             "markerWidth": "8", "markerHeight": "8", "orient": "auto-start-reverse"},
        )  # fmt: skip
        if kind == "delivered":
            _add(marker, "path", f"{kind} full", d="M 0 1 L 9 5 L 0 9 z")
        elif kind == "dropped":
            _add(marker, "path", kind, d="M 1 1 L 9 9 M 9 1 L 1 9")
        else:
            _add(marker, "circle", kind, cx=5, cy=5, r=4)


def _shade(svg: Element, step: Step, span: tuple[int, int]) -> None:
    """Draw the blocks of a partition, and stopped replicas."""
    divided = len({block for block in step.blocks if block >= 0}) > 1
    for replica, block in enumerate(step.blocks, start=1):
        if divided or block < 0:
            _add(
                svg, "rect", f"block{step.blocks.index(block) % 6}" if block >= 0 else "stopped",
                x=_lane(replica) - LANE // 2, y=span[0], width=LANE, height=span[1] - span[0],
            )  # fmt: skip


def _draw_step(svg: Element, number: int, step: Step, span: tuple[int, int], width: int) -> None:
    top, bottom = span
    group = _add(svg, "g", "step")
    _add(group, "line", "edge", x1=0, x2=width, y1=top, y2=top)
    _write(group, f"{number}  {step.deed}", 6, top + 16, "deed", step.deed)
    _write(group, f"{step.time_ns / 1e6:g} ms", LEFT - 10, top + 16, "time")
    lines = [*((text, "violation") for text in step.violations)]
    lines += [(text, "warning") for text in step.warnings]
    y = bottom - LINE * len(lines)
    for row, (text, kind) in enumerate(lines):
        _add(group, "rect", kind, x=0, y=y + LINE * row, width=width, height=LINE)
        _write(group, text, LEFT, y + LINE * row + 11, f"{kind} told", text)
    seen: dict[int, int] = {}
    longest = max((sum(r == replica for r, _ in step.labels) for replica, _ in step.labels),
                  default=0)  # fmt: skip
    for replica, label in step.labels:
        row = seen[replica] = seen.get(replica, -1) + 1
        where = y - LINE * (longest - row) + 11
        _write(group, label.text, _lane(replica), where, f"label {label.kind}")


def _draw_messages(svg: Element, story: Story, rows: _Rows) -> None:
    """Draw a line for each end of a message, and for messages without an end."""
    sent: dict[tuple[int, int], tuple[Event, int]] = {}
    ended: set[tuple[int, int]] = set()
    arrived = {event.message for event in story.events("arrived")}
    for number, step in enumerate(story.steps):
        for place, event in enumerate(step.events):
            if event.kind == "sent":
                sent[event.message] = (event, rows.events[number, place])
            elif event.kind != "arrived" and event.message in sent:
                _draw_message(svg, event.kind, *sent[event.message], rows.events[number, place])
                ended.add(event.message)
    for message, (event, y) in sent.items():
        if message not in ended:
            kind = "pending" if message in arrived else "lost"
            _draw_message(svg, kind, event, y, rows.bottom if kind == "pending" else y + ROW)


def _draw_message(svg: Element, kind: str, event: Event, y1: int, y2: int) -> None:
    group = _add(svg, "g", f"message {kind}")
    title = f"{event.sender} to {event.receiver}, number {event.number}, {kind}\n{event.text}"
    SubElement(group, "title").text = clean(title)
    x1, x2 = _lane(event.sender), _lane(event.receiver)
    if kind == "lost":
        x2 = x1 + (LANE if x2 > x1 else -LANE) // 4  # in flight
    line = _add(group, "line", kind, x1=x1, x2=x2, y1=y1, y2=y2)
    line.set("marker-end", f"url(#end-{'pending' if kind == 'lost' else kind})")
    right = x2 > x1
    text = _write(group, describe_message(event.text), x1 + (6 if right else -6), y1 - 2, "said")
    text.set("text-anchor", "start" if right else "end")


def _add(parent: Element, tag: str, kind: str, **attributes: Any) -> Element:
    values = {name: str(value) for name, value in attributes.items()}
    return SubElement(parent, tag, {"class": kind, **values})


def _write(parent: Element, text: str, x: int, y: int, kind: str, whole: str = "") -> Element:
    """Write a text, possibly shortened; the tooltip has the whole text."""
    element = _add(parent, "text", kind, x=x, y=y)
    element.text = clean(text)
    if whole:
        SubElement(element, "title").text = clean(whole)
    return element


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
    protocol = recording.parameters.get("protocol", "")
    return render(
        "protocols/chart/chart.html",
        title=clean(": ".join(filter(None, (recording.environment, protocol)))),
        violations=[
            (number, clean(violation))
            for number, step in enumerate(story.steps)
            for violation in step.violations
        ],
        facts=facts,
        parameters={clean(n): clean(str(value)) for n, value in recording.parameters.items()},
        chart=Markup(tostring(draw(story), encoding="unicode")),
    )
