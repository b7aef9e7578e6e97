# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments over running simulations."""

from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.environments.arguments import LaunchArguments, prefer_local_link
from defiance_zoo.environments.division import Division, divide_by_device
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.mixins.communication import Communication
from defiance_zoo.environments.mixins.drawn_parameters import DrawnParameters
from defiance_zoo.environments.mixins.snapshots import Snapshot
from defiance_zoo.environments.mixins.transfers import Transfers
from defiance_zoo.environments.parallel import SimulationParallelEnv
from defiance_zoo.environments.policies import (
    Baseline,
    NoOptions,
    Policy,
    PolicyKind,
    PolicyMaker,
)
from defiance_zoo.environments.registry import (
    EnvironmentSpec,
    lookup,
    make,
    make_vec,
    register,
    register_folders,
    registered,
)
from defiance_zoo.environments.rendering.renderer import AgentView, Renderer
from defiance_zoo.environments.vector.multi_agent import MultiAgentVectorEnv
from defiance_zoo.environments.vector.single_agent import SimulationVectorEnv

__all__ = [
    "Baseline",
    "Communication",
    "DrawnParameters",
    "Division",
    "EnvironmentSpec",
    "Episodes",
    "LaunchArguments",
    "MultiAgentVectorEnv",
    "NoOptions",
    "Policy",
    "PolicyKind",
    "PolicyMaker",
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
    "register_folders",
    "registered",
]
