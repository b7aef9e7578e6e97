# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments over running simulations."""

from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.environments.arguments import LaunchArguments
from defiance_zoo.environments.episodes import Episodes
from defiance_zoo.environments.parallel import SimulationParallelEnv
from defiance_zoo.environments.registry import (
    EnvironmentSpec,
    lookup,
    make,
    register,
    registered,
)
from defiance_zoo.environments.rendering import Renderer
from defiance_zoo.environments.snapshots import Snapshot

__all__ = [
    "EnvironmentSpec",
    "Episodes",
    "LaunchArguments",
    "Renderer",
    "SimulationAECEnv",
    "SimulationParallelEnv",
    "Snapshot",
    "lookup",
    "make",
    "register",
    "registered",
]
