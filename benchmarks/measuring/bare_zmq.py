# SPDX-License-Identifier: GPL-2.0-only
"""A lower bound for links over pyzmq: a loop that answers without parsing."""

from __future__ import annotations

import numpy as np
import zmq

from benchmarks.measuring.turns import Attached, Episode
from defiance_zoo.bridge.messages.info_templates import NUMBER_BYTES
from defiance_zoo.bridge.transport.zmq_link import ZmqLink

_SETTLED = 3
"""Number of steps after which all requests have the same form."""


class BareZmq(Attached):
    """A `Run` that consists of pyzmq's `send()` and `recv()`, without an environment."""

    def __init__(self, episode: Episode) -> None:
        """Begin the episode."""
        super().__init__(episode)
        for _ in range(_SETTLED):
            super()._step()
        simulation = self._env._episodes.launcher.simulation
        assert simulation is not None
        assert simulation.template is not None
        assert isinstance(simulation._link, ZmqLink)
        self._socket, self._token = simulation._link._socket, simulation.token
        self._template, self._sequence = simulation.template, simulation.turn.sequence
        self._socket.rcvtimeo = int(simulation._timeout_s * 1000)
        self._action = memoryview(np.array([next(self._actions)], np.int64))

    def _step(self) -> None:
        number = self._sequence.to_bytes(NUMBER_BYTES, "little")
        self._socket.send(self._token, zmq.SNDMORE)
        self._socket.send(self._template.answer(number, [self._action]))
        self._socket.recv()
        self._socket.recv()
        self._sequence += 1
