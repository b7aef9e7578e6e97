# SPDX-License-Identifier: GPL-2.0-only
"""Ape-X: DQN with asynchronous env runners, each of which explores differently."""

from __future__ import annotations

from typing import Any

import numpy as np
import ray
from ray.rllib.algorithms.dqn import DQN, DQNConfig
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    ENV_RUNNER_SAMPLING_TIMER,
    LEARNER_RESULTS,
    LEARNER_UPDATE_TIMER,
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    REPLAY_BUFFER_ADD_DATA_TIMER,
    REPLAY_BUFFER_SAMPLE_TIMER,
    REPLAY_BUFFER_UPDATE_PRIOS_TIMER,
    SYNCH_WORKER_WEIGHTS_TIMER,
    TD_ERROR_KEY,
    TIMERS,
)
from ray.rllib.utils.numpy import convert_to_numpy
from ray.rllib.utils.replay_buffers.utils import update_priorities_in_episode_replay_buffer
from ray.rllib.utils.schedules.scheduler import Scheduler

PATIENCE_S = 0.02
"""Maximum wait for a fragment in seconds; waiting saves the learner from polling."""


class ApeXDQNConfig(DQNConfig):
    """DQN with prioritised replay, 3-step returns and a ladder of ε.

    Attributes:
        ladder: ε of env runner i of n is `ladder[0] ** (1 + ladder[1] * (i - 1) / (n - 1))`.
            Without env runners, `epsilon` applies, as in DQN.
    """

    def __init__(self, algo_class: type | None = None) -> None:
        super().__init__(algo_class or ApeXDQN)  # type: ignore[no-untyped-call] # RLlib's
        self.ladder = (0.4, 7.0)
        self.n_step = 3
        self.num_env_runners = 2
        self.rollout_fragment_length = 50  # small packets have a large overhead
        self.training_intensity = 8.0
        self.env_runners(env_runner_cls=LadderEnvRunner)

    def epsilon_of(self, worker_index: int) -> float:
        """Return the ε of a remote env runner; the first runner's index is 1."""
        base, exponent = self.ladder
        rung = (worker_index - 1) / max(1, self.num_env_runners - 1)
        return float(base ** (1 + exponent * rung))


class LadderEnvRunner(MultiAgentEnvRunner):
    """Explores with the ε of its env runner."""

    config: Any
    module: Any

    def make_module(self) -> None:
        super().make_module()  # type: ignore[no-untyped-call] # RLlib's
        if self.worker_index:
            for module in self.module.values():
                module.epsilon_schedule = Scheduler(self.config.epsilon_of(self.worker_index))


class ApeXDQN(DQN):
    """Collects env runners' finished fragments, and meanwhile learns from the replay buffer."""

    config: Any
    env_runner_group: Any
    learner_group: Any
    local_replay_buffer: Any
    metrics: Any
    _owed = 0.0  # outstanding updates for sampled steps

    @classmethod
    def get_default_config(cls) -> DQNConfig:
        """Return the differences from DQN's configuration."""
        return ApeXDQNConfig()

    def training_step(self) -> None:
        """Store finished fragments, and make the updates that their steps require.

        `training_intensity` is the number of replayed steps for each sampled step: learning neither
            waits for env runners nor runs ahead of them.
        """
        if self.env_runner_group.num_healthy_remote_workers() == 0:
            super().training_step()
            return
        self._store()
        sampled = self.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0)
        if sampled < self.config.num_steps_sampled_before_learning_starts:
            self._owed = 0.0
        learned: set[str] = set()
        while self._owed >= 1:
            self._owed -= 1
            learned |= self._update()
        if learned:
            with self.metrics.log_time((TIMERS, SYNCH_WORKER_WEIGHTS_TIMER)):
                self.env_runner_group.sync_weights(
                    from_worker_or_learner_group=self.learner_group,
                    policies=learned,
                    inference_only=True,
                )

    def _store(self) -> None:
        """Put finished fragments into the buffer, and request new ones."""
        with self.metrics.log_time((TIMERS, ENV_RUNNER_SAMPLING_TIMER)):
            ready = self.env_runner_group.foreach_env_runner_async_fetch_ready(
                func="sample_get_state_and_metrics",
                tag="sample_get_state_and_metrics",
                timeout_seconds=PATIENCE_S,
            )
        for reference, _, reported in ready:
            try:
                episodes = ray.get(reference)
            except ray.exceptions.RayError:
                continue  # the fragment was lost with its env runner
            replayed = int(reported.get(NUM_ENV_STEPS_SAMPLED, 0)) * self.config.training_intensity
            self._owed += replayed / self.config.total_train_batch_size
            with self.metrics.log_time((TIMERS, REPLAY_BUFFER_ADD_DATA_TIMER)):
                self.local_replay_buffer.add(episodes)
            self.metrics.aggregate([reported], key=ENV_RUNNER_RESULTS)

    def _update(self) -> set[str]:
        """Learn from one batch, and update its priorities; return the policies."""
        config, lifetime = self.config, NUM_ENV_STEPS_SAMPLED_LIFETIME
        with self.metrics.log_time((TIMERS, REPLAY_BUFFER_SAMPLE_TIMER)):
            episodes = self.local_replay_buffer.sample(
                num_items=config.total_train_batch_size,
                n_step=config.n_step,
                gamma=config.gamma,
                beta=config.replay_buffer_config["beta"],
                sample_episodes=True,
            )
        with self.metrics.log_time((TIMERS, LEARNER_UPDATE_TIMER)):
            results = self.learner_group.update(
                episodes=episodes,
                timesteps={lifetime: self.metrics.peek((ENV_RUNNER_RESULTS, lifetime))},
            )
        errors: dict[str, list[Any]] = {}
        for policy, reported in ((p, t) for result in results for p, t in result.items()):
            if TD_ERROR_KEY in reported:  # one for each step: nothing for the results
                errors.setdefault(policy, []).extend(reported.pop(TD_ERROR_KEY).peek())
        self.metrics.aggregate(results, key=LEARNER_RESULTS)
        with self.metrics.log_time((TIMERS, REPLAY_BUFFER_UPDATE_PRIOS_TIMER)):
            update_priorities_in_episode_replay_buffer(
                replay_buffer=self.local_replay_buffer,
                td_errors={
                    policy: {TD_ERROR_KEY: np.concatenate(convert_to_numpy(each))}
                    for policy, each in errors.items()
                },
            )
        return set(errors)
