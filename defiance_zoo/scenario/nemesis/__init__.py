# SPDX-License-Identifier: GPL-2.0-only
"""Clusters of real servers: an agent injects faults, and the answers to clients are checked."""

from defiance_zoo.scenario.nemesis.agent import nemesis

__all__ = ["nemesis"]
