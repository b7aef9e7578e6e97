# SPDX-License-Identifier: GPL-2.0-only
"""Checks that users run on their own environments."""

from defiance_zoo.environments.testing.determinism import Transcript, check_deterministic, play

__all__ = ["Transcript", "check_deterministic", "play"]
