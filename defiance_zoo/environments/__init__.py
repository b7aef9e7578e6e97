# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments over running simulations."""

from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.environments.arguments import LaunchArguments, prefer_local_link
from defiance_zoo.environments.communication import Communication
from defiance_zoo.environments.division import Division, divide_by_device
from defiance_zoo.environments.episodes import Episodes
from defiance_zoo.environments.multi_agent_vector import MultiAgentVectorEnv
from defiance_zoo.environments.parallel import SimulationParallelEnv
from defiance_zoo.environments.registry import (
    EnvironmentSpec,
    lookup,
    make,
    make_vec,
    register,
    registered,
)
from defiance_zoo.environments.rendering import AgentView, Renderer
from defiance_zoo.environments.snapshots import Snapshot
from defiance_zoo.environments.transfers import Transfers
from defiance_zoo.environments.vector import SimulationVectorEnv

__all__ = [
    "Communication",
    "Division",
    "EnvironmentSpec",
    "Episodes",
    "LaunchArguments",
    "MultiAgentVectorEnv",
    "AgentView",
    "Renderer",
    "SimulationAECEnv",
    "SimulationParallelEnv",
    "SimulationVectorEnv",
    "Snapshot",
    "Transfers",
    "divide_by_device",
    "lookup",
    "make",
    "make_vec",
    "prefer_local_link",
    "register",
    "registered",
]
