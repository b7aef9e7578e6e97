# SPDX-License-Identifier: GPL-2.0-only
"""Self-contained HTML pages."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from defiance_zoo.experiments.workbench.drawing import NotDrawn
from defiance_zoo.experiments.workbench.results_folder import AnyCell, Result
from defiance_zoo.experiments.workbench.wording import assignments

_STYLE = """
:root { color-scheme: light dark; --text: #222; --paper: #fff; --shade: #f4f4f4; --line: #ccc;
  --faint: #555 }
body { font-family: sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em;
  color: var(--text); background: var(--paper) }
.scrolls { overflow-x: auto }
table { border-collapse: collapse; margin: 1em 0; font-size: 90% }
th, td { border-bottom: 1px solid var(--line); padding: .2em .7em; text-align: left;
  vertical-align: top }
td.number { text-align: right; white-space: nowrap }
img { max-width: 100%; background: #fff }
pre { background: var(--shade); padding: 1em; overflow-x: auto }
figure { margin: 1em 0 2em } figcaption { color: var(--faint) }
@media (max-width: 768px) { figure > img { max-width: none } figure { overflow-x: auto } }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e6ea; --paper: #14171b; --shade: #1d2228; --line: #3a424b; --faint: #a5adb6 }
  img, iframe { filter: invert(.93) hue-rotate(180deg) brightness(1.25) }
}
"""


def report_page(title: str, parts: Iterable[str], kind: str, text: str) -> str:
    """Return the report of an experiment.

    Args:
        title: Title of the report.
        parts: Sections of the report, in HTML.
        kind: Name of the kind of experiment, such as `study`.
        text: The experiment's description file, which is shown at the end.
    """
    body = [
        f"<h1>{escape(title)}</h1>",
        *parts,
        f"<h2>The {kind}</h2>",
        f"<pre>{escape(text)}</pre>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def failures(results: Iterable[Result[AnyCell]], kind: str) -> Iterator[str]:
    """Yield a section about failed cells of an experiment, if there are any."""
    rows = [
        (assignments(each.cell.place), each.record["error"], each.record["message"])
        for each in results
        if each.failed
    ]
    if rows:
        yield f"<h2>{len(rows)} cells failed</h2>"
        yield f"<p>Start the {kind} again to retry them.</p>"
        yield table(("cell", "error", "message"), rows)


def details(summary: str, content: str) -> str:
    """Return HTML that shows a line, and the rest when the line is opened."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def figure(svg: bytes | NotDrawn, caption: str, remark: str = "", below: str = "") -> str:
    """Return a picture in HTML, or the error that prevented it.

    Args:
        svg: The picture.
        caption: Caption of the picture, which also replaces it in text browsers.
        remark: Further sentences of the caption.
        below: HTML below the picture.
    """
    if isinstance(svg, NotDrawn):
        return (
            f"<figure><p>{escape(str(svg))}</p>"
            f"<figcaption>{escape(caption)}.</figcaption>{below}</figure>"
        )
    picture = base64.b64encode(svg).decode()
    return (
        f'<figure><img alt="{escape(caption)}" src="data:image/svg+xml;base64,{picture}">'
        f"<figcaption>{escape(caption)}. {escape(remark)}</figcaption>"
        f"{below}</figure>"
    )


def table(headings: Sequence[Any], rows: Iterable[Sequence[Any]], texts: int | None = None) -> str:
    """Return a table; columns after the first `texts` hold numbers, by default none."""
    head = "".join(f"<th>{escape(str(each))}</th>" for each in headings)
    body = "".join(f"<tr>{_row(row, len(row) if texts is None else texts)}</tr>\n" for row in rows)
    first = f"<tr>{head}</tr>" if head else ""
    return f'<div class="scrolls"><table>{first}\n{body}</table></div>'


def _row(cells: Sequence[Any], texts: int) -> str:
    return "".join(
        f"<td{'' if number < texts else ' class=number'}>{escape(str(cell))}</td>"
        for number, cell in enumerate(cells)
    )
