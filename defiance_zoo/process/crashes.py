# SPDX-License-Identifier: GPL-2.0-only
"""What is raised for a simulation that does not go on, with how it ended and what it printed."""

from __future__ import annotations

from defiance_zoo.errors import MalformedMessage, SimulationCrashed, SimulationTimeout
from defiance_zoo.process.simulation_process import SimulationProcess

DRAIN_AFTER_EXIT_S = 1.0
"""How long what a process has sent may be on its way after its end."""


def crash(
    process: SimulationProcess | None, when: str, *, otherwise: str = "broke its connection"
) -> SimulationCrashed:
    """Return the error for a simulation that is no longer connected.

    Args:
        process: Its process, or None if it is not ours.
        when: At which point of the conversation.
        otherwise: What it did unless its process has ended.
    """
    fate, words = otherwise, ""
    if process is not None:
        if process.wait_for_exit(DRAIN_AFTER_EXIT_S):
            fate = process.exit_description()
        process.read_output()
        words = process.last_words()
    return SimulationCrashed(f"the simulation {fate} {when}", last_words=words)


def silence(process: SimulationProcess | None, what: str) -> SimulationTimeout:
    """Return the error for a simulation that takes too long."""
    return SimulationTimeout(what, last_words=process.last_words() if process else "")


def refusal(process: SimulationProcess | None, error: ValueError) -> MalformedMessage:
    """Return the error for a simulation that sends more than it may."""
    words = ""
    if process is not None:
        process.read_output()
        words = process.last_words()
    return MalformedMessage(f"the simulation sent what it may not: {error}", last_words=words)
