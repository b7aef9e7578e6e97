# SPDX-License-Identifier: GPL-2.0-only
"""The distribution of tests to workers."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling


class FilesTogether(LoadScopeScheduling):
    """A scheduler that keeps tests of a file, or of a shared Ray instance, in one worker.

    Then a module's fixtures are made once, and trainings of RLlib do not compete.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of the group that stays together."""
        file = nodeid.partition("::")[0]
        return "ray" if "rllib" in PurePosixPath(file).parts else file
