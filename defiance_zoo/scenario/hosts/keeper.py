# SPDX-License-Identifier: GPL-2.0-only
"""Keep the namespaces and the programs of an episode: `python keeper.py DESCRIPTOR`.

The keeper is the first process of a PID namespace, so the kernel kills all programs when it ends.
It ends with the simulation, when its socket closes and its parent dies. The namespaces have no
names and are held by descriptors of this process, so nothing outlives it.

The simulation starts this file by its path: it imports nothing but Python's standard library.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

MESSAGE_BYTES = 1 << 17
OUTPUT_BYTES = 1 << 20
"""Length of the end of a program's output that is kept."""

_CLONE_NEWNET, _CLONE_NEWNS = 0x40000000, 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
_DISKS = "/dev/shm"
"""Folder of the disks: programs of the keeper see a new file system there."""
_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NO_PI = 0x0002, 0x1000
_DEVICE = "eth0"
_PUNCH_HOLE = 0x03  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
_CHUNK_BYTES = 1 << 16
_LIMITS = {
    "memory": resource.RLIMIT_AS,
    "processes": resource.RLIMIT_NPROC,
    "cpu_time": resource.RLIMIT_CPU,
}
"""The kernel's limits by the names of `Host.run()`."""

_library = ctypes.CDLL(None, use_errno=True)


class _Output:
    """Copies the output of a program from a pipe to a file, of which only the end takes memory."""

    def __init__(self, file: int) -> None:
        self._file = os.dup(file)
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self._size = self._dropped = 0

    def copy(self) -> bool:
        """Copy a part of the output; return whether there was one, or the end has come."""
        try:
            chunk = os.read(self.reader, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            self.close()
            return True
        os.write(self._file, chunk)
        self._size += len(chunk)
        # Twice the length: the simulation may be reading the end of a moment ago.
        due = (self._size - 2 * OUTPUT_BYTES) // OUTPUT_BYTES * OUTPUT_BYTES
        if due > self._dropped:
            offset, length = ctypes.c_int64(0), ctypes.c_int64(due)
            _library.fallocate(self._file, _PUNCH_HOLE, offset, length)
            self._dropped = due
        return True

    def close(self) -> None:
        """Close the pipe and the file."""
        for each in (self._file, self.reader):
            os.close(each)
        self.reader = -1


class Keeper:
    """Carries out the orders of a simulation, one after the other."""

    def __init__(self, simulation: socket.socket) -> None:
        self._simulation = simulation
        self._namespaces: list[int] = []
        self._disks = 0
        self._programs: dict[int, tuple[int, subprocess.Popen[bytes], _Output]] = {}
        self._outputs: dict[int, _Output] = {}
        self._poller = select.poll()

    def serve(self) -> None:
        """Carry out orders until the simulation closes the socket."""
        wakeup, write_end = os.pipe()
        for end in (wakeup, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._poller.register(self._simulation, select.POLLIN)
        self._poller.register(wakeup, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in self._poller.poll()]
            for descriptor in self._outputs.keys() & set(ready):
                self._copy(self._outputs[descriptor])
            if wakeup in ready:
                os.read(wakeup, 4096)
                self._reap()
            if self._simulation.fileno() in ready and not self._take_order():
                return

    def _take_order(self) -> bool:
        """Carry out the next order; return whether there was one."""
        packet, descriptors, _, _ = socket.recv_fds(self._simulation, MESSAGE_BYTES, 1)
        if not packet:
            return False
        order = json.loads(packet)
        getattr(self, f"_do_{order.pop('do')}")(*descriptors, **order)
        for each in descriptors:
            os.close(each)
        return True

    def _send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        try:
            socket.send_fds(self._simulation, [json.dumps(message).encode()], descriptors)
        except BrokenPipeError:
            sys.exit(0)  # the simulation has ended

    def _do_host(self, address: str, gateway: str) -> None:
        """Make a network namespace with a tap device, and answer with the tap's descriptor."""
        try:
            tap = self._make_host(address, gateway)
        except OSError as error:
            self._send({"fault": str(error)})
            return
        self._send({"host": len(self._namespaces) - 1}, [tap])
        os.close(tap)

    def _make_host(self, address: str, gateway: str) -> int:
        _require(_library.unshare(_CLONE_NEWNET), "no network namespace could be made")
        self._namespaces.append(os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC))
        tap = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        request = struct.pack("16sH22x", _DEVICE.encode(), _IFF_TAP | _IFF_NO_PI)
        fcntl.ioctl(tap, _TUNSETIFF, request)
        lines = (
            "link set dev lo up",
            f"link set dev {_DEVICE} addrgenmode none",  # IPv6 would send packets on its own
            f"link set dev {_DEVICE} up",
            f"address add {address} dev {_DEVICE}",
            f"route add default via {gateway}",
        )
        done = subprocess.run(
            ["ip", "-batch", "-"], input="\n".join(lines).encode(), capture_output=True, check=False
        )
        if done.returncode != 0:
            raise OSError(f"ip of iproute2 failed: {done.stderr.decode(errors='replace')}")
        return tap

    def _do_disk(self, size: int) -> None:
        """Mount a file system in memory for programs that start later; answer with its folder."""
        path = f"{_DISKS}/{self._disks}"
        try:
            if self._disks == 0:
                _require(_library.unshare(_CLONE_NEWNS), "no mount namespace could be made")
                _mount(None, "/", _MS_REC | _MS_PRIVATE)
                _mount("tmpfs", _DISKS, _MS_NOSUID | _MS_NODEV, "mode=1777")
            os.mkdir(path)  # noqa: PTH102
            _mount("tmpfs", path, _MS_NOSUID | _MS_NODEV, f"mode=755,size={size}")
            os.mkdir(f"{path}/data")  # noqa: PTH102
        except OSError as error:
            self._send({"fault": str(error)})
            return
        self._disks += 1
        self._send({"disk": f"{path}/data"})

    def _copy(self, output: _Output) -> bool:
        """Copy a part of an output; return whether there was one."""
        descriptor = output.reader
        copied = descriptor != -1 and output.copy()
        if copied and output.reader == -1:
            self._poller.unregister(descriptor)
            del self._outputs[descriptor]
        return copied

    def _do_run(
        self,
        output: int,
        number: int,
        host: int,
        command: list[str],
        environment: dict[str, str],
        limits: Mapping[str, int],
    ) -> None:
        """Start a program in a namespace; only a failure is reported."""

        def enter() -> None:
            for name, most in limits.items():
                resource.setrlimit(_LIMITS[name], (most, most))
            entered = _library.setns(self._namespaces[host], _CLONE_NEWNET)
            _require(entered, "the namespace cannot be entered")

        copied = _Output(output)
        try:
            program = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=copied.writer,
                stderr=copied.writer,
                env=environment,
                start_new_session=True,
                preexec_fn=enter,
            )
        except (OSError, subprocess.SubprocessError) as error:
            copied.close()
            self._send({"program": number, "fault": str(error)})
        else:
            self._programs[program.pid] = number, program, copied
            self._outputs[copied.reader] = copied
            self._poller.register(copied.reader, select.POLLIN)
        finally:
            os.close(copied.writer)

    def _do_signal(self, number: int, kind: int) -> None:
        """Send a signal to a program and the processes of its group, unless it has ended."""
        for pid, (each, *_) in self._programs.items():
            if each == number:
                os.killpg(pid, kind)

    def _reap(self) -> None:
        """Report the programs that have ended; orphans of programs are reaped as well."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._programs:
                number, program, output = self._programs.pop(pid)
                program.returncode = os.waitstatus_to_exitcode(status)
                # All that it has written; its children may write for ever.
                for _ in range(OUTPUT_BYTES // _CHUNK_BYTES):
                    if not self._copy(output):
                        break
                self._send({"program": number, "status": program.returncode})


def _require(result: int, fault: str) -> None:
    """Raise an error if a function of the C library has failed."""
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{fault}: {os.strerror(ctypes.get_errno())}")


def _mount(kind: str | None, path: str, flags: int, options: str = "") -> None:
    """Mount a file system, or change the flags of a mounted one."""
    name = kind and kind.encode()
    done = _library.mount(name, path.encode(), name, ctypes.c_ulong(flags), options.encode())
    _require(done, f"nothing could be mounted at {path}")


def main() -> None:
    """Serve the simulation at the other end of the socket that the argument names."""
    descriptor = int(sys.argv[1])
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    os.set_inheritable(descriptor, False)
    # The kernel delivers no signal of a program to a first process that does not handle the signal.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Keeper(socket.socket(fileno=descriptor)).serve()


if __name__ == "__main__":
    main()
