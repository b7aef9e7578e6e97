# SPDX-License-Identifier: GPL-2.0-only
"""The common part of environments whose agents send in slots on radio channels."""

SIGNAL_LEVEL = 0.1
"""Minimum observed energy of a signal: 6 dB above the noise."""
