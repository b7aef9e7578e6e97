# SPDX-License-Identifier: GPL-2.0-only
"""Environments whose scenarios are programs; other tests may have added games without one."""

from __future__ import annotations

from defiance_zoo.environments.registry import lookup, registered

PROGRAMMED = [each for each in map(lookup, registered()) if each.scenario.describes_itself]
