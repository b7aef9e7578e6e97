# SPDX-License-Identifier: GPL-2.0-only
"""Simulation processes, and the conversation with them."""

from defiance_zoo.bridge.messages.communication_reports import (
    CommunicationFlow,
    CommunicationLink,
    CommunicationPath,
    CommunicationReport,
)
from defiance_zoo.bridge.messages.fragments import Fragment, Trajectory
from defiance_zoo.bridge.messages.rounds import Agent, AgentEnd, AgentGroup, AgentStep, Round
from defiance_zoo.bridge.messages.transfer_reports import Transfer, TransferReport
from defiance_zoo.bridge.process.affinity import Affinity
from defiance_zoo.bridge.simulation.distributions import (
    Choice,
    Distribution,
    LogUniform,
    Traces,
    Uniform,
)
from defiance_zoo.bridge.simulation.frozen_simulation import FrozenSimulation
from defiance_zoo.bridge.simulation.kept_programs import (
    adopt_programs,
    keep_programs,
    kept_programs,
    program_digest,
    require_equal,
)
from defiance_zoo.bridge.simulation.launcher import Launcher
from defiance_zoo.bridge.simulation.parameters import (
    Declaration,
    Parameter,
    ParameterType,
    describe,
    near_parameter,
    plain_arguments,
)
from defiance_zoo.bridge.simulation.scenario import Scenario
from defiance_zoo.bridge.simulation.seeding import RngState
from defiance_zoo.bridge.simulation.settings import (
    Announce,
    CheckBounds,
    Launch,
    LaunchSettings,
    LinkKind,
    Output,
    RecordingFiles,
    Rounds,
    StartCommand,
)
from defiance_zoo.bridge.simulation.simulation import PROTOCOL, Simulation
from defiance_zoo.bridge.system.fork_safety import not_for_forks
from defiance_zoo.bridge.transport.mailbox import BatchedExchange
from defiance_zoo.bridge.transport.step_link import Conversation, StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import CurveKeys, Endpoint

__all__ = [
    "PROTOCOL",
    "Affinity",
    "Agent",
    "AgentEnd",
    "AgentGroup",
    "AgentStep",
    "Announce",
    "StepLink",
    "CheckBounds",
    "Choice",
    "CommunicationFlow",
    "CommunicationLink",
    "CommunicationPath",
    "CommunicationReport",
    "Conversation",
    "CurveKeys",
    "Declaration",
    "Distribution",
    "Endpoint",
    "Fragment",
    "FrozenSimulation",
    "Launch",
    "LaunchSettings",
    "Launcher",
    "LinkKind",
    "LogUniform",
    "Output",
    "Parameter",
    "ParameterType",
    "BatchedExchange",
    "RecordingFiles",
    "RngState",
    "Round",
    "Rounds",
    "Scenario",
    "Simulation",
    "StartCommand",
    "Traces",
    "Trajectory",
    "Transfer",
    "TransferReport",
    "Uniform",
    "adopt_programs",
    "describe",
    "keep_programs",
    "kept_programs",
    "near_parameter",
    "not_for_forks",
    "plain_arguments",
    "program_digest",
    "require_equal",
]
