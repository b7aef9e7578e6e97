# SPDX-License-Identifier: GPL-2.0-only
"""The library that recordings need."""

from __future__ import annotations

import importlib.util

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import DependencyMissing


def require_arrow() -> None:
    """See that recordings can be written and read, before anything is played.

    Raises:
        DependencyMissing: pyarrow is not installed.
    """
    try:
        found = importlib.util.find_spec("pyarrow")
    except ValueError:  # what was imported says that it is not there
        found = None
    if found is None:
        raise DependencyMissing(
            "recordings need 'pyarrow', which is not installed: " + install_command("record")
        )
