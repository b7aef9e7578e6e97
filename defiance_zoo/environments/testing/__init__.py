# SPDX-License-Identifier: GPL-2.0-only
"""Checks that users run on their own environments."""

from defiance_zoo.environments.testing.determinism import check_deterministic
from defiance_zoo.environments.testing.transcript import Transcript, play

__all__ = ["Transcript", "check_deterministic", "play"]
