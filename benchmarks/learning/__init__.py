# SPDX-License-Identifier: GPL-2.0-only
"""Trainings, evaluations, studies, leaderboards, populations."""
