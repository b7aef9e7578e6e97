# SPDX-License-Identifier: GPL-2.0-only
"""Checks that users run on environments of their own."""

from defiance_zoo.testing.determinism import check_deterministic
from defiance_zoo.testing.transcript import Transcript, play

__all__ = ["Transcript", "check_deterministic", "play"]
