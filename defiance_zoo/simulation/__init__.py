# SPDX-License-Identifier: GPL-2.0-only
"""Simulation processes, and the conversation with them."""

from defiance_zoo.simulation.affinity import Affinity
from defiance_zoo.simulation.any_link import AnyLink, Conversation
from defiance_zoo.simulation.attaching import Announce, StartCommand
from defiance_zoo.simulation.communication import (
    CommunicationFlow,
    CommunicationLink,
    CommunicationPath,
    CommunicationReport,
)
from defiance_zoo.simulation.endpoint import CurveKeys, Endpoint
from defiance_zoo.simulation.events import Agent, AgentEnd, AgentGroup, AgentStep, Round
from defiance_zoo.simulation.inheritance import not_for_forks
from defiance_zoo.simulation.launcher import Launcher
from defiance_zoo.simulation.mailbox import Mailboxes
from defiance_zoo.simulation.parameters import (
    Declaration,
    Parameter,
    ParameterType,
    describe,
    plain_arguments,
)
from defiance_zoo.simulation.plain_rounds import PlainRounds
from defiance_zoo.simulation.scenario import Scenario
from defiance_zoo.simulation.seeding import RngState
from defiance_zoo.simulation.settings import (
    CheckBounds,
    Launch,
    LaunchSettings,
    LinkKind,
    Output,
    Rounds,
)
from defiance_zoo.simulation.simulation import PROTOCOL, Simulation
from defiance_zoo.simulation.snapshot import FrozenSimulation, FrozenSimulations
from defiance_zoo.simulation.starting import open_link
from defiance_zoo.simulation.transfers import Transfer, TransferReport

__all__ = [
    "PROTOCOL",
    "Affinity",
    "Agent",
    "AgentEnd",
    "AgentGroup",
    "AgentStep",
    "Announce",
    "AnyLink",
    "CheckBounds",
    "CommunicationFlow",
    "CommunicationLink",
    "CommunicationPath",
    "CommunicationReport",
    "Conversation",
    "CurveKeys",
    "Declaration",
    "Endpoint",
    "FrozenSimulation",
    "FrozenSimulations",
    "Launch",
    "LaunchSettings",
    "Launcher",
    "LinkKind",
    "Mailboxes",
    "Output",
    "Parameter",
    "ParameterType",
    "PlainRounds",
    "RngState",
    "Round",
    "Rounds",
    "Scenario",
    "Simulation",
    "StartCommand",
    "Transfer",
    "TransferReport",
    "describe",
    "not_for_forks",
    "open_link",
    "plain_arguments",
]
