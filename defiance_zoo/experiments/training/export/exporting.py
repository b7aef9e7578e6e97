# SPDX-License-Identifier: GPL-2.0-only
"""Export of checkpoints to policy files, which scenario programs run without Python."""

from __future__ import annotations

import json
from pathlib import Path

from defiance_zoo.bridge.system.extras import import_optional
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import agent_spaces, require_spaces
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.trainer import load_policy, trained_spaces, trainer_class


def export_policy(
    config: RunConfig,
    checkpoint: Path,
    file: Path,
    agent: str | None = None,
    *,
    trust: bool = False,
) -> list[str]:
    """Write the policy of a checkpoint to a policy file; see docs/training/export.md.

    A short-lived simulation reports the agents and their spaces.
    """
    policy_file = import_optional("defiance_zoo.experiments.training.export.policy_file", "onnx")
    trainer = trainer_class(config.library)
    policy = load_policy(config, checkpoint, trust=trust)  # first: compares the signature
    agents = agent_spaces(lookup(config.env), config.parameters)
    if agent is not None and agent not in agents:
        raise ParameterError(f"agent {agent!r} is not one of {list(agents)}")
    names = {each: trainer.policy_name(policy, each) for each in agents}
    if agent is None and len(set(names.values())) > 1:
        raise ParameterError(f"each agent has its own policy; name one of {list(agents)}")
    of = next(iter(agents)) if agent is None else agent
    require_spaces({of: agents[of]}, trained_spaces(config, policy))
    metadata = {
        "environment": config.env,
        "policy": names[of],
        "trained_by": f"{config.library} {config.algorithm}",
        "parameters": json.dumps(config.parameters),
        **({"features": config.features} if config.features else {}),
        **({"residual": config.residual.policy} if config.residual else {}),
    }
    network = trainer.network(config, policy, of, agents[of])
    policy_file.write_policy_file(network, *agents[of], file, metadata)
    return [each for each in agents if names[each] == names[of]]
