# SPDX-License-Identifier: GPL-2.0-only
"""The common part of environments whose agents send in slots on radio channels."""
