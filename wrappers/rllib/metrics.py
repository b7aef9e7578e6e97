# SPDX-License-Identifier: GPL-2.0-only
"""Infos and failures of simulations, in RLlib's results."""

from __future__ import annotations

import time
from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback

from defiance_zoo.wrappers.rllib.env import RLlibEnv


class SimulationMetrics(RLlibCallback):
    """Adds metrics to `result["env_runners"]` and to the result itself.

    - `simulation_failures`: simulations lost since training began;
    - `simulation_share`: share of time in which env runners waited for ns-3;
    - `simulated_s`: simulated seconds since training began, of all simulations;
    - `scenario_infos`, by agent and name: means of the numeric infos over an episode, for the last
    episodes;
    - in the result itself `env_runners_lost`, since training began; simulations lost with an env
    runner are not in `simulation_failures`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._since = time.perf_counter()
        self._reported = (0, 0.0, 0.0)

    def on_environment_created(self, **_: Any) -> None:
        """Reset the counts together with the environments."""
        self._reported = (0, 0.0, 0.0)

    def on_episode_end(
        self,
        *,
        env_index: int,
        env_runner: Any = None,
        metrics_logger: Any = None,
        env: Any = None,
        **_: Any,
    ) -> None:
        """Log the scenario's infos."""
        window = env_runner.config.metrics_num_episodes_for_smoothing
        for agent, means in _simulation(env.envs[env_index]).info_means().items():
            for name, mean in means.items():
                metrics_logger.log_value(("scenario_infos", agent, name), mean, window=window)

    def on_sample_end(
        self, *, env_runner: Any = None, metrics_logger: Any = None, **_: Any
    ) -> None:
        """Log failures and shares of time."""
        each = [_simulation(env) for env in env_runner.env.envs]
        failures, waited = sum(env.failures for env in each), sum(env.waited_s for env in each)
        simulated = sum(env.simulated_s for env in each)
        now = time.perf_counter()
        share = (waited - self._reported[1]) / (now - self._since)
        metrics_logger.log_value(
            "simulation_failures", failures - self._reported[0], reduce="lifetime_sum"
        )
        metrics_logger.log_value("simulation_share", share, window=10)
        metrics_logger.log_value(
            "simulated_s", simulated - self._reported[2], reduce="lifetime_sum"
        )
        self._since, self._reported = now, (failures, waited, simulated)

    def on_env_runners_recreated(
        self, *, algorithm: Any, env_runner_indices: list[int], **_: Any
    ) -> None:
        """Count env runners that were lost and replaced."""
        algorithm.metrics.log_value(
            "env_runners_lost", len(env_runner_indices), reduce="lifetime_sum"
        )


def _simulation(env: Any) -> RLlibEnv:
    inner = env.unwrapped
    assert isinstance(inner, RLlibEnv)
    return inner
