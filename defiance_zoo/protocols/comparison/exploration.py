# SPDX-License-Identifier: GPL-2.0-only
"""The cells of a comparison: tests of a system by an explorer, and what they record."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.resources import processor_time_s
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.keys import cell_key, digest_file
from defiance_zoo.experiments.workbench.workers import Job
from defiance_zoo.protocols.comparison.configuration import ComparisonConfig
from defiance_zoo.protocols.explorers import Visit
from defiance_zoo.protocols.explorers.explorer import coverage_key
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.protocols.histories.operation import ClientCounts
from defiance_zoo.protocols.predicates.hierarchies import find_hierarchy, of_infos
from defiance_zoo.protocols.rewards.bonuses import properties
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


@dataclass
class Violation:
    """The first violation of a property, and the number of violations."""

    step: int
    episode: int
    times: int
    said: str
    seed: int
    actions: list[int]


@dataclass
class Explored:
    """The record of a cell; see `Recorder.record()`."""

    steps: int
    episodes: int
    coverage: int
    final: dict[str, int]
    first_final: dict[str, dict[str, int]]
    violations: dict[str, Violation]
    warnings: int
    out_of_bounds: int
    curve: list[dict[str, int]]
    cpu_s: float = 0.0
    requests: int | None = None
    answers: int | None = None
    answered_writes: int | None = None


class Recorder:
    """Counts colours, states of final predicates, and violations."""

    def __init__(self, hierarchies: Sequence[str], steps: int, points: int) -> None:
        self._finals = {name: of_infos(find_hierarchy(name)[-1:])[0] for name in hierarchies}
        self._seen: set[int] = set()
        self._final_states: dict[str, set[int]] = {name: set() for name in hierarchies}
        self._points = sorted({round(number * steps / points) for number in range(1, points + 1)})
        self._actions: list[int] = []
        self._last: Visit | None = None
        self._clients = ClientCounts()
        self._explored = Explored(0, 0, 0, {}, {}, {}, 0, 0, [])

    @property
    def violations(self) -> int:
        """Number of violated properties."""
        return len(self._explored.violations)

    @property
    def point(self) -> dict[str, int] | None:
        """The last point of the curves."""
        return self._explored.curve[-1] if self._explored.curve else None

    def note(self, visit: Visit) -> bool:
        """Count a reached state; return whether the curves have a new point.

        Steps must not decrease.
        """
        explored, curve = self._explored, self._explored.curve
        known = len(curve)
        while len(curve) < len(self._points) and visit.step > self._points[len(curve)]:
            self._keep_point(self._points[len(curve)])
        info, before, self._last = visit.info, self._last, visit
        begins = visit.action is None and visit.episode >= explored.episodes
        if visit.action is None:
            self._actions = list(visit.prefix)
            explored.episodes = max(explored.episodes, visit.episode + 1)
        else:
            self._actions.append(visit.action)
            explored.warnings += bool(info.get("warnings"))
            explored.out_of_bounds += bool(info.get("out_of_bounds"))
            self._clients.add(info)
        state = coverage_key(info)
        self._seen.add(state)
        for name, holds in self._finals.items():
            if holds(info):
                self._final_states[name].add(state)
                place = {"step": visit.step, "episode": visit.episode}
                explored.first_final.setdefault(name, place)
        if begins or (visit.action is not None and not _repeats_reset(visit, before)):
            self._note_violations(visit)
        return len(curve) > known

    def _note_violations(self, visit: Visit) -> None:
        for each in properties(visit.info):
            said, actions = visit.info["violations"], list(self._actions)
            first = Violation(visit.step, visit.episode, 0, said, visit.seed, actions)
            self._explored.violations.setdefault(each, first).times += 1

    def _keep_point(self, step: int) -> None:
        finals = {f"final/{name}": len(states) for name, states in self._final_states.items()}
        self._explored.curve.append({"step": step, "coverage": len(self._seen), **finals})

    def record(self) -> dict[str, Any]:
        """Return the counts, for JSON; the curve of a cell that ended early is shorter."""
        explored = self._explored
        explored.steps = self._last.step if self._last else 0
        if len(explored.curve) < len(self._points) or not explored.curve:
            self._keep_point(explored.steps)
        explored.coverage = len(self._seen)
        explored.final = {name: len(states) for name, states in self._final_states.items()}
        return {**asdict(explored), **self._clients.counts}


def _repeats_reset(visit: Visit, before: Visit | None) -> bool:
    """Return whether a step repeats the state of the reset, as the episode ended there."""
    if before is None or before.action is not None or not visit.ended:
        return False
    time = visit.info.get("sim_time_ns")
    return time is not None and bool(time == before.info.get("sim_time_ns"))


EPISODES_OF_A_SEED = 10_000_000
"""Distance of the seeds of different cells, so that no episode is played twice."""


@dataclass(frozen=True)
class Cell:
    """A policy that tests a system once."""

    system: str
    policy: str
    seed: int
    job: ExplorationJob
    key: str

    @property
    def place(self) -> Mapping[str, Any]:
        """The values of its columns in the tables."""
        return {"system": self.system, "policy": self.policy, "seed": self.seed}


@dataclass(frozen=True)
class ExplorationJob(Job):
    """Tests a system."""

    env: str
    arguments: Mapping[str, Any]
    explorer: str
    options: Mapping[str, Any]
    seed: int
    steps: int
    episodes: int | None
    stops: bool
    hierarchies: tuple[str, ...]
    points: int

    def run(self, report: EventCallback) -> dict[str, Any]:
        explorer = make_explorer(self.explorer, self.seed, self.options)
        recorder = Recorder(self.hierarchies, self.steps, self.points)
        env = GymnasiumEnv(lookup(self.env), link="local", **self.arguments)
        began = processor_time_s()
        with contextlib.closing(env):
            visits = explorer.explore(
                env,
                steps=self.steps,
                seed=self.seed * EPISODES_OF_A_SEED,
                episodes=self.episodes,
            )
            with contextlib.closing(visits):
                for visit in visits:
                    if recorder.note(visit):
                        point = {**(recorder.point or {}), "steps": self.steps}
                        report({"event": "exploring", **point})
                    if self.stops and recorder.violations:
                        break
            cpu_s = round(processor_time_s() - began, 3)
        return {**recorder.record(), "cpu_s": cpu_s}


def plan(config: ComparisonConfig) -> list[Cell]:
    """Return the cells of a comparison, system by system, seed by seed."""
    code = _code()
    cells = []
    for system_name, system in config.systems.items():
        scenario = lookup(system.env).scenario
        for seed in range(config.seed, config.seed + config.seeds):
            for policy_name, policy in config.policies.items():
                if policy.systems is not None and system_name not in policy.systems:
                    continue
                job = ExplorationJob(
                    env=system.env,
                    arguments=system.parameters,
                    explorer=policy.explorer,
                    options=policy.options,
                    seed=seed,
                    steps=config.steps,
                    episodes=system.episodes or config.episodes,
                    stops=config.until == "violation",
                    hierarchies=tuple(system.hierarchies),
                    points=config.points,
                )
                facts = {k: v for k, v in vars(job).items() if k not in ("env", "arguments")}
                key = cell_key({**facts, "code": code}, scenario, dict(system.parameters))
                cells.append(Cell(system_name, policy_name, seed, job, key))
    if not cells:
        raise ParameterError("no policy tests any of the systems")
    return cells


def _code() -> list[str]:
    """Return digests of the code that explores and counts."""
    folder = Path(__file__).parents[1]
    places = (
        *("explorers/*.py", "predicates/*.py", "histories/*.py"),
        "comparison/exploration.py",
    )
    files = [path for place in places for path in folder.glob(place)]
    return [digest_file(path) for path in sorted(files)]
