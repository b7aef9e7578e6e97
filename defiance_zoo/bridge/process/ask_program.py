# SPDX-License-Identifier: GPL-2.0-only
"""Programs that write a result to their standard output, and end."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Sequence

from defiance_zoo.bridge.process.simulation_process import LAST_WORDS_BYTES
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.bridge.system.signals import SHOW, heeds_signal

_CHUNK_BYTES = 64 * 1024
_ANSWER_BYTES = 64 * 1024 * 1024
_STACK_PATIENCE_S = 0.5


def ask(command: Sequence[str], timeout_s: float) -> tuple[int, bytes, str]:
    """Run a program until it ends, for at most `timeout_s` seconds; it dies with this process.

    The result is the status as in `subprocess.Popen.returncode`, the standard output, and the end
    of the standard error.
    """
    lifeline, ours = os.pipe()
    try:
        popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(lifeline,),
            env={**os.environ, "DEFIANCE_LIFELINE": str(lifeline)},
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(lifeline)
    pidfd = os.pidfd_open(popen.pid)
    try:
        outputs = _Outputs(popen, pidfd)
        if not outputs.read(timeout_s):
            if heeds_signal(popen.pid):
                popen.send_signal(SHOW)
                outputs.read(_STACK_PATIENCE_S)
            raise TimeoutError(outputs.words())
        return popen.wait(), bytes(outputs.answer), outputs.words()
    finally:
        popen.kill()
        popen.__exit__(None, None, None)
        os.close(ours)
        os.close(pidfd)


class _Outputs:
    """The outputs of a process; only the end of its standard error is kept."""

    def __init__(self, popen: subprocess.Popen[bytes], pidfd: int) -> None:
        assert popen.stdout is not None
        assert popen.stderr is not None
        self._pidfd = pidfd
        self.answer, self._tail = bytearray(), bytearray()
        self._open = {popen.stdout.fileno(): self.answer, popen.stderr.fileno(): self._tail}
        for descriptor in self._open:
            os.set_blocking(descriptor, False)

    def read(self, timeout_s: float) -> bool:
        """Read until the process has ended; return whether it ended in time."""
        deadline = running_time() + timeout_s
        while (left := deadline - running_time()) > 0:
            poller = select.poll()
            for descriptor in (self._pidfd, *self._open):
                poller.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _event in poller.poll(slice_ms(left))}
            for descriptor in ready & self._open.keys():
                self._take(descriptor)
            if ready == {self._pidfd}:  # it has ended, and all of its output has been read
                return True
        return False

    def words(self) -> str:
        """Return the end of the process's standard error."""
        return self._tail.decode(errors="replace").strip()

    def _take(self, descriptor: int) -> None:
        chunk = os.read(descriptor, _CHUNK_BYTES)
        self._open[descriptor] += chunk
        del self._tail[:-LAST_WORDS_BYTES]
        del self.answer[_ANSWER_BYTES:]
        if not chunk:
            del self._open[descriptor]
