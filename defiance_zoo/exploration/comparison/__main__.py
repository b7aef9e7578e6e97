# SPDX-License-Identifier: GPL-2.0-only
"""Compare explorers: `python -m defiance_zoo.exploration.comparison FILE --out FOLDER`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from defiance_zoo.errors import DefianceZooError
from defiance_zoo.exploration.comparison.configuration import read_comparison
from defiance_zoo.exploration.comparison.running import compare_explorers
from defiance_zoo.training.interruption import Aborted


def main() -> int:
    """Run the comparison that a YAML file describes; print its events as JSON.

    Returns:
        0; 1 if a cell failed; 2 if something is not allowed; 128 and a signal's number.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    out = arguments.out or Path("runs") / f"comparison-{arguments.file.stem}"
    try:
        done = compare_explorers(
            read_comparison(arguments.file),
            out,
            workers=arguments.workers,
            report=lambda event: print(json.dumps(event), flush=True),
        )
    except Aborted as aborted:
        return 128 + aborted.signal
    except DefianceZooError as error:
        print(error, file=sys.stderr)
        return 2
    return int(done.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
