# SPDX-License-Identifier: GPL-2.0-only
"""Copies of running simulations: processes that wait to be turned into simulations."""

from __future__ import annotations

import copy
import functools
import socket
from collections.abc import Mapping, Sequence

from defiance_zoo.bridge.process.fork_socket import ANSWER_TIMEOUT_S, ForkSocket
from defiance_zoo.bridge.process.programs import Program, Reaper, describe_exit, has_ended
from defiance_zoo.bridge.simulation.seeding import Seeding
from defiance_zoo.bridge.simulation.simulation import ConversationState, Simulation
from defiance_zoo.bridge.system.directories import PrivateDirectory
from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.resources import failure, no_directory, require_descriptors
from defiance_zoo.errors import (
    InvalidSnapshot,
    ResourcesExhausted,
    SnapshotLost,
    SnapshotRefused,
    TooManySnapshots,
)

_DESCRIPTORS = 4
"""Descriptors of a directory's lock, a socket, its connection, and the waiting process."""


class FrozenSimulation:
    """A copy of a simulation, which shares its memory until either of them changes it."""

    @classmethod
    def of(cls, simulation: Simulation, seeding: Seeding, timeout_s: float) -> FrozenSimulation:
        """Copy a simulation that waits for a reply, and the source of the seeds of later episodes.

        Answers of the copy may take `timeout_s` seconds.
        """
        reaper = simulation.reaper
        if reaper is None:
            raise SnapshotRefused("a simulation that was started by hand cannot be copied")
        try:
            require_descriptors(_DESCRIPTORS)
            with _Listener() as door:
                simulation.snapshot(door.address)
                conversation = door.accept()
        except ResourcesExhausted as error:
            raise SnapshotRefused(str(error)) from error
        return cls(conversation, reaper, simulation.state, copy.copy(seeding), timeout_s)

    def __init__(
        self,
        conversation: ForkSocket,
        reaper: Reaper,
        state: ConversationState,
        seeding: Seeding,
        timeout_s: float,
    ) -> None:
        self._timeout_s = min(timeout_s, ANSWER_TIMEOUT_S)
        self._conversation, self._reaper = conversation, reaper
        self.state, self.seeding = state, seeding
        self.released = False
        not_for_forks(self)

    def disown(self) -> None:
        self.released = True
        self._conversation.close()
        if (program := vars(self).get("_program")) is not None:
            close_quietly((program.exit_fd,))

    @functools.cached_property
    def _program(self) -> Program:
        """The process; waits until it is ready."""
        try:
            ready = self._conversation.await_ready(self._timeout_s)
        except OSError as error:
            raise SnapshotLost(f"the process of this snapshot: {error}") from None
        return Program(*ready, self._reaper)

    def require_usable(self) -> None:
        """Refuse a copy that cannot be restored."""
        if self.released:
            raise InvalidSnapshot("this snapshot was released")
        if has_ended(self._program.exit_fd):
            raise self._lost(describe_exit(self._program.wait()))

    def fork(
        self, environment: Mapping[str, str], inherited: Sequence[int], *, silent: bool
    ) -> Program:
        """Turn a fork of the copy into a running simulation.

        `environment`: variables of its connection. `inherited`: descriptors, as for
        `SpawnedProgram`. `silent`: whether output to its open files is discarded.
        """
        self.require_usable()
        try:
            forked = self._conversation.fork(
                (), environment, inherited, silent=silent, timeout_s=self._timeout_s
            )
        except OSError as error:
            raise self._lost(f"does not answer: {error}") from None
        return Program(*forked, self._reaper)

    def _lost(self, fate: str) -> SnapshotLost:
        return SnapshotLost(
            f"the process {self._program.pid} that held this snapshot {fate}: restore another one, "
            "or call reset()"
        )

    def release(self) -> None:
        """End the process; may be called again, and at garbage collection."""
        if self.released:
            return
        self.released = True
        try:
            self._program.dispose()
        except SnapshotLost:
            pass  # its process id is unknown; it has ended, or ends with its socket
        finally:
            self._conversation.close()


class FrozenSimulations:
    """The copies that one environment may restore."""

    def __init__(self, limit: int, timeout_s: float) -> None:
        self._limit, self._timeout_s = limit, timeout_s
        self._members: set[FrozenSimulation] = set()

    def add(self, simulation: Simulation, seeding: Seeding) -> FrozenSimulation:
        """Copy a simulation that waits for a reply; see `FrozenSimulation.of`."""
        if len(self._members) >= self._limit:
            raise TooManySnapshots(
                f"this environment has {len(self._members)} snapshots: release() some of them, or "
                "make it with a larger max_snapshots"
            )
        frozen = FrozenSimulation.of(simulation, seeding, self._timeout_s)
        self._members.add(frozen)
        return frozen

    def require_usable(self, frozen: FrozenSimulation) -> None:
        """Refuse a copy that cannot be restored."""
        frozen.require_usable()
        if frozen not in self._members:
            raise InvalidSnapshot("this snapshot belongs to another environment or process")

    def release(self, frozen: FrozenSimulation) -> None:
        """End a copy; may be called again, and at garbage collection."""
        self._members.discard(frozen)
        frozen.release()

    def release_all(self) -> None:
        """End all copies."""
        for frozen in tuple(self._members):
            self.release(frozen)


class _Listener:
    """A socket to which one copy connects, in a private directory."""

    def __init__(self) -> None:
        self._directory = PrivateDirectory()
        self.address = str(self._directory.path / "snapshot")
        try:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            self._directory.close()
            raise failure(error, "there is no socket for a copy") from None
        try:
            self._socket.bind(self.address)
            self._socket.listen(1)
        except OSError as error:
            self.__exit__()
            raise no_directory(error) from None

    def __enter__(self) -> _Listener:
        return self

    def accept(self) -> ForkSocket:
        """Return the connection of the copy, which has connected by now."""
        self._socket.setblocking(False)
        try:
            connected = self._socket.accept()[0]
        except BlockingIOError:
            raise SnapshotRefused("the simulation reported a copy, but no copy connected") from None
        except OSError as error:
            raise failure(error, "the copy's connection cannot be accepted") from None
        return ForkSocket(connected)

    def __exit__(self, *_: object) -> None:
        """Close the socket; a copy without an accepted connection ends."""
        self._socket.close()
        self._directory.close()
