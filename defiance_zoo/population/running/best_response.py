# SPDX-License-Identifier: GPL-2.0-only
"""Training of a best response against a mixture, and its storage."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.experiments.evaluation import Policy
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.metrics import Metrics
from defiance_zoo.experiments.training.trainer import (
    SCORE,
    Iteration,
    Trainer,
    best_response_trainer,
    damaged,
    open_saved,
)
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.interruption import Interruption
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.environment import SEEDS, MakeBestResponseEnv, Opponents
from defiance_zoo.population.members import Player, PolicyRecord, PolicyStore
from defiance_zoo.population.running.generations import Task
from defiance_zoo.population.running.payoff_matches import seed_of
from defiance_zoo.population.running.state import PopulationState


class Responding:
    """Trains best responses one after the other with one library, whose Ray they share."""

    def __init__(
        self,
        folder: Path,
        config: PopulationConfig,
        store: PolicyStore,
        interruption: Interruption,
        report: EventCallback,
    ) -> None:
        self._folder, self._config, self._store = folder / "trainings", config, store
        self._interruption, self._report = interruption, report
        self._has_lost = False
        self._trainers = best_response_trainer(config.best_response.library)
        self._open = contextlib.ExitStack()
        self.seconds = 0.0

    def __enter__(self) -> Responding:
        self._open.enter_context(self._trainers.session(self._config.training(self._config.seed)))
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    def train(self, state: PopulationState, task: Task) -> PolicyRecord:
        """Train a best response until a condition ends the training, and store it."""
        began = time.monotonic()
        parent, weights = self._begin_with(state, task)
        run, env = self._config.training(self._seed(state, task)), self._environment(state, task)
        with contextlib.closing(self._trainers.create(run, env)) as trainer:
            if weights is not None:
                with open_saved(weights, trust=self._store.trust) as copy, damaged(weights):
                    trainer.start_from(copy)
            self._interruption.arm()  # Ray has taken the signals over
            policy, facts = self._iterate(trainer, task)
            digest = self._store.put(lambda folder: trainer.save_policy(policy, folder))
        took = time.monotonic() - began
        self.seconds += took
        best = self._config.best_response
        known = {"library": best.library, "algorithm": best.algorithm, **facts}
        self._report({"event": "trained", "policy": task.name, "seconds": took, **facts})
        return PolicyRecord(
            task.name, task.role, task.generation, task.kind, digest, parent=parent, facts=known
        )

    def _seed(self, state: PopulationState, task: Task) -> int:
        place = task.generation, state.game.seats.names.index(task.role)
        return seed_of(self._config.seed, *place) % SEEDS

    def _environment(self, state: PopulationState, task: Task) -> MakeBestResponseEnv:
        others = list(state.game.seats.roles)
        others.remove(task.role)
        opponents = Opponents.of(
            state.members,
            {role: mixture for role, mixture in task.mixtures.items() if role in others},
            lambda name: Player.of(state.records[name], self._store),
            self._config.support,
        )
        if self._config.ray_address is not None:
            opponents = opponents.packed()
        return MakeBestResponseEnv(state.game, task.role, opponents)

    def _begin_with(self, state: PopulationState, task: Task) -> tuple[str, Path | None]:
        """Return the parent's name and the folder of weights; None to begin with new weights."""
        match task.initialisation:
            case "pretrained":
                run = self._config.best_response.pretrained[task.role]
                return "", find_checkpoint(Path(run)).trainer
            case "inherit_last":
                parent = state.populations[task.role].latest(task.parents)
            case "inherit_last_best":
                parent = _best(state, task)
            case _:
                parent = None
        return (parent.name, self._store.find(parent.digest)) if parent else ("", None)

    def _iterate(self, trainer: Trainer, task: Task) -> tuple[Policy, dict[str, Any]]:
        """Iterate until a condition ends the training; return its policy and last metrics."""
        folder = self._folder / task.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        best, kept, began = -np.inf, 0, time.monotonic()
        reason: str | None = None
        policy: Policy | None = None
        with contextlib.closing(Metrics(folder, None)) as metrics:
            while reason is None:
                iteration = trainer.iterate()
                for message in iteration.lost:
                    event = {"event": "simulation_failed", "policy": task.name}
                    self._report({**event, "message": message, "first": not self._has_lost})
                    self._has_lost = True
                value = iteration.metrics.get("return/mean")
                if self._config.best_response.keep == "best" and value is not None and value > best:
                    best, kept = value, iteration.steps
                    policy = trainer.policy()
                metrics.add({"steps": iteration.steps, **iteration.metrics})
                reason = self._find_reason(iteration)
                self._report_iteration(task, iteration, began)
        return policy or trainer.policy(), {
            "steps": iteration.steps,
            "episodes": iteration.episodes,
            "return": value if kept == 0 else best,
            "score": iteration.metrics.get(SCORE),
            "kept_at": kept or iteration.steps,
            "stopped_by": reason,
        }

    def _find_reason(self, iteration: Iteration) -> str | None:
        """Return why the training stops after an iteration; None if it does not."""
        stop, score = self._config.stop, iteration.metrics.get(SCORE)
        if iteration.steps >= stop.steps:
            return "steps"
        if stop.win_rate is None or score is None or iteration.episodes < stop.win_rate_episodes:
            return None
        return "win_rate" if score >= stop.win_rate else None

    def _report_iteration(self, task: Task, iteration: Iteration, began: float) -> None:
        until = self._config.stop.steps
        rate = iteration.steps / max(time.monotonic() - began, 1e-9)
        self._report(
            {
                "event": "iteration",
                "policy": task.name,
                "generation": task.generation,
                "steps": iteration.steps,
                "until": until,
                "return": iteration.metrics.get("return/mean"),
                "score": iteration.metrics.get(SCORE),
                "steps_per_second": round(rate, 2),
                "remaining_s": round(max(0, until - iteration.steps) / rate, 1) if rate else None,
            }
        )


def _best(state: PopulationState, task: Task) -> PolicyRecord | None:
    """Return a role's trained policy that has the largest payoff against a mixture."""
    game = state.normal_form()
    names = state.game.seats.names
    earned = game.deviations(tuple(task.mixtures[role] for role in names))[names.index(task.role)]
    trained = [
        (value, number, record)
        for number, (value, record) in enumerate(
            zip(earned, state.populations[task.role], strict=True)
        )
        if record.digest
    ]
    return max(trained, key=lambda each: each[:2])[2] if trained else None
