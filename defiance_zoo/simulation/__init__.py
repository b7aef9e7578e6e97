# SPDX-License-Identifier: GPL-2.0-only
"""Simulation processes, and the conversation with them."""

from defiance_zoo.simulation.endpoint import CurveKeys, Endpoint
from defiance_zoo.simulation.events import Agent, AgentEnd, AgentGroup, AgentStep, Round
from defiance_zoo.simulation.launcher import (
    Launch,
    Launcher,
    LaunchSettings,
    LinkKind,
    Output,
    Rounds,
    open_link,
)
from defiance_zoo.simulation.link import AnyLink
from defiance_zoo.simulation.parameters import Declaration, Parameter, ParameterType, describe
from defiance_zoo.simulation.scenario import Scenario
from defiance_zoo.simulation.simulation import PROTOCOL, Simulation

__all__ = [
    "PROTOCOL",
    "Agent",
    "AgentEnd",
    "AgentGroup",
    "AgentStep",
    "AnyLink",
    "CurveKeys",
    "Declaration",
    "Endpoint",
    "Launch",
    "LaunchSettings",
    "Launcher",
    "LinkKind",
    "Output",
    "Parameter",
    "ParameterType",
    "Round",
    "Rounds",
    "Scenario",
    "Simulation",
    "describe",
    "open_link",
]
