# SPDX-License-Identifier: GPL-2.0-only
"""Programs that tests start."""

from __future__ import annotations

import subprocess
from types import TracebackType
from typing import AnyStr


class Program(subprocess.Popen[AnyStr]):
    """A process that an error in its block kills, so that the test that failed does not wait."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.kill()
        super().__exit__(kind, error, traceback)
