# SPDX-License-Identifier: GPL-2.0-only
"""A client of register_server.py."""

import json
import socket


def execute(address, operation, key, *values):
    """Execute a read or a write."""
    request = {"do": "execute", "key": key, "value": values[0] if values else None}
    with socket.create_connection((address, 7000)) as connection:
        connection.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(connection.makefile().readline())
    if "refused" in answer:  # it has certainly not happened
        raise ConnectionRefusedError(answer["refused"])
    return answer["value"]
