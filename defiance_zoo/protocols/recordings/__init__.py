# SPDX-License-Identifier: GPL-2.0-only
"""Recorded tests of protocols: effects of actions, and violations."""
