# SPDX-License-Identifier: GPL-2.0-only
"""From a checkpoint to a policy file, which scenario programs run without Python."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from gymnasium import spaces

from defiance_zoo.environments import lookup
from defiance_zoo.errors import DependencyMissing, ParameterError
from defiance_zoo.evaluation import agent_spaces
from defiance_zoo.training.configuration import RunConfig
from defiance_zoo.training.trainer import load_policy

Space = spaces.Space[Any]


def export_policy(
    config: RunConfig, checkpoint: Path, file: Path, agent: str | None = None
) -> list[str]:
    """Write what was learned as a policy file; see docs/export.md.

    One short-lived simulation tells the agents and their spaces.

    Args:
        config: Of the run.
        checkpoint: Folder that `Trainer.save` wrote.
        file: What to write; an existing file is replaced.
        agent: Whose policy it is; None where all agents share one.

    Returns:
        The agents that the policy decides for.

    Raises:
        ParameterError: The agent is unknown, or agents have policies of their own and none is
            named, or a policy file has no place for what the policy needs.
        DependencyMissing: A library is not installed.
    """
    export_file = _optional("export.policy_file", "onnx")
    agents = agent_spaces(lookup(config.env), config.parameters)
    if agent is not None and agent not in agents:
        raise ParameterError(f"agent {agent!r} is not one of {list(agents)}")
    policy = load_policy(config, checkpoint)
    names = {each: _policy_name(config, policy, each) for each in agents}
    if agent is None and len(set(names.values())) > 1:
        raise ParameterError(f"agents have policies of their own; name one of {list(agents)}")
    of = next(iter(agents)) if agent is None else agent
    observation_space, action_space = agents[of]
    metadata = {
        "environment": config.env,
        "policy": names[of],
        "trained_by": f"{config.library} {config.algorithm}",
    }
    network = _network(config, policy, names[of], observation_space, action_space)
    export_file.write_policy_file(network, observation_space, action_space, file, metadata)
    return [each for each in agents if names[each] == names[of]]


def _policy_name(config: RunConfig, policy: Any, agent: str) -> str:
    return "shared" if config.library == "sb3" else str(policy.setup.mapping(agent))


def _network(
    config: RunConfig, policy: Any, name: str, observation_space: Space, action_space: Space
) -> Any:
    if config.library == "rllib":
        module = _optional("rllib.network", "rllib")
        scaled = isinstance(action_space, spaces.Box) and action_space.is_bounded()
        return module.RLlibNetwork(policy.modules[name], action_space, normalize_actions=scaled)
    network = _optional("sb3.network", "sb3").SB3Network(policy.network, policy.normalizer)
    if policy.network.observation_space != observation_space:
        raise ParameterError(
            f"the policy observes {policy.network.observation_space}, which is not what the agents "
            f"of {config.env} observe: {observation_space}"
        )
    return network


def _optional(module: str, extra: str) -> Any:
    """Import a module of this package that needs more than `defiance_zoo.training` does."""
    try:
        return importlib.import_module(f"defiance_zoo.training.{module}")
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"{error.name!r} is not installed: pip install 'defiance-zoo[{extra}]'"
        ) from error
