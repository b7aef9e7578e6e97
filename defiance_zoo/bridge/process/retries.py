# SPDX-License-Identifier: GPL-2.0-only
"""Number of attempts at work that the loss of a process interrupts."""

ATTEMPTS = 3
"""Attempts in total before a failure is raised: to start a simulation, to play an episode, to do a
job (such as a cell of a study).
"""
