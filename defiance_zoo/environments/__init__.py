# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments over running simulations."""

from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.environments.arguments import LaunchArguments, prefer_local_link
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.parallel import SimulationParallelEnv
from defiance_zoo.environments.policies import (
    Baseline,
    BoundedOptions,
    Division,
    NoOptions,
    Policy,
    PolicyKind,
    PolicyMaker,
    bounded,
    divide_by_device,
)
from defiance_zoo.environments.registry import (
    EnvironmentSpec,
    lookup,
    make,
    make_vec,
)
from defiance_zoo.environments.rendering.renderer import AgentView, Renderer
from defiance_zoo.environments.shared_methods import (
    JointState,
    Simulated,
    Snapshot,
)
from defiance_zoo.environments.vector.vector_environments import (
    MultiAgentVectorEnv,
    SimulationVectorEnv,
)
from defiance_zoo.registration import register, registered

__all__ = [
    "Baseline",
    "BoundedOptions",
    "Division",
    "EnvironmentSpec",
    "Episodes",
    "JointState",
    "LaunchArguments",
    "MultiAgentVectorEnv",
    "NoOptions",
    "Policy",
    "PolicyKind",
    "PolicyMaker",
    "AgentView",
    "Renderer",
    "Simulated",
    "SimulationAECEnv",
    "SimulationParallelEnv",
    "SimulationVectorEnv",
    "Snapshot",
    "bounded",
    "divide_by_device",
    "lookup",
    "make",
    "make_vec",
    "prefer_local_link",
    "register",
    "registered",
]
