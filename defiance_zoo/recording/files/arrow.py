# SPDX-License-Identifier: GPL-2.0-only
"""The library that recordings need."""

from __future__ import annotations

import importlib.util

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import DependencyMissing


def require_arrow() -> None:
    """Check that recordings can be written and read, before an episode begins.

    Raises:
        DependencyMissing: pyarrow is not installed.
    """
    try:
        found = importlib.util.find_spec("pyarrow")
    except ValueError:  # the package hides that it is missing
        found = None
    if found is None:
        raise DependencyMissing(
            "recordings need 'pyarrow', which is not installed: " + install_command("record")
        )
