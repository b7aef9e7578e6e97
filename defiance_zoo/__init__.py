# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments whose world is a real ns-3 network simulation."""

from __future__ import annotations

from defiance_zoo.bridge.system import early_signals

early_signals.end_quietly()

# ruff: noqa: E402 (the rest loads slowly)
from pathlib import Path
from typing import TYPE_CHECKING

import defiance_zoo.bridge.system.deleted_directory  # noqa: F401 (first: PettingZoo needs it)
from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Choice, CurveKeys, LogUniform, Scenario, Uniform
from defiance_zoo.environments import (
    EnvironmentSpec,
    make,
    make_vec,
    register,
    register_folders,
    registered,
)

__version__ = "0.1.0"

__all__ = [
    "Choice",
    "CurveKeys",
    "EnvironmentSpec",
    "LogUniform",
    "Scenario",
    "Uniform",
    "__version__",
    "errors",
    "make",
    "make_vec",
    "pretrained",
    "register",
    "registered",
]

if TYPE_CHECKING:
    from defiance_zoo.experiments.evaluation import FilePolicy


def pretrained(env: str) -> FilePolicy:
    """Return the trained policy of an environment.

    Args:
        env: Name of the environment, such as `tcp_congestion_v1`.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: The environment has no trained policy.
        DependencyMissing: ONNX Runtime is not installed.
    """
    from defiance_zoo.experiments.evaluation import pretrained as find  # only for policy files

    return find(env)


register(
    "partition_v0",
    "defiance_zoo.envs.partition.partition_v0:SPEC",
    gymnasium_id="defiance_zoo/PartitionRaft-v0",
)
register(
    "partition_tendermint_v0",
    "defiance_zoo.envs.partition.partition_v0:TENDERMINT_SPEC",
    gymnasium_id="defiance_zoo/PartitionTendermint-v0",
)
register_folders(Path(__file__).with_name("envs"), "defiance_zoo.envs")
