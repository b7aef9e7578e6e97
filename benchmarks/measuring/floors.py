# SPDX-License-Identifier: GPL-2.0-only
"""Lower bounds of the costs: bare round trips, bare processes.

Each round trip is between this Python process and a C++ program without other work.
"""

from __future__ import annotations

import os
import subprocess
import tempfile

import numpy as np
import zmq

from benchmarks.measuring.programs import ECHO
from benchmarks.measuring.situations import Situation
from benchmarks.measuring.timing import Times, time_each
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.environments import EnvironmentSpec

_QUESTION = bytes(100)
_TIMEOUT_MS = 10_000
_FRAMING = 100
"""Approximate overhead of the protocol for an observation, in bytes."""


def round_trip_us(situation: Situation, observation_bytes: int, exchanges: int) -> float | None:
    """Return the median of bare round trips over the transport of the situation's link.

    The result is None for links that spin, because there is no useful bound for them.
    """
    transport = {"zmq": _zmq_times, "local": _pipe_times}.get(situation.link)
    if transport is None:
        return None
    with situation.placed():
        times = transport(observation_bytes + _FRAMING, exchanges, situation)
    return float(np.median(times) * 1e6)


def _zmq_times(answer: int, exchanges: int, situation: Situation) -> Times:
    """Time round trips over ZeroMQ, `ipc://`."""
    context = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    with tempfile.TemporaryDirectory() as directory:
        address = f"ipc://{directory}/floor"
        socket.bind(address)
        socket.rcvtimeo = _TIMEOUT_MS
        with subprocess.Popen([ECHO, "zmq", address, str(answer)]) as peer:
            try:
                name, _ = socket.recv_multipart()
                situation.settle(peer.pid)

                def exchange() -> None:
                    socket.send_multipart([name, _QUESTION])
                    socket.recv_multipart()

                return time_each(exchange, exchanges, warm_up=exchanges // 10)
            finally:
                peer.kill()
                context.destroy(linger=0)


def _pipe_times(answer: int, exchanges: int, situation: Situation) -> Times:
    """Time round trips through two pipes."""
    command = [str(ECHO), "pipe", str(answer)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as peer:
        situation.settle(peer.pid)
        assert peer.stdin is not None
        assert peer.stdout is not None
        writer, reader = peer.stdin.fileno(), peer.stdout.fileno()

        def exchange() -> None:
            os.write(writer, _QUESTION)
            missing = answer
            while missing:
                count = len(os.read(reader, missing))
                if count == 0:
                    raise EOFError(f"{ECHO} has ended")
                missing -= count

        return time_each(exchange, exchanges, warm_up=exchanges // 10)


def fork_ms(spec: EnvironmentSpec, forks: int) -> float:
    """Return the median time to fork and end a program that has built its scenario."""
    program = spec.scenario.locate()
    arguments = describe(program).to_arguments({**spec.scenario.defaults, "forks": forks})
    done = subprocess.run([program, *arguments], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1e6


def exec_ms(runs: int) -> float:
    """Return the median time to start and await a program that ends at once."""
    return _run_ms(runs, ECHO, "exit")


def load_ms(spec: EnvironmentSpec, runs: int) -> float:
    """Return the median time to start a scenario's program and read its description."""
    return _run_ms(runs, spec.scenario.locate(), "--describe")


def _run_ms(runs: int, *command: object) -> float:
    def run() -> None:
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)

    return float(np.median(time_each(run, runs, warm_up=1)) * 1e3)
