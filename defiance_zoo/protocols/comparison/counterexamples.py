# SPDX-License-Identifier: GPL-2.0-only
"""The smallest violation of each property of each system, as a recording and as a chart."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.directories import private_folder
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.partition_v0 import chart_arguments
from defiance_zoo.experiments.workbench.events import EventCallback, NotDrawn, draw_if_possible
from defiance_zoo.experiments.workbench.interruption import unmasked
from defiance_zoo.experiments.workbench.keys import digest
from defiance_zoo.experiments.workbench.results_folder import Result
from defiance_zoo.experiments.workbench.table_files import Row
from defiance_zoo.protocols.chart import draw_page, read_story
from defiance_zoo.protocols.comparison.configuration import ComparisonConfig, SystemConfig
from defiance_zoo.protocols.comparison.exploration import Cell
from defiance_zoo.protocols.violations import shrink_violation
from defiance_zoo.recording import Record, Recording, read_recording
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

FOLDER, SHRUNK = "counterexamples", "shrunk"
CANDIDATES = 3
"""Number of violations of a property to shrink: the shortest may not become the smallest."""


_Known = tuple[Cell, Mapping[str, Any]]
"""A found violation, and its explorer."""


@dataclass(frozen=True)
class Counterexample:
    """The shortest known violation of a property of a system."""

    row: Row
    recording: Recording
    page: str
    undrawn: str = ""

    @property
    def name(self) -> str:
        """Name of its files, which are not hidden; those of different systems may be equal."""
        name = re.sub(r"[^\w.-]+", "_", f"{self.row['system']}-{self.row['property']}")
        return name.lstrip(".-")[:100]


def find_counterexamples(
    config: ComparisonConfig, results: Sequence[Result[Cell]], folder: Path, report: EventCallback
) -> Iterator[Counterexample | NotDrawn]:
    """Shrink the shortest violations of each property of each system, and keep the smallest.

    The folder keeps each shrunk violation in `shrunk/`, so that it is shrunk only once.
    """
    candidates: defaultdict[tuple[str, str], list[_Known]] = defaultdict(list)
    for result in results:
        for name, known in sorted(result.record["violations"].items()):
            candidates[result.cell.system, name].append((result.cell, known))
    for (system, name), all_known in candidates.items():
        shortest = sorted(all_known, key=lambda each: len(each[1]["actions"]))[:CANDIDATES]
        shrunk = _Shrunk(config.systems[system], name, folder / SHRUNK, report)
        shrink = functools.partial(_find_smallest, shrunk, shortest)
        found = draw_if_possible(f"the counterexample of {system}, {name}", shrink, report)
        if isinstance(found, Counterexample):
            report({"event": "shrunk", **found.row})
        yield found


@dataclass(frozen=True)
class _Shrunk:
    """The shrunk violations of a property of a system, in a folder."""

    system: SystemConfig
    property: str
    folder: Path
    report: EventCallback

    def read(self, cell: Cell, known: Mapping[str, Any]) -> Recording:
        """Return a violation from the folder; without its file, shrink it first."""
        key = digest(json.dumps([cell.key, self.property, known], sort_keys=True).encode())[:20]
        path, best = self.folder / f"{key}.json", self.folder / f"{key}.unfinished.json"
        if path.exists():
            return read_recording(path)
        kept: list[Recording] = []
        try:
            with unmasked():
                whole = _record(self.system, known)
                shorter = shrink_violation(whole, spec=lookup(self.system.env), keep=kept.append)
        except KeyboardInterrupt:
            if kept:
                write_whole(best, kept[-1].to_json())
                steps = {"steps": len(whole.decisions), "shrunk": len(kept[-1].decisions)}
                place = {"system": cell.system, "property": self.property, "file": str(best)}
                self.report({"event": "shrinking_stopped", **place, **steps})
            raise
        write_whole(path, shorter.to_json())
        best.unlink(missing_ok=True)
        return shorter


def _find_smallest(violations: _Shrunk, shortest: Sequence[_Known]) -> Counterexample:
    shrunk = [violations.read(cell, known) for cell, known in shortest]
    smallest = min(range(len(shrunk)), key=lambda number: len(shrunk[number].decisions))
    shorter, (cell, known) = shrunk[smallest], shortest[smallest]
    row = {
        "system": cell.system,
        "property": violations.property,
        "policy": cell.policy,
        "seed": cell.seed,
        "steps": len(known["actions"]),
        "shrunk": len(shorter.decisions),
        "said": str(known["said"]),
    }
    return Counterexample(row, shorter, *_draw(shorter))


def write_counterexamples(folder: Path, found: Sequence[Counterexample]) -> None:
    """Write each as NAME.json, for `defiance-zoo replay`, and as NAME.html if drawn."""
    names: list[str] = []
    for each in found:
        name = f"{each.name}-{len(names) + 1}" if each.name in names else each.name
        names.append(name)
        write_whole(folder / f"{name}.json", each.recording.to_json())
        if each.page:
            write_whole(folder / f"{name}.html", each.page)


def _draw(recording: Recording) -> tuple[str, str]:
    """Return the page of a recording, or the reason for a missing page."""
    page = draw_if_possible("the chart", lambda: draw_page(read_story(recording)))
    return ("", str(page)) if isinstance(page, NotDrawn) else (page, "")


def _record(system: SystemConfig, known: Mapping[str, Any]) -> Recording:
    """Return the recording of an episode with a known seed and known actions."""
    with private_folder() as folder:
        record = Record(folder)
        spec = lookup(system.env)
        arguments = chart_arguments(spec.scenario, system.parameters)
        env = GymnasiumEnv(spec, link="local", record=record, **arguments)
        with contextlib.closing(env):
            _, info = env.reset(seed=known["seed"])
            # An episode without actions is only written if it has ended.
            for action in known["actions"] or [info["action_mask"].argmax()]:
                env.step(action)
        return read_recording(record.written[0])
