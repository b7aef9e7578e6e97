# SPDX-License-Identifier: GPL-2.0-only
"""The loop of training: iterations, metrics, evaluations and checkpoints."""

from __future__ import annotations

import functools
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.environments import Policy, SimulationAECEnv, lookup
from defiance_zoo.environments.episodes.observer import record_to
from defiance_zoo.experiments.evaluation import Spaces, open_env, play
from defiance_zoo.experiments.training.checkpoints import (
    EPISODES,
    Counters,
    RunFolder,
    State,
    Status,
    save_checkpoint,
)
from defiance_zoo.experiments.training.configuration import RunConfig, Teacher
from defiance_zoo.experiments.training.evaluation import TRAINED, Result
from defiance_zoo.experiments.training.metrics import Metrics, Row
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.training.teacher.teaching import teach
from defiance_zoo.experiments.training.trainer import Iteration, Trainer
from defiance_zoo.experiments.workbench.comparisons import difference, measure
from defiance_zoo.experiments.workbench.events import EventCallback, NotDrawn, draw_if_possible
from defiance_zoo.experiments.workbench.interruption import Aborted, Interruption, unmasked

_FRAMES = 64
"""The maximum number of pictures: of a longer episode, each second, fourth, … one is kept."""
_FRAME_MS = 100


class Film:
    """A policy that draws the environment of its first episode before its decisions.

    There are no frames after an error of the renderer.
    """

    def __init__(self, policy: Policy, env: SimulationAECEnv, report: EventCallback) -> None:
        self.frames: list[NDArray[np.uint8]] = []
        self._policy, self._env, self._report = policy, env, report
        self._fails = False
        self._episodes = self._instants = 0
        self._stride, self._time_ns = 1, -1

    def reset(self) -> None:
        self._policy.reset()
        self._episodes += 1

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return the policy's action, after one picture of each instant."""
        if self._episodes == 1 and not self._fails and info["sim_time_ns"] != self._time_ns:
            self._time_ns = info["sim_time_ns"]
            if self._instants % self._stride == 0:
                self._draw()
            self._instants += 1
        return self._policy.act(agent, observation, info)

    def _draw(self) -> None:
        frame = draw_if_possible("the evaluation's episode", self._env.render, self._report)
        if isinstance(frame, NotDrawn):
            self._fails = True
            return
        self.frames.append(frame)
        if len(self.frames) > _FRAMES:
            self.frames, self._stride = self.frames[::2], 2 * self._stride


def to_gif(frames: list[NDArray[np.uint8]]) -> bytes:
    """Return pictures of one size as an animation that repeats."""
    first, *others = map(Image.fromarray, frames)
    content = io.BytesIO()
    first.save(content, "GIF", save_all=True, append_images=others, duration=_FRAME_MS, loop=0)
    return content.getvalue()


_CHECKPOINTS = 10  # of a run without `checkpoint_every`
_SAVING_S = 600.0
"""The time for which a signal lets a checkpoint be saved, in seconds."""

_MEAN = "evaluation/return/mean"
_PIXELS = "rgb_array"

PruneCallback = Callable[[int, float], bool]
"""Returns whether to prune a run: to stop it early.

It is called after each evaluation during training, with the number of decisions and the mean
return.
"""


class Loop:
    """One part of a run, from its beginning or a checkpoint to the next stop."""

    def __init__(
        self,
        folder: RunFolder,
        config: RunConfig,
        trainer: Trainer,
        counters: Counters,
        report: EventCallback,
        status: Status,
        *,
        restored: bool,
        record: bool,
        prune: PruneCallback | None = None,
    ) -> None:
        self._folder, self._config, self._trainer = folder, config, trainer
        self._counters, self._report, self._status = counters, report, status
        self._prune, self.pruned = prune, False
        self._recorded = self._record() if record else {}
        self._restored = restored
        self._metrics = Metrics(folder.path, counters.steps if restored else None)
        self._metrics.board.add_text("description", to_yaml(config), counters.steps)
        self._env: SimulationAECEnv | None = None
        self._has_lost = False
        self._returns: list[float] = []  # of the last evaluation
        self._saved = self._start = counters.steps
        self._seconds_before, self._began = counters.seconds, time.perf_counter()

    def run(self, interruption: Interruption) -> None:
        """Iterate until the planned stop or pruning, and save a checkpoint."""
        counters = self._counters
        self._trainer.is_to_stop = lambda: interruption.signal is not None
        self._show("training")
        self._log({"event": "started", "steps": counters.steps, "until": self._config.steps})
        try:
            with unmasked():
                if self._restored:
                    self._continue(interruption)
                while counters.steps < self._config.steps and not self.pruned:
                    self._iterate(interruption)
        except Aborted:
            if counters.steps > self._saved and not interruption.repeated:
                with interruption.held(_SAVING_S):
                    self._save(best=False, known=None)
            raise
        if counters.steps > self._saved:
            with interruption.held(_SAVING_S):
                known = counters.best
                self._save(best=self._is_best_return(), known=known)

    def imitate(
        self, interruption: Interruption, teacher: Teacher, spaces: Spaces, *, trust: bool
    ) -> None:
        """Imitate the teacher, and save a checkpoint; labels survive an interruption."""
        self._show("imitating")
        path = self._folder.path
        teach(self._trainer, self._config, teacher, spaces, path, self._follow, trust=trust)
        self.keep_first(interruption)

    def keep_first(self, interruption: Interruption) -> None:
        """Evaluate the policy before its first step, if evaluations are due, and save it."""
        evaluated = self._config.evaluate_every is not None
        found = self._evaluate() if evaluated else {}
        with interruption.held(_SAVING_S):
            if evaluated:
                self._metrics.add({**self._row(Iteration(0, 0)), **found})
                self._surpasses(found[_MEAN])
            self._save(best=True, known=None)
        self._seconds_before, self._began = self._seconds(), time.perf_counter()

    def close(self) -> None:
        """Flush the metrics, and end the simulation of evaluations."""
        self._metrics.close()
        if self._env is not None:
            self._env.close()

    def _iterate(self, interruption: Interruption) -> None:
        before = self._counters.whole
        with interruption.held():
            iteration = self._trainer.iterate()
            for message in iteration.lost:
                event = {"event": "simulation_failed", "steps": iteration.steps}
                self._log({**event, "message": message, "first": not self._has_lost})
                self._has_lost = True
            self._count(iteration)
            if iteration.whole:
                self._metrics.add(self._row(iteration))
        self._finish_iteration(interruption, due=self._is_due(before))

    def _finish_iteration(self, interruption: Interruption, *, due: bool) -> None:
        """Evaluate, report, save and prune, as far as that is due."""
        counters, found = self._counters, {}
        if not counters.evaluated:
            self._show("evaluating")
            found = self._evaluate()
        with interruption.held(_SAVING_S):
            known = counters.best
            if found:
                self._metrics.amend(found)
                counters.evaluated = True
            best = self._surpasses(found[_MEAN]) if found else due and self._is_best_return()
            self._show("training")
            self._report(self._progress(self._metrics.rows[-1]))
            if best or due:
                self._save(best=best, known=known)
        if found:
            self._consider_pruning(found[_MEAN])

    def _continue(self, interruption: Interruption) -> None:
        """Finish the iteration of the checkpoint; a process may have ended in between."""
        steps, rows = self._counters.steps, self._metrics.rows
        if not rows or rows[-1]["steps"] != steps:
            return  # the checkpoint lies within an iteration
        if not self._counters.evaluated:
            self._finish_iteration(interruption, due=True)
        elif (value := rows[-1].get(_MEAN)) is not None:
            self._consider_pruning(value)

    def _consider_pruning(self, value: float) -> None:
        if self._prune is not None:
            pruned = self._prune(self._counters.steps, value)
            self.pruned = pruned and self._counters.steps < self._config.steps

    def _count(self, iteration: Iteration) -> None:
        counters, every = self._counters, self._config.evaluate_every
        counters.steps, counters.episodes = iteration.steps, iteration.episodes
        counters.seconds = self._seconds()
        if iteration.whole:
            counters.evaluated = every is None or not self._passed(counters.whole, every)
            counters.iterations += 1
            counters.whole = counters.steps

    def _seconds(self) -> float:
        """Return the time spent on the run, in seconds."""
        return self._seconds_before + time.perf_counter() - self._began

    def _row(self, iteration: Iteration) -> dict[str, float]:
        counters = self._counters
        return {
            "steps": counters.steps,
            "episodes": counters.episodes,
            "iteration": counters.iterations,
            "seconds": round(counters.seconds, 3),
            "steps_per_second": round(self._rate(), 2),
            **{name: float(value) for name, value in iteration.metrics.items()},
        }

    def _rate(self) -> float:
        """Return the decisions per second of this part of the run."""
        return (self._counters.steps - self._start) / (time.perf_counter() - self._began)

    def _progress(self, row: Row) -> dict[str, Any]:
        counters, rate, until = self._counters, self._rate(), self._config.steps
        left = max(0, until - counters.steps)
        return {
            "event": "iteration",
            "steps": counters.steps,
            "until": until,
            "episodes": counters.episodes,
            "return": row.get("return/mean"),
            "steps_per_second": round(rate, 2),
            "remaining_s": round(left / rate, 1) if rate else None,
            "metrics": row,
        }

    def _is_due(self, before: int) -> bool:
        every = self._config.checkpoint_every
        return self._passed(before, every or max(1, self._config.steps // _CHECKPOINTS))

    def _passed(self, before: int, every: int) -> bool:
        """Return whether an iteration from `before` to now passes a multiple of `every`."""
        return self._counters.steps // every > before // every

    def _record(self) -> dict[str, Any]:
        """Return the arguments that record, and if possible draw, each evaluation's episode."""
        first = self._config.evaluation.seed_of_choice

        def is_first(recording: Any) -> bool:
            return bool(recording.seed == first)

        recorded = {"record": record_to(self._folder.path / EPISODES, keep=is_first)}
        drawn = _PIXELS in lookup(self._config.env).renderer.modes
        return {**recorded, "render_mode": _PIXELS} if drawn else recorded

    def _evaluate(self) -> dict[str, float]:
        config = self._config
        if self._env is None:
            self._env = open_env(lookup(config.env), {**config.parameters, **self._recorded})
        evaluation, policy = config.evaluation, self._trainer.policy()
        film = None
        if self._env.render_mode is not None:
            policy = film = Film(policy, self._env, self._log)
        played = play(
            self._env,
            policy,
            episodes=evaluation.episodes,
            seed=evaluation.seed_of_choice,
            attempts=ATTEMPTS,
            name=TRAINED,
            report=self._follow,
        )
        result = Result(list(played))
        self._returns = result.returns
        if film is not None and film.frames:
            show = functools.partial(self._show_film, film)
            draw_if_possible("the evaluation's episode", show, self._log)
        estimate = result.estimate
        row = {_MEAN: estimate.mean}
        if estimate.low is not None and estimate.high is not None:
            row |= {"evaluation/return/low": estimate.low, "evaluation/return/high": estimate.high}
        return {**row, "evaluation/failures": result.failures} if result.failures else row

    def _show_film(self, film: Film) -> None:
        size = film.frames[0].shape[:2]
        self._metrics.board.add_film("evaluation", to_gif(film.frames), size, self._counters.steps)

    def _is_best_return(self) -> bool:
        """Return whether the last return is the best so far; false if evaluations decide that."""
        if self._config.evaluate_every is not None or not self._metrics.rows:
            return False
        value = self._metrics.rows[-1].get("return/mean")
        return value is not None and self._surpasses(value)

    def _surpasses(self, value: float) -> bool:
        counters = self._counters
        if counters.best is not None and value <= counters.best:
            return False
        if self._config.residual is not None and not self._corrects():
            return False
        counters.best = value
        return True

    def _corrects(self) -> bool:
        """Return whether a policy is better than the hand-written one in the same episodes.

        The first policy is the hand-written one itself.
        """
        if not self._counters.base:
            self._counters.base = self._returns
            return True
        both = (np.array([[each]]) for each in (self._returns, self._counters.base))
        low = measure(difference, *both).low
        return low is not None and low > 0

    def _save(self, *, best: bool, known: float | None) -> None:
        save_checkpoint(
            self._folder.path / "checkpoints",
            self._config,
            self._counters,
            self._trainer.save,
            best=best,
        )
        self._saved = self._counters.steps
        path = self._folder.path / "learning_curve.png"
        env = lookup(self._config.env).name  # without the folder of a file
        title = f"{self._config.algorithm} ({self._config.library}) on {env}"
        rows = self._metrics.rows
        draw_if_possible(path.name, lambda: _draw_curve(rows, title, path), self._log)
        surpassed = known if best else None
        self._log(
            {"event": "checkpoint", "steps": self._saved, "best": best, "surpassed": surpassed}
        )

    def _show(self, state: State) -> None:
        self._status.write(state, steps=self._counters.steps, until=self._config.steps)

    def _follow(self, event: dict[str, Any]) -> None:
        """Report the progress of imitation and evaluations; only other events are written."""
        if event["event"] in ("labels", "played"):
            self._report({**event, "run": str(self._folder.path)})
        else:
            self._log(event)

    def _log(self, event: dict[str, Any]) -> None:
        self._folder.note(event)
        self._report({**event, "run": str(self._folder.path)})


def _draw_curve(rows: list[Row], title: str, path: Path) -> None:
    """Draw mean returns over decisions, and evaluations with confidence intervals."""
    from matplotlib.figure import Figure  # takes half a second

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot(xlabel="Decisions of all agents", ylabel="Mean return", title=title)
    training = _points(rows, "return/mean")
    axes.plot([x for x, _ in training], [y for _, y in training], label="while training")
    mean = _points(rows, "evaluation/return/mean")
    if mean:
        (line,) = axes.plot(*zip(*mean, strict=True), marker="o", label="evaluation, 95 % interval")
        low, high = (_points(rows, f"evaluation/return/{end}") for end in ("low", "high"))
        if low and high:
            steps = [x for x, _ in low]
            bounds = [y for _, y in low], [y for _, y in high]
            axes.fill_between(steps, *bounds, color=line.get_color(), alpha=0.2)
        axes.legend()
    axes.grid(alpha=0.3)
    write_whole(path, lambda file: figure.savefig(file, format="png", dpi=120))


def _points(rows: list[Row], name: str) -> list[tuple[float, float]]:
    """Return steps and values of a metric from rows that have both."""
    return [
        (steps, value)
        for row in rows
        if (steps := row["steps"]) is not None and (value := row.get(name)) is not None
    ]
