# SPDX-License-Identifier: GPL-2.0-only
"""The page of a run, served on loopback during the run."""

from defiance_zoo.recording.viewing.watching.watching import watch

__all__ = ["watch"]
