# SPDX-License-Identifier: GPL-2.0-only
"""Which of several workers runs which tests."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling


class FilesTogether(LoadScopeScheduling):
    """Keeps the tests of a file in one worker, and those that share a Ray instance.

    What a module's fixtures make is made once then, and trainings of RLlib do not compete.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of what stays together."""
        file = nodeid.partition("::")[0]
        return "ray" if "rllib" in PurePosixPath(file).parts else file
