# SPDX-License-Identifier: GPL-2.0-only
"""Clients of a cluster of real servers: `python clients.py SPECIFICATION`, a program in a host.

Each client is a thread that calls the user's function, one operation after the other, and writes
a line of JSON for each invocation and each outcome. The operations follow from the seed; their
times do not. Times are nanoseconds of the machine's monotonic clock.

The simulation starts this file by its path: it imports nothing but Python's standard library.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

MARK = '{"event": '
"""The beginning of a line with an event; other lines are prints of the user's function."""
LIVE_KEYS = 4
"""Number of keys that are used at the same time."""
KEY_OPERATIONS = 100
"""Mean number of operations on a key; longer histories take longer to check."""


class Clients:
    """The clients of a cluster, and the numbers of their operations.

    Attributes:
        execute: The user's function: `execute(address, operation, key, *values)`.
    """

    def __init__(self, execute: Callable[..., Any], specification: dict[str, Any]) -> None:
        self.execute, self._given = execute, specification
        self._numbers = itertools.count()

    def serve(self, client: int) -> None:
        """Execute operations until the process is killed."""
        members, rate = self._given["members"], self._given["rate"]
        choose = random.Random(f"{self._given['seed']}/{client}")
        member = (client - 1) % len(members)
        known: dict[str, int] = {}
        due = time.monotonic() + choose.random() / rate
        for value in itertools.count(client, self._given["clients"]):
            time.sleep(max(due - time.monotonic(), 0))
            due = max(due, time.monotonic() - 1 / rate) + 2 * choose.random() / rate
            number = next(self._numbers)
            key = f"k{number // KEY_OPERATIONS + choose.randrange(LIVE_KEYS)}"
            kind = choose.choice(self._given["operations"])
            new = {"read": [], "write": [value], "cas": [known.get(key, 0), value]}[kind]
            write_event(
                event="invoked", request=number, client=client, member=member + 1, key=key,
                operation="compare_and_swap" if kind == "cas" else kind, arguments=new,
            )  # fmt: skip
            outcome = self._call(members[member], kind, key, *new)
            write_event(**outcome, request=number, client=client, replica=member + 1)
            if outcome["event"] == "responded" and (kind != "cas" or outcome["result"]):
                known[key] = outcome["result"] if kind == "read" else value

    def _call(self, address: str, kind: str, key: str, *values: int) -> dict[str, Any]:
        """Return the outcome of an operation.

        A refused operation has certainly not happened; after any other exception, it may have.
        """
        try:
            result = self.execute(address, kind, key, *values)
        except Exception as error:
            reason = getattr(error, "reason", error)  # urllib wraps the errors of sockets
            refused = isinstance(reason, ConnectionRefusedError) or kind == "read"
            text = f"{type(error).__name__}: {error}"
            return {"event": "failed" if refused else "unknown", "error": text[:200]}
        converted = {"read": lambda each: int(each or 0), "cas": bool}.get(kind, lambda _: None)
        return {"event": "responded", "result": converted(result)}


def write_event(**event: Any) -> None:
    """Write an event with its time, as a line that no other thread interrupts."""
    event["time_ns"] = time.monotonic_ns()
    os.write(1, f"\n{json.dumps(event)}\n".encode())


def find_function(path: str, name: str) -> Callable[..., Any]:
    """Return a function of a Python file, which may import its neighbours."""
    sys.path.insert(0, os.path.dirname(path))  # noqa: PTH120
    found = importlib.util.spec_from_file_location("client", path)
    assert found is not None and found.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function


def main() -> None:
    """Start all clients, and end with an error when one of them ends."""
    given = json.loads(sys.argv[1])
    socket.setdefaulttimeout(given["timeout"])
    clients = Clients(find_function(given["file"], given["function"]), given)

    def serve(client: int) -> None:
        try:
            clients.serve(client)
        finally:
            sys.excepthook(*sys.exc_info())
            os._exit(1)  # also ends the other clients

    for client in range(1, given["clients"] + 1):
        threading.Thread(target=serve, args=[client]).start()


if __name__ == "__main__":
    main()
