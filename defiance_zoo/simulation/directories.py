# SPDX-License-Identifier: GPL-2.0-only
"""Directories for sockets: nobody else's, and gone with whoever made them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from defiance_zoo.simulation.descriptors import no_directory

PREFIX = "defiance-"


class PrivateDirectory:
    """A directory that only this user may look into.

    Attributes:
        path: Where it is.
    """

    def __init__(self) -> None:
        """Make it.

        Raises:
            NoTemporaryDirectory: There is no room, or no folder, for temporary files.
        """
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))  # mode 0700
        except OSError as error:
            raise no_directory(error) from error

    def close(self) -> None:
        """Delete it, with what is in it; may be called again."""
        shutil.rmtree(self.path, ignore_errors=True)
