# SPDX-License-Identifier: GPL-2.0-only
"""Python programs that run under limits that do not hold for root."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from defiance_zoo.bridge.system.single_process import ONE_THREAD

_READ = "+dac_read_search,+dac_override"
_AS_ANOTHER_USER = (
    "setpriv",
    "--reuid=54321",  # a user without other processes: processes are counted by user
    "--clear-groups",
    f"--inh-caps=-all,{_READ}",  # only root may be able to read files of the tests
    f"--ambient-caps=-all,{_READ}",
    f"--bounding-set=-all,{_READ}",
)


def variables() -> dict[str, str]:
    """Return the environment variables of a program that imports the tests' modules."""
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def run_limited(program: str, *arguments: str, **options: Any) -> str:
    """Run a Python program as a user who is not root, and return its output.

    Args:
        program: The source of the program.
        *arguments: Arguments of the program.
        **options: Options of `subprocess.run()`.
    """
    prefix = _AS_ANOTHER_USER if os.geteuid() == 0 else ()
    done = subprocess.run(
        [*prefix, sys.executable, "-c", program, *arguments],
        env=variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
