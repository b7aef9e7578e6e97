# SPDX-License-Identifier: GPL-2.0-only
"""A program in another language that runs the replicas of an episode."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from typing import Any, BinaryIO

from defiance_zoo.bridge.system.single_process import start_companion
from defiance_zoo.errors import DependencyMissing
from defiance_zoo.scenario.replicas.killing import Killed, takes_effect
from defiance_zoo.scenario.replicas.stage import misuse


class Companion:
    """A program that answers requests over a pipe: one line of JSON each.

    It starts with the first request of an episode, and the kernel ends it with the simulation. A
    copy of the simulation starts a new program, and repeats all requests of the episode: equal
    requests must have equal answers.
    """

    def __init__(self, *command: str) -> None:
        """Find the program without starting it.

        Args:
            *command: The program and its arguments; a name without a slash is looked for in `PATH`.

        Raises:
            DependencyMissing: There is no such program.
        """
        found = shutil.which(command[0]) if command else None
        if found is None:
            raise DependencyMissing(f"there is no program {' '.join(command)!r}")
        self._command = [found, *command[1:]]
        self._answered: list[tuple[bytes, int]] = []  # requests, and digests of their answers
        self._process, self._simulation = 0, 0
        self._input = self._output = -1
        self._answers: BinaryIO | None = None

    def ask(self, request: Any) -> Any:
        """Return the answer to a request; both are values of JSON.

        The episode ends with `ScenarioError` if the program ends, or its answer is not a line of
        JSON.
        """
        if not takes_effect():
            raise Killed  # there is no answer
        if self._simulation != os.getpid():
            self._start()
        line = json.dumps(request).encode() + b"\n"
        answer = self._exchange(line)
        try:
            read = json.loads(answer)
        except ValueError:
            misuse(f"{self._command[0]} answered {answer[:200]!r}, which is not a line of JSON")
        self._answered.append((line, zlib.crc32(answer)))
        return read

    def _start(self) -> None:
        """Start the program, and repeat the requests from before this process was copied."""
        if self._answers is not None:
            self._answers.close()
            os.close(self._input)
        self._process, self._input, output = start_companion(self._command)
        self._answers = open(output, "rb")  # noqa: SIM115, PTH123 (a descriptor, for the episode)
        self._simulation = os.getpid()
        for line, digest in self._answered:
            answer = self._exchange(line)
            if zlib.crc32(answer) != digest:
                misuse(
                    f"{self._command[0]} answered {answer[:200]!r} to {line[:200]!r} when the copy "
                    "of a simulation repeated its requests, but had answered differently: answers "
                    "must not depend on time, chance or threads"
                )

    def _exchange(self, line: bytes) -> bytes:
        assert self._answers is not None
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(self._input, left) :]
            answer = self._answers.readline()
        except BrokenPipeError:
            answer = b""
        if not answer.endswith(b"\n"):
            _, status = os.waitpid(self._process, 0)
            misuse(
                f"{self._command[0]} ended with status {os.waitstatus_to_exitcode(status)}, and "
                f"has not answered {line[:200]!r}"
            )
        return answer
