# SPDX-License-Identifier: GPL-2.0-only
"""Shipped topologies and users' graph files, as text for the simulation."""

from __future__ import annotations

from defiance_zoo.envs.packet_routing.topologies.graph_files import is_graph_file, read_graph_file
from defiance_zoo.envs.packet_routing.topologies.shipped import load, names
from defiance_zoo.envs.packet_routing.topologies.topology import Link, Router, Topology

__all__ = ["Link", "Router", "Topology", "is_graph_file", "load", "names", "read_graph_file"]
