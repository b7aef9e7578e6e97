# SPDX-License-Identifier: GPL-2.0-only
"""Number of attempts at work that the loss of a process has interrupted."""

ATTEMPTS = 3
"""In all, before a failure is raised: to start a simulation, to play an episode, to do a job
(such as a cell of a study).
"""
