# SPDX-License-Identifier: GPL-2.0-only
"""What the commands of benchmarks have in common."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import RESULTS


def read_arguments(documentation: str | None) -> argparse.Namespace:
    """Return `quick` and `out` of a command that measures; `--help` prints its first line."""
    parser = argparse.ArgumentParser(description=(documentation or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="hardly measure, to try the command")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


@contextlib.contextmanager
def local_ray(cores: int) -> Iterator[None]:
    """Run Ray with as many cores as are asked for: simulations and runners share what there is."""
    import ray  # for who trains with it

    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init("local", num_cpus=cores, **quiet)
    try:
        yield
    finally:
        ray.shutdown()
