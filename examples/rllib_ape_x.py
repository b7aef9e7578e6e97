# SPDX-License-Identifier: GPL-2.0-only
"""Train an algorithm of your own: Ape-X, DQN with asynchronous env runners and a ladder of ε.

Env runner i of n explores with ε = 0.4^(1 + 7 (i-1)/(n-1)), and the learner samples from
prioritised replay while the env runners play.
Docs: docs/training/rllib.md
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import ray
from ray.rllib.algorithms.dqn import DQN
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

from defiance_zoo.wrappers.rllib.config import rllib_config

PATIENCE_S = 0.02
"""Maximum wait for a fragment in seconds; waiting saves the learner from polling."""


def epsilon_of(worker_index: int, count: int) -> float:
    """Return the ε of one of some remote env runners; the first runner's index is 1."""
    return float(0.4 ** (1 + 7 * (worker_index - 1) / max(1, count - 1)))


class LadderEnvRunner(MultiAgentEnvRunner):
    """Explores with the ε of its env runner."""

    config: Any
    module: Any

    def make_module(self) -> None:
        super().make_module()  # type: ignore[no-untyped-call] # RLlib's
        if self.worker_index:
            for module in self.module.values():
                module.epsilon_schedule = Scheduler(
                    epsilon_of(self.worker_index, self.config.num_env_runners)
                )


class ApeXDQN(DQN):
    """Collects env runners' finished fragments, and meanwhile learns from the replay buffer."""

    config: Any
    env_runner_group: Any
    learner_group: Any
    local_replay_buffer: Any
    metrics: Any
    _owed = 0.0  # outstanding updates for sampled steps

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


def ape_x_config(env: str, **arguments: Any) -> Any:
    """Return a configuration of Ape-X; see `rllib_config()`."""
    config: Any = rllib_config("DQN", env, **arguments)
    config.algo_class = ApeXDQN
    return config.env_runners(
        num_env_runners=2,
        rollout_fragment_length=50,  # small packets have a large overhead
        env_runner_cls=LadderEnvRunner,
    ).training(n_step=3, training_intensity=8.0)


def main() -> None:
    """Train on carts, and print the mean return of each iteration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--carts", type=int, default=2)
    parser.add_argument("--env-runners", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--steps", type=int, default=1000, help="steps of an iteration")
    arguments = parser.parse_args()
    count = arguments.env_runners
    ray.init("local", num_cpus=count + 1, include_dashboard=False, log_to_driver=False)
    config = ape_x_config("cart_pole_v0", carts=arguments.carts).env_runners(num_env_runners=count)
    config.training(num_steps_sampled_before_learning_starts=arguments.steps // 2)
    config.reporting(min_time_s_per_iteration=0, min_sample_timesteps_per_iteration=arguments.steps)
    algorithm = config.build_algo()
    for number in range(arguments.iterations):
        reported = algorithm.train()["env_runners"]
        print(f"{number}: return {reported.get('episode_return_mean', 0.0):.1f}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
