# SPDX-License-Identifier: GPL-2.0-only
"""Errors of this package, one class per remedy."""

from __future__ import annotations


class DefianceZooError(Exception):
    """Base of every error that this package raises on purpose."""


class UnknownEnvironment(DefianceZooError, KeyError):
    """No environment of this name is registered; the message lists those that are."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ScenarioNotFound(DefianceZooError, FileNotFoundError):
    """The scenario's program is missing or cannot be run: build or install it."""


class ParameterError(DefianceZooError, ValueError):
    """A parameter is unknown, of the wrong type or out of range; nothing was started for it."""


class UnknownParameter(ParameterError, TypeError):
    """No parameter has this name; as Python says it of a keyword argument that is not expected."""


class ReservedName(ParameterError):
    """A scenario gives a parameter, an agent or an info a name that environments use: rename it."""


class InvalidAction(DefianceZooError, ValueError):
    """An action is not in its agent's action space; nothing was sent, another one may be tried."""


class IllegalAction(InvalidAction):
    """The agent's `action_mask` forbids an action; nothing was sent, another one may be tried."""


class InvalidMask(DefianceZooError, ValueError):
    """An agent's `action_mask` does not fit its action space: mend the scenario.

    The episode has ended. The simulation was not lost: `restart_on_failure` does not replace it.
    """


class InvalidTransfer(DefianceZooError, ValueError):
    """A transfer cannot be as it was ordered; nothing was sent, another one may be tried."""


class NotCounted(DefianceZooError):
    """Nobody counts what is sent: make the environment with `communication_report=True`."""


class NotSingleAgent(DefianceZooError):
    """A single-agent interface was asked of a scenario with another number of agents."""


class NotHomogeneous(DefianceZooError):
    """The agents have spaces that cannot be batched; use the AEC or the parallel environment."""


class ResetNeeded(DefianceZooError):
    """The episode is over, was never begun or broke off: call `reset()` first."""


class InheritedEpisode(ResetNeeded):
    """The process that this one was forked from plays the episode: `reset()` begins an own one."""


class ConcurrentUse(DefianceZooError, RuntimeError):
    """Another thread uses the environment: make one for each thread, or let threads take turns."""


class ClosedEnvironment(DefianceZooError):
    """The environment was closed: make a new one."""


class SimulationError(DefianceZooError):
    """The simulation did not do its part; the next `reset()` starts a new one.

    Attributes:
        last_words: The end of what the simulation wrote to its standard output and error.
    """

    def __init__(self, message: str, *, last_words: str = "") -> None:
        reported = last_words.strip().removeprefix("defiance: ")
        repeats = reported != last_words.strip() and reported in message
        said = f"; its last words:\n{last_words}" if last_words and not repeats else ""
        super().__init__(message + said)
        self.last_words = last_words

    def add_episode(self, seed: str) -> None:
        """Say in the message which episode it was, so that it can be played again.

        Args:
            seed: The seed of the episode, in words.
        """
        self.args = (f"{str(self).rstrip()}\nThis happened in the episode with {seed}.",)


class SimulationCrashed(SimulationError):
    """The simulation ended, or its connection broke, while its next message was awaited."""


class SimulationTimeout(SimulationError):
    """The simulation lives, but its next message did not come in time."""


class ResourcesExhausted(SimulationError):
    """This process has not what one more simulation or snapshot needs; nothing was started."""


class TooFewDescriptors(ResourcesExhausted):
    """No file descriptors are left: close environments, or raise the limit (`ulimit -n`)."""


class TooFewProcesses(ResourcesExhausted):
    """No further process or thread is allowed: end some, or raise the limit (`ulimit -u`)."""


class TooLittleMemory(ResourcesExhausted):
    """No memory is left for a process or thread: end some, or raise the limit (`ulimit -v`)."""


class NoTemporaryDirectory(ResourcesExhausted):
    """There is no room for a socket: make some in the folder of `TMPDIR`, or name another one."""


class ProtocolError(SimulationError):
    """Simulation and environment do not understand each other."""


class VersionMismatch(ProtocolError):
    """The two sides speak different versions of the protocol: rebuild the scenario."""


class MalformedMessage(ProtocolError):
    """A message is not one of the contract, or may not come now."""


class InvalidObservation(ProtocolError):
    """An observation is not in its agent's observation space: mend the scenario, or its space.

    `check_bounds="never"` lets observations pass that are out of bounds.
    """


class InvalidReward(ProtocolError):
    """A reward is not a finite number: mend the code that computes it."""


class InvalidPolicy(ProtocolError):
    """The policy of a fragment cannot decide in the simulation; the message says what is wrong."""


class SimulationRefused(ProtocolError):
    """The simulation rejected a message; the text is its own."""


class ScenarioError(SimulationError):
    """The scenario's own code has failed: mend it where the message or its traceback says."""


class HostsUnavailable(SimulationError):
    """The simulation may not have hosts with real programs: the message says what is missing."""


class RealTimeLost(SimulationError):
    """A simulation in real time is too late: decide faster, send fewer packets, or allow more."""


class NotInFile(DefianceZooError, RuntimeError):
    """A scenario in Python would be run where there is no file of it: write it to one."""


class NotInScenario(DefianceZooError, OSError, RuntimeError):
    """A scenario in Python starts a thread, process or simulation: do it where it is played.

    The process of the simulation raises this error; the environment raises `ScenarioError`, with
    the line.
    """


class LabellingFailed(DefianceZooError):
    """A teacher could not label an episode: mend what the message says, and resume the run."""


class SnapshotError(DefianceZooError):
    """A snapshot cannot be taken, or not be restored."""


class SnapshotRefused(SnapshotError):
    """The simulation cannot be copied, and continues; the message says why."""


class TooManySnapshots(SnapshotError):
    """The environment has `max_snapshots` snapshots: release some."""


class InvalidSnapshot(SnapshotError):
    """A snapshot was released, or is another environment's: give one of this environment."""


class SnapshotLost(SnapshotError):
    """The process that held a snapshot has ended: restore another one, or call `reset()`."""


class ReplayDiverged(DefianceZooError):
    """A simulation did not repeat itself: use the program and machine that saved the state.

    `check_deterministic()` of `defiance_zoo.environments.testing` tells if the scenario repeats
    itself at all.
    """


class InvalidRecording(DefianceZooError, ValueError):
    """A file is no recording that can be played again, and why; nothing was started."""


class RecordingNotWritten(DefianceZooError, OSError):
    """An episode cannot be recorded further: make room where it is written, and it continues.

    The part that was written before can be read.
    """


class OtherVersion(InvalidRecording):
    """An episode was recorded with another version: play it with that one, or record it anew."""


class NotSolved(DefianceZooError):
    """A meta-solver found no mixtures of a game: choose another one, as the message says."""


class DependencyMissing(DefianceZooError, ImportError):
    """An optional library is not installed; the message says how to get it."""


class ClusterLost(DefianceZooError):
    """No node of a Ray cluster can work: start a node, and repeat the command to continue."""


class UnknownOrigin(DefianceZooError):
    """Files that can run code when they are loaded were not written here, or were changed since.

    Nothing of them was loaded. If you trust their author, pass `trust=True` or `--trust`.
    """


class BrokenPlugin(DefianceZooError):
    """The extension of an installed distribution is unusable: mend or uninstall it."""


class NobodyDecided(UserWarning):
    """Episodes ended without any decision: what they returned says nothing about a policy."""


class UnevenDecisions(DefianceZooError, AssertionError):
    """PettingZoo's `max_cycles_test` fails, as agents do not all decide in each cycle.

    Nothing is wrong with the environment: leave this test out, as the page in the message says.
    """


class DeadWiringWarning(UserWarning):
    """An agent of a scenario cannot act, or cannot earn: connect it, as the message says."""


class SeedIgnoredWarning(UserWarning):
    """The simulation runs with another seed than `reset(seed=...)` asked for."""


class LateRewardWarning(UserWarning):
    """An agent got rewards after its end, which do not count: send rewards before the agent ends.

    Where the simulated network delays rewards, let the agent end a little later.
    """
