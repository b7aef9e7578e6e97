# SPDX-License-Identifier: GPL-2.0-only
"""Leaderboards: results of policies in the standard deployments of an environment."""
