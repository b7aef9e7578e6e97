# SPDX-License-Identifier: GPL-2.0-only
"""Errors of this package, one class per remedy."""

from __future__ import annotations

from typing import ClassVar


class DefianceZooError(Exception):
    """Base of every error that this package raises on purpose."""


class UnknownEnvironment(DefianceZooError, KeyError):
    """No environment of this name is registered; the message lists the registered ones."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ScenarioNotFound(DefianceZooError, FileNotFoundError):
    """The scenario's program is missing or cannot be run: build or install it."""


class ParameterError(DefianceZooError, ValueError):
    """A parameter is unknown, of the wrong type or out of range; no simulation was started."""


class UnknownParameter(ParameterError, TypeError):
    """No parameter has this name; also a `TypeError`, as for an unexpected keyword argument."""


class ReservedName(ParameterError):
    """A scenario's parameter, agent or info has a name that environments use: rename it."""


class InvalidAction(DefianceZooError, ValueError):
    """An action is not in its agent's action space; nothing was sent: try another action."""


class IllegalAction(InvalidAction):
    """The agent's `action_mask` forbids an action; nothing was sent: try another action."""


class InvalidMask(DefianceZooError, ValueError):
    """An agent's `action_mask` does not fit its action space: mend the scenario.

    The episode has ended. The simulation was not lost: `restart_on_failure` does not replace it.
    """


class InvalidTransfer(DefianceZooError, ValueError):
    """A transfer has an invalid size or end; nothing was sent: order another transfer."""


class NotCounted(DefianceZooError):
    """Communication is not counted: make the environment with `communication_report=True`."""


class NotSingleAgent(DefianceZooError):
    """A single-agent interface was requested for a scenario with several agents, or none."""


class NotHomogeneous(DefianceZooError):
    """The agents have spaces that cannot be batched; use the AEC or the parallel environment."""


class ResetNeeded(DefianceZooError):
    """The episode is over, has not begun or broke off: call `reset()` first."""


class InheritedEpisode(ResetNeeded):
    """The parent process plays the episode: `reset()` begins an episode of this fork."""


class ConcurrentUse(DefianceZooError, RuntimeError):
    """Another thread uses the environment: make one for each thread, or let threads take turns."""


class ClosedEnvironment(DefianceZooError):
    """The environment was closed: make a new one."""


class SimulationError(DefianceZooError):
    """The simulation failed; the next `reset()` starts a new one.

    Attributes:
        last_words: The end of what the simulation wrote to its standard output and error.
        lasting: Whether users have to mend something, so that no attempt is repeated: the error
            ends a training, despite `restart_on_failure`.
    """

    lasting: ClassVar[bool] = False

    def __init__(self, message: str, *, last_words: str = "") -> None:
        reported = last_words.strip().removeprefix("defiance: ")
        repeats = reported != last_words.strip() and reported in message
        suffix = f"; its last words:\n{last_words}" if last_words and not repeats else ""
        super().__init__(message + suffix)
        self.last_words = last_words

    def add_episode(self, seed: str) -> None:
        """Add the episode to the message, so that users can play it again.

        Args:
            seed: The seed of the episode, in words.
        """
        self.args = (f"{str(self).rstrip()}\nThis happened in the episode with {seed}.",)


class SimulationCrashed(SimulationError):
    """The simulation ended, or its connection broke, before its next message."""


class SimulationTimeout(SimulationError):
    """The simulation runs, but its next message did not arrive in time."""


class ResourcesExhausted(SimulationError):
    """Resources for another simulation or snapshot are missing; nothing was started."""


class TooFewDescriptors(ResourcesExhausted):
    """No file descriptors are left: close environments, or raise the limit (`ulimit -n`)."""


class TooFewProcesses(ResourcesExhausted):
    """No further process or thread is allowed: end some, or raise the limit (`ulimit -u`)."""


class TooLittleMemory(ResourcesExhausted):
    """No memory is left for a process or thread: end some, or raise the limit (`ulimit -v`)."""


class NoTemporaryDirectory(ResourcesExhausted):
    """No room for a socket is left: free space in `TMPDIR`, or set it to another folder."""


class ProtocolError(SimulationError):
    """A message between simulation and environment violates the protocol."""


class VersionMismatch(ProtocolError):
    """The two sides speak different versions of the protocol: rebuild the scenario."""


class MalformedMessage(ProtocolError):
    """A message is malformed, or is not allowed in the current state."""


class InvalidObservation(ProtocolError):
    """An observation is not in its agent's observation space: mend the scenario or the space.

    With `check_bounds="never"`, observations out of bounds pass.
    """

    lasting = True


class InvalidReward(ProtocolError):
    """A reward is not a finite number: mend the code that computes it."""

    lasting = True


class InvalidPolicy(ProtocolError):
    """The policy of a fragment cannot decide in the simulation; the message says why."""

    lasting = True


class SimulationRefused(ProtocolError):
    """The simulation rejected a message; the text is the simulation's."""


class ScenarioError(SimulationError):
    """The scenario's code failed: mend the line that the message or its traceback names."""

    lasting = True


class HostsUnavailable(SimulationError):
    """The simulation cannot have hosts with real programs: the message says what is missing."""


class RealTimeLost(SimulationError):
    """A simulation lags behind real time: decide faster, send fewer packets, or allow more lag."""


class NotInFile(DefianceZooError, RuntimeError):
    """A scenario in Python has no file that a simulation could run: write it to a file."""


class NotInScenario(DefianceZooError, OSError, RuntimeError):
    """A scenario in Python starts a thread, process or simulation, or ends its process.

    Start it outside the scenario; `sc.stop()` ends an episode.

    The process of the simulation raises this error; the environment raises `ScenarioError`, with
    the line.
    """


class LabellingFailed(DefianceZooError):
    """A teacher could not label an episode: mend the cause in the message, and resume the run."""


class SnapshotError(DefianceZooError):
    """A snapshot cannot be taken or restored."""


class SnapshotRefused(SnapshotError):
    """The simulation cannot be copied; it continues, and the message says why."""


class TooManySnapshots(SnapshotError):
    """The environment has `max_snapshots` snapshots: release some."""


class InvalidSnapshot(SnapshotError):
    """A snapshot was released, or belongs to another environment: pass one of this environment."""


class SnapshotLost(SnapshotError):
    """The process that held a snapshot has ended: restore another one, or call `reset()`."""


class ReplayDiverged(DefianceZooError):
    """A simulation did not repeat itself: use the program and machine that saved the state.

    `check_deterministic()` of `defiance_zoo.environments.testing` checks whether the scenario
    repeats itself at all.
    """


class ProgramChanged(DefianceZooError):
    """A scenario's program is not the one with which a training or another work began.

    Restore the program. `resume` can continue with a changed one: `new_program=True` or
    `--new-program`.
    """


class InvalidRecording(DefianceZooError, ValueError):
    """A file is not a recording that can be played again; nothing was started."""


class NotWritten(DefianceZooError, OSError):
    """A file of results cannot be written: free space, then continue with the same command."""


class RecordingNotWritten(DefianceZooError, OSError):
    """An episode cannot be recorded further: free space in its folder, and recording continues.

    The written part can be read.
    """


class OtherVersion(InvalidRecording):
    """An episode is of another version: play it with that version, or record it again."""


class NotSolved(DefianceZooError):
    """A meta-solver found no mixtures of a game: choose another solver, as the message says."""


class DependencyMissing(DefianceZooError, ImportError):
    """An optional library is not installed; the message says how to get it."""


class ClusterLost(DefianceZooError):
    """No node of a Ray cluster works: start a node, and repeat the command to continue."""


class UnknownOrigin(DefianceZooError):
    """Files that can run code when loaded were not written on this machine, or have changed.

    No file was loaded. If you trust the files' author, pass `trust=True` or `--trust`.
    """


class BrokenPlugin(DefianceZooError):
    """The extension of an installed distribution is unusable: mend or uninstall it."""


class NobodyDecided(UserWarning):
    """Episodes ended without any decision: their returns say nothing about a policy."""


class NobodyAnswered(UserWarning):
    """Replicas answered no write of a client, so that checks of answers say nothing.

    Look at the output of the replicas (`defiance-zoo replay`), and at an episode without faults.
    """


class UnseenException(UserWarning):
    """A task of a replica failed, and no code awaited it: await the task, or handle the error."""


class DeadWiringWarning(UserWarning):
    """A scenario lacks a connection or a route: add it, as the message says."""


class MissingUnitWarning(UserWarning):
    """A time or data rate has no unit: the message says which unit was assumed; write the unit."""


class NoActionNoiseWarning(UserWarning):
    """An algorithm that explores by action noise has none: set it, as the message says."""


class SeedIgnoredWarning(UserWarning):
    """The simulation's seed differs from the one given to `reset(seed=...)`."""


class LateRewardWarning(UserWarning):
    """An agent got rewards after its end, which do not count: send rewards before its end.

    If the simulated network delays rewards, end the agent later.
    """
