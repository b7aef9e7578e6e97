# SPDX-License-Identifier: GPL-2.0-only
"""The data of a run's page: its activity, its learning curves, its recorded episodes."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.bridge.system.reading import parse_json, read_text
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.folder import CONFIG, EPISODES
from defiance_zoo.experiments.training.metrics import CSV, Row, read_metrics
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.training.status import WORKING, RunStatus, read_status
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.recording.viewing.columns import encode
from defiance_zoo.recording.viewing.page_assembly import assemble
from defiance_zoo.recording.viewing.watching.recorded import WatchedEpisodes
from defiance_zoo.recording.viewing.watching.server import Answer
from defiance_zoo.recording.viewing.watching.simulations import count_simulations

_ROWS = 2000
_MOST_EVENT_BYTES = 4 * 2**20
_CURVES = 60
_FIRST = ("return/mean", "evaluation/return/mean", "return/", "length/", "simulat", "steps_per_")
"""Prefixes of the names of curves that come first."""
_NO_CURVES = ("steps", "iteration", "seconds")


class RunView:
    """Reads the folder of a run.

    Attributes:
        end_confirmed: Set when a page has confirmed that it has all data after `close()`.
    """

    def __init__(self, folder: Path) -> None:
        """Take the folder of a run.

        Raises:
            ParameterError: The folder is of no run.
        """
        if not (folder / CONFIG).is_file():
            raise ParameterError(f"{folder} is not a run: it has no {CONFIG}")
        self._folder = folder
        self._config: RunConfig = build_config(read_yaml(folder / CONFIG))
        self._episodes = WatchedEpisodes(folder / EPISODES)
        self._rows: list[Row] = []
        self._closing = self._said_so = False
        self.end_confirmed = threading.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether the run trains or evaluates."""
        run_status = read_status(self._folder)
        return run_status is not None and run_status.state in WORKING

    def close(self) -> None:
        """From now on, report in the state that there will be no new data."""
        self._episodes.settle()
        self._closing = True

    def answered(self) -> None:
        """Note that a page has received an answer."""
        if self._said_so:
            self.end_confirmed.set()

    def answers(self) -> dict[str, Answer]:
        """Return the data that a server serves, by name."""
        config = self._config
        title = f"{self._folder.name}: {config.algorithm} ({config.library}) on {config.env}"
        page = assemble(title, "live.js", connects=True)
        return {
            "": lambda _query: page,
            "state.json": lambda _query: self.state(),
            "episode.json": lambda query: self._episodes.read(query.get("name", "")),
            "end.json": lambda _query: self._end(),
        }

    def state(self) -> dict[str, Any]:
        """Return `numbers`, `trouble`, `metrics`, `episodes` and `closing`."""
        run_status = read_status(self._folder)
        closing = self._closing  # before reading
        self._read_rows()
        return {
            "numbers": list(self._numbers(run_status).items()),
            "trouble": _trouble(self._folder, run_status),
            "metrics": curves_of(self._rows) if self._rows else None,
            "episodes": self._episodes.listed(),
            "closing": closing,
        }

    def _end(self) -> dict[str, Any]:
        """Return `closing`; a page requests it after the last state and the last episode."""
        self._said_so = self._closing
        return {"closing": self._said_so}

    def _read_rows(self) -> None:
        try:
            self._rows = read_metrics(self._folder / CSV)
        except ParameterError:  # a row that is being written
            return

    def _numbers(self, run_status: RunStatus | None) -> dict[str, Any]:
        last = self._rows[-1] if self._rows else {}
        pid = run_status.pid if run_status else None
        facts = run_status.facts if run_status else {}
        return {
            "state": run_status.state if run_status else "not under way",
            "decisions": _number(facts.get("steps", last.get("steps"))),
            "planned": self._config.steps,
            "episodes": _number(last.get("episodes")),
            "mean return": _number(last.get("return/mean")),
            "decisions a second": _number(last.get("steps_per_second")),
            "simulations alive": count_simulations(pid) if pid else 0,
            "simulated seconds a second": _number(last.get("simulated_s_per_s")),
            "simulations lost": _number(last.get("failures")),
        }


def curves_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the learning curves of a run: column `steps`, and `curves` over it.

    Args:
        rows: Rows of `metrics.csv`; from more than 2,000, evenly spaced rows and the last are
            taken.
    """
    places = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _ROWS)).round().astype(int))
    kept = [rows[place] for place in places]
    names = dict.fromkeys(name for row in kept for name in row if name not in _NO_CURVES)
    chosen = sorted(names, key=_order)[:_CURVES]
    return {
        "steps": encode([row.get("steps") or 0 for row in kept]),
        "curves": [{"name": name, "values": _column(kept, name), "held": False} for name in chosen],
    }


def _column(rows: Sequence[Row], name: str) -> dict[str, str]:
    values = np.array([np.nan if row.get(name) is None else row[name] for row in rows], np.float64)
    return encode(np.where(np.isfinite(values), values, np.nan).astype(np.float32))


def _order(name: str) -> int:
    return next((i for i, each in enumerate(_FIRST) if name.startswith(each)), len(_FIRST))


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and np.isfinite(value) else None


def _trouble(folder: Path, run_status: RunStatus | None) -> str:
    """Return the reason why a run ended early."""
    if run_status is None or run_status.state not in ("failed", "killed"):
        return ""
    if run_status.state == "killed":
        return "The process of the run has ended without a reason."
    try:
        events = read_text(folder / "events.jsonl", _MOST_EVENT_BYTES).splitlines()
        failures = [each for each in map(_parse, events) if each.get("event") == "failed"]
    except (OSError, ValueError):
        failures = []
    last = failures[-1] if failures else {}
    return f"{last.get('error', 'failed')}: {last.get('message', '')}"


def _parse(line: str) -> Mapping[str, Any]:
    try:
        found = parse_json(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
