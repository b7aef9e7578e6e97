# SPDX-License-Identifier: GPL-2.0-only
"""Whole scenarios in Python: a simulation of ns-3, and the agents in it."""

from defiance_zoo.scenario.applications import Action, Agent, Observation, Reward, connect
from defiance_zoo.scenario.deployment import Deployment
from defiance_zoo.scenario.events import (
    DataRate,
    Time,
    after,
    at,
    every,
    note_event,
    now,
    random_variable,
    stop,
)
from defiance_zoo.scenario.hosts.host import Host, HostProgram, host
from defiance_zoo.scenario.lte import EARTH, LteCell, LteNetwork, LteUser, PowerModel, lte
from defiance_zoo.scenario.modules import Object, create, load_library, load_module, set_default
from defiance_zoo.scenario.network import (
    Link,
    Node,
    csma,
    install_internet,
    move,
    nodes,
    on_start,
    place,
    point_to_point,
    queue_disc,
    route,
    route_globally,
    use_routing,
)
from defiance_zoo.scenario.simulation import Parameters, Refusal, Simulation, refuse
from defiance_zoo.scenario.spaces import (
    Box,
    Dict,
    Discrete,
    MultiBinary,
    MultiDiscrete,
    Text,
    Tuple,
)
from defiance_zoo.scenario.topologies import Topology, linear, single, tree
from defiance_zoo.scenario.tracing import flows, pcap, watch_flows
from defiance_zoo.scenario.traffic import download
from defiance_zoo.scenario.wifi import wifi

__all__ = [
    "Simulation",
    "Parameters",
    "Refusal",
    "Deployment",
    "refuse",
    "Node",
    "Link",
    "nodes",
    "install_internet",
    "point_to_point",
    "csma",
    "wifi",
    "lte",
    "LteNetwork",
    "LteCell",
    "LteUser",
    "PowerModel",
    "EARTH",
    "Topology",
    "single",
    "linear",
    "tree",
    "route",
    "route_globally",
    "use_routing",
    "queue_disc",
    "on_start",
    "place",
    "move",
    "download",
    "host",
    "Host",
    "HostProgram",
    "pcap",
    "watch_flows",
    "flows",
    "Object",
    "create",
    "set_default",
    "load_module",
    "load_library",
    "Time",
    "DataRate",
    "now",
    "note_event",
    "at",
    "after",
    "every",
    "stop",
    "random_variable",
    "Observation",
    "Reward",
    "Action",
    "Agent",
    "connect",
    "Box",
    "Discrete",
    "MultiDiscrete",
    "MultiBinary",
    "Text",
    "Tuple",
    "Dict",
]
