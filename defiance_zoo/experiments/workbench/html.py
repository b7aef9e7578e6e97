# SPDX-License-Identifier: GPL-2.0-only
"""Self-contained HTML pages from templates, which escape all values that are not `Markup`."""

from __future__ import annotations

import base64
import functools
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from defiance_zoo.experiments.workbench.events import NotDrawn
from defiance_zoo.experiments.workbench.wording import assignments

if TYPE_CHECKING:  # reports of episodes need no other part of experiments
    from defiance_zoo.experiments.workbench.results_folder import AnyCell, Result

_PACKAGE = Path(__file__).parents[2]


@functools.cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(_PACKAGE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def render(template: str, **values: Any) -> str:
    """Return a page."""
    return _templates().get_template(template).render(values) + "\n"


def to_figure(svg: bytes | NotDrawn) -> str | NotDrawn:
    """Return a picture for the macro `figure`; an error that prevented it is shown instead."""
    return svg if isinstance(svg, NotDrawn) else base64.b64encode(svg).decode()


def failure_rows(results: Iterable[Result[AnyCell]]) -> list[tuple[str, str, str]]:
    """Return the rows of the macro `failures`: the failed cells of an experiment."""
    return [
        (assignments(each.cell.place), each.record["error"], each.record["message"])
        for each in results
        if each.failed
    ]
