# SPDX-License-Identifier: GPL-2.0-only
"""Running of a comparison from its cells to its report; finished cells are kept."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError, SimulationError
from defiance_zoo.experiments.evaluation import agent_spaces
from defiance_zoo.experiments.training.provenance import packages
from defiance_zoo.experiments.workbench.events import Event, EventCallback, NotDrawn, ignore
from defiance_zoo.experiments.workbench.results_folder import Record, Result, ResultsFolder
from defiance_zoo.experiments.workbench.runner import Experiment, Outcome
from defiance_zoo.experiments.workbench.table_files import Row
from defiance_zoo.experiments.workbench.wording import locating
from defiance_zoo.protocols.checking import warn_of_silence
from defiance_zoo.protocols.comparison.comparison_results import (
    draw_curves,
    tables,
    write_report,
    write_tables,
)
from defiance_zoo.protocols.comparison.configuration import (
    Comparison,
    ComparisonConfig,
    SystemConfig,
)
from defiance_zoo.protocols.comparison.counterexamples import (
    FOLDER,
    SHRUNK,
    Counterexample,
    find_counterexamples,
    write_counterexamples,
)
from defiance_zoo.protocols.comparison.exploration import Cell, ExplorationJob, Explored, plan
from defiance_zoo.protocols.explorers.explorer import read_situation
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.predicates.hierarchies import require_states
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


class ComparisonFolder(ResultsFolder):
    """The folder of a comparison; see `ResultsFolder`."""

    kind: ClassVar[str] = "comparison"
    described_by: ClassVar[str] = "comparison.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells", "plots", FOLDER, SHRUNK)
    results: ClassVar[type] = Explored


def compare_explorers(
    comparison: Comparison,
    out: Path | str,
    *,
    workers: int | None = None,
    report: EventCallback = ignore,
) -> Outcome[Cell]:
    """Play the remaining cells of a comparison, and write its tables, plots and report.

    Args:
        comparison: The comparison to run.
        out: Folder of the comparison; see `docs/protocols/exploration.md` for its contents.
        workers: Processes; by default one for each core; 0: this process.
        report: Called with events: `planned`, `exploring` (a point of a cell's curve),
            `cell`, `failed`, `shrunk` (a violation), `shrinking_stopped`,
            `not_drawn` (a plot), `interrupted`, `finished`.

    Raises:
        ParameterError: A value is not allowed; nothing was written.
        DependencyMissing: A library is not installed.
        ProgramChanged: The program of a system has changed meanwhile; finished cells are kept.
        Aborted: SIGINT or SIGTERM arrived; finished cells and shrunk violations are kept.
    """
    out = Path(out)
    return _Exploration(comparison, out, report).run(workers)


class _Exploration(Experiment[Cell]):
    """A comparison, whose cells are tests of a system by an explorer."""

    folder = ComparisonFolder

    def __init__(self, comparison: Comparison, out: Path, report: EventCallback) -> None:
        config = comparison.config
        envs = [each.env for each in config.systems.values()]
        super().__init__(comparison.text, out, envs, config.ray_address, report)
        self._comparison, self._config = comparison, config

    def _plan(self) -> list[Cell]:
        return plan(self._config)

    def _check(self, cells: Sequence[Cell]) -> None:
        _try(self._config, {cell.system for cell in cells})

    def _versions(self) -> Mapping[str, Any]:
        return {"python": platform.python_version(), "packages": packages()}

    def _make_job(self, cell: Cell) -> ExplorationJob:
        return cell.job

    def _describe(self, _cell: Cell, record: Record) -> Event:
        return {"coverage": record["coverage"], "violations": sorted(record["violations"])}

    def _write(self, results: Sequence[Result[Cell]]) -> dict[str, list[Row]]:
        config, out = self._config, self.out
        found = tables(config, results)
        write_tables(out, found)  # first, as drawing may fail
        done = [each for each in results if each.finished]
        for system in config.systems:
            _warn_of_silence(system, [each for each in done if each.cell.system == system])
        shrunk = list(find_counterexamples(config, done, out, self.report))
        examples = [each for each in shrunk if isinstance(each, Counterexample)]
        if examples:
            found["counterexamples"] = [each.row for each in examples]
        write_counterexamples(out / FOLDER, examples)
        write_tables(out, found)
        drawn = draw_curves(config, results, out / "plots", self.report)
        shown: list[Counterexample | NotDrawn] = [*examples]
        shown += [each for each in shrunk if isinstance(each, NotDrawn)]
        write_report(out / "report.html", self._comparison, results, found, drawn, shown)
        return found


def _warn_of_silence(system: str, results: Sequence[Result[Cell]]) -> None:
    """Warn if histories of a system have no answer to a write in any cell, and no violation."""
    records = [each.record for each in results]
    answered = [each.get("answered_writes") for each in records]
    if 0 in answered and not any(answered) and not any(each["violations"] for each in records):
        warn_of_silence(system)


def _try(config: ComparisonConfig, systems: Collection[str]) -> None:
    """Start each system briefly, and check that explorers can test it."""
    for name in systems:
        system = config.systems[name]
        try:
            with locating(f"systems.{name}"):
                agents = agent_spaces(lookup(system.env), system.parameters)
                if len(agents) == 1:
                    info = _look(system)
                    for hierarchy in system.hierarchies:
                        require_states(hierarchy, info)
        except SimulationError:
            continue  # its cells will fail, but others continue
        if len(agents) != 1:
            raise ParameterError(
                f"systems.{name} has the agents {list(agents)}; explorers decide for one, so leave "
                "roles=True out"
            )
        _try_policies(config, name, info)


def _look(system: SystemConfig) -> Mapping[str, Any]:
    """Return the infos of a system at the beginning of an episode."""
    env = GymnasiumEnv(lookup(system.env), link="local", **system.parameters)
    with contextlib.closing(env):
        return env.reset(seed=0)[1]


def _try_policies(config: ComparisonConfig, system: str, info: Mapping[str, Any]) -> None:
    """Check that policies can test a system with these infos."""
    situation = read_situation(info)
    for name, policy in config.policies.items():
        if policy.systems is None or system in policy.systems:
            with locating(f"policies.{name}, systems.{system}"):
                make_explorer(policy.explorer, config.seed, policy.options).begin(situation)
