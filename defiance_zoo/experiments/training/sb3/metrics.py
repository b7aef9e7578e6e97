# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of training with SB3: returns, lengths, infos, losses."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from defiance_zoo.experiments.training.trainer import SCORE
from defiance_zoo.wrappers.sb3 import SharedPolicyVecEnv

_LATELY = 100
"""Number of each agent's last episodes in means."""

_NOT_OF_THE_SCENARIO = {
    "TimeLimit.truncated",
    "acted",
    "after_reset",
    "deciding",
    "episode",
    "failure",
    "sim_time_ns",
    "terminal_observation",
}


class Metrics(BaseCallback):
    """Collects rewards and infos of the agents, and counts decisions as SB3's time steps.

    SB3 counts the rows of each step, which include agents that do not decide.
    """

    def __init__(self, vec: Any) -> None:
        super().__init__()
        self._vec = vec
        self._returns: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_LATELY))
        self._lengths: deque[int] = deque(maxlen=_LATELY)
        self._scores: deque[float] = deque(maxlen=_LATELY)
        self._sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])

    def _on_step(self) -> bool:
        if isinstance(self._vec, SharedPolicyVecEnv):
            self.model.num_timesteps -= int((~self._vec.decisions.acted).sum())
        for agent, info in zip(self._vec.agents, self.locals["infos"], strict=True):
            for name, value in info.items():
                if isinstance(value, bool | int | float) and name not in _NOT_OF_THE_SCENARIO:
                    total = self._sums[f"info/{agent}/{name}"]
                    total[0] += value
                    total[1] += 1
            if "episode" in info:
                self._returns[agent].append(float(info["episode"]["r"]))
                self._lengths.append(int(info["episode"]["l"]))
                if SCORE in info["episode"]:  # of a best response
                    self._scores.append(float(info[SCORE]))
        return True

    def take(self) -> dict[str, float]:
        """Return the metrics of an iteration, and begin the next."""
        metrics = {f"return/{agent}": _mean(each) for agent, each in sorted(self._returns.items())}
        if metrics:
            metrics["return/mean"] = _mean([r for each in self._returns.values() for r in each])
            metrics["length/mean"] = _mean(self._lengths)
        if self._scores:
            metrics[SCORE] = _mean(self._scores)
        metrics.update({name: total / count for name, (total, count) in self._sums.items()})
        self._sums.clear()
        for name, value in self.model.logger.name_to_value.items():
            metrics[f"loss/{name.rpartition('/')[2]}"] = float(value)
        self.model.logger.dump()  # without outputs; this clears the values
        metrics["failures"] = float(self._vec.failures)
        return metrics

    def state_dict(self) -> dict[str, Any]:
        """Return the state that the next iteration needs."""
        logger = self.model.logger
        return {
            "returns": dict(self._returns),
            "lengths": self._lengths,
            "sums": dict(self._sums),
            "logged": {
                name: dict(getattr(logger, name)) for name in ("name_to_value", "name_to_count")
            },
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from the result of `state_dict()`."""
        self._returns.update(state["returns"])
        self._lengths = state["lengths"]
        self._sums.update(state.get("sums", {}))  # missing in checkpoints of earlier versions
        for name, values in state.get("logged", {}).items():
            getattr(self.model.logger, name).update(values)


def _mean(values: Any) -> float:
    return float(sum(values) / len(values))
