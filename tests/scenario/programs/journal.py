# SPDX-License-Identifier: GPL-2.0-only
"""A file with one value, which `raft_on_files.py` tests as a library."""

import json
import os
from pathlib import Path

JOURNAL, NEW = Path("/disk/journal"), Path("/disk/journal.new")


def load():
    """Return the value; empty for a new file, and for one that a crash has damaged."""
    try:
        return json.loads(JOURNAL.read_text())
    except (FileNotFoundError, ValueError):
        return {}


def store(value, *, syncs):
    """Replace the value; without a sync, a crash may leave an empty file under the name."""
    with NEW.open("w") as file:
        json.dump(value, file)
        file.flush()
        if syncs:
            os.fsync(file.fileno())
    NEW.replace(JOURNAL)
