# SPDX-License-Identifier: GPL-2.0-only
"""The cells of a comparison, and the job that plays a cell in a separate process."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.keys import cell_key, digest_file
from defiance_zoo.experiments.workbench.workers import Job
from defiance_zoo.protocols.comparison.configuration import ComparisonConfig
from defiance_zoo.protocols.comparison.exploration_record import Recorder
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

EPISODES_OF_A_SEED = 10_000_000
"""Distance of the seeds of different cells, so that no episode is played twice."""


@dataclass(frozen=True)
class Cell:
    """A policy that tests a system once.

    Attributes:
        system: Name of the system.
        policy: Name of the policy.
        seed: Seed of the policy's random choices and, multiplied, of the episodes.
        job: The job that plays it.
        key: Key of all inputs of its results.
    """

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
class ExplorationJob:
    """Tests a system; see `Job`.

    Attributes:
        env: Name of the environment.
        arguments: Arguments of the environment.
        explorer: Kind of the explorer.
        options: Options of the explorer.
        seed: See `Cell`.
        steps: Steps to simulate.
        episodes: Maximum number of episodes; None: no limit besides steps.
        stops: Whether a violation ends the test.
        hierarchies: Hierarchies whose final predicates are counted.
        points: Points of the curves.
    """

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
        """See `Job`."""
        explorer = make_explorer(self.explorer, self.seed, self.options)
        recorder = Recorder(self.hierarchies, self.steps, self.points)
        env = GymnasiumEnv(lookup(self.env), link="local", **self.arguments)
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
        return recorder.record()

    def portable(self) -> Job:
        """See `Job`: it needs no file."""
        return self


def plan(config: ComparisonConfig) -> list[Cell]:
    """Return the cells of a comparison, system by system, seed by seed.

    Raises:
        ParameterError: No policy tests any system.
    """
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
    places = ("*.py", "explorers/*.py", "predicates/*.py", "comparison/exploration_record.py")
    files = [path for place in places for path in folder.glob(place)]
    return [digest_file(path) for path in sorted(files)]
