# SPDX-License-Identifier: GPL-2.0-only
"""A client of raft_registers, for raft_nemesis.py."""

import json
import urllib.error
import urllib.parse
import urllib.request


def execute(address, operation, key, *values):
    """Execute an operation; only a leader does so."""
    query = urllib.parse.urlencode({"key": key, "value": values}, doseq=True)
    try:
        with urllib.request.urlopen(f"http://{address}:7001/{operation}?{query}") as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 421:
            raise ConnectionRefusedError("not leader") from None
        raise
