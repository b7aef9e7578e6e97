# SPDX-License-Identifier: GPL-2.0-only
"""RLlib algorithms configured for a simulated environment."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gymnasium import spaces
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.algorithms.appo import APPOConfig
from ray.rllib.algorithms.dqn import DQNConfig
from ray.rllib.algorithms.impala import IMPALAConfig
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.sac import SACConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.policy.policy import PolicySpec

from defiance_zoo.bridge.simulation import kept_programs
from defiance_zoo.bridge.system.plain_values import require_type
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.features import FeatureSource
from defiance_zoo.wrappers.rllib.env import RLlibEnv, SimulationMetrics
from defiance_zoo.wrappers.rllib.masks import MaskedPPOModule
from defiance_zoo.wrappers.rllib.policies import Policies, PolicyMapping

_SAMPLES_TIMEOUT_S = 0.1


@dataclass(frozen=True)
class _Algorithm:
    config: Callable[[], AlgorithmConfig]
    actions: tuple[type, ...]
    """Supported kinds of action spaces."""
    replays: bool = False


_ANY = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.Dict, spaces.Tuple)
ALGORITHMS = {
    "PPO": _Algorithm(PPOConfig, _ANY),
    "APPO": _Algorithm(APPOConfig, _ANY),
    "IMPALA": _Algorithm(IMPALAConfig, _ANY),
    "DQN": _Algorithm(DQNConfig, (spaces.Discrete,), replays=True),
    "SAC": _Algorithm(SACConfig, (spaces.Box, spaces.Discrete), replays=True),
}
"""Algorithms by name."""


def find_algorithm(name: str) -> _Algorithm:
    """Return an algorithm by its name, or raise `ParameterError`."""
    require_choice("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]


def rllib_config(
    algorithm: str,
    env: str,
    /,
    *,
    policies: Policies = "shared",
    action_masks: bool = False,
    restart_on_failure: bool = True,
    features: FeatureSource | None = None,
    **arguments: Any,
) -> AlgorithmConfig:
    """Return an algorithm's configuration for an environment; all settings can be changed.

    A short-lived simulation reports the agents and their spaces. The configuration samples and
    learns in this process (`env_runners(num_env_runners=0)`, `learners(num_learners=0)`), replaces
    lost env runners, and logs the metrics of `SimulationMetrics`. A simulation is a child of the
    env runner that plays it.

    Args:
        algorithm: One of `ALGORITHMS`.
        env: A registered environment, such as `cart_pole_v0`.
        policies: `shared`, `individual`, or the policies' names by pattern of agents:
            `{"station_*": "station", "*": "rest"}`.
        action_masks: Whether the scenario sends an info `action_mask`; not for masks in
            observations. Masks need PPO.
        restart_on_failure: Treat a failed simulation as a truncated episode, unless the error
            needs a mended scenario.
        features: Features that replace observations.
        **arguments: As for `defiance_zoo.make`; `link` is `local` by default.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: The algorithm is unknown or does not support the spaces, an agent has no
            fitting policy, or an argument is not allowed.
    """
    require_type("features", features, FeatureSource, optional=True)
    chosen = find_algorithm(algorithm)
    mapping = PolicyMapping(policies)
    env_config = {
        **arguments,
        "name": env,
        "spec": lookup(env),
        "restart_on_failure": restart_on_failure,
        "action_masks": action_masks,
        "encode": True,
        "features": features,
        "kept_programs": kept_programs(),
    }
    both = mapping.spaces_of(_spaces(env_config))
    for policy, (observations, actions) in both.items():
        _check(algorithm, policy, observations, actions)
    config: Any = chosen.config()
    spec: Any = PolicySpec  # it has no types
    config = (
        config.environment(
            # RLlib cannot normalise actions of agents that join late; `Encoding` can.
            RLlibEnv,
            env_config=env_config,
            normalize_actions=False,
            clip_actions=False,
            # RLlib's check hides a scenario's errors, and draws actions without masks.
            disable_env_checking=True,
        )
        .env_runners(num_env_runners=0)
        .learners(num_learners=0)
        .multi_agent(policies={policy: spec() for policy in both}, policy_mapping_fn=mapping)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    policy: RLModuleSpec(
                        module_class=MaskedPPOModule if _masked(observations) else None
                    )
                    for policy, (observations, _) in both.items()
                }
            )
        )
        .callbacks(SimulationMetrics)
        .fault_tolerance(restart_failed_env_runners=True)
    )
    if hasattr(config, "timeout_s_sampler_manager"):
        # Polling the runners without a pause would occupy a core that a runner needs.
        config.timeout_s_sampler_manager = _SAMPLES_TIMEOUT_S
    if chosen.replays:
        kind = {"type": "MultiAgentPrioritizedEpisodeReplayBuffer"}
        config.training(replay_buffer_config={**config.replay_buffer_config, **kind})
    configured: AlgorithmConfig = config
    return configured


def _spaces(
    env_config: dict[str, Any],
) -> dict[str, tuple[spaces.Space[Any], spaces.Space[Any]]]:
    with contextlib.closing(RLlibEnv(env_config)) as env:
        return {
            agent: (env.get_observation_space(agent), env.get_action_space(agent))
            for agent in env.possible_agents
        }


def _masked(observations: spaces.Space[Any]) -> bool:
    return isinstance(observations, spaces.Dict)  # other observations are flat already


def _check(
    algorithm: str,
    policy: str,
    observations: spaces.Space[Any],
    actions: spaces.Space[Any],
) -> None:
    if _masked(observations) and algorithm != "PPO":
        raise ParameterError(f"{algorithm} cannot use action masks, as {policy!r} has; PPO can")
    if not isinstance(actions, ALGORITHMS[algorithm].actions):
        kinds = [kind.__name__ for kind in ALGORITHMS[algorithm].actions]
        raise ParameterError(f"{algorithm} needs actions of {kinds}; {policy!r} has {actions}")
