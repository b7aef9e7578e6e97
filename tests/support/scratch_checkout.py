# SPDX-License-Identifier: GPL-2.0-only
"""A checkout to write environments into: a copy of this one without `envs/` and `tests/envs/`.

    python scratch_checkout.py FOLDER

Python finds the package in FOLDER if PYTHONPATH names it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL = ("", "defiance_zoo", "envs", "tests", "tests/envs")
"""Folders that are not links, so that files written there stay there."""


def make_scratch_checkout(folder: Path) -> None:
    """Fill a folder with the package, the environments and the tests of this checkout.

    Folders below those of `REAL` are links, and files are copies.
    """
    for real in REAL:
        (folder / real).mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "defiance_zoo" / "envs").symlink_to("../envs")
    for real in REAL[1:]:
        for path in (ROOT / real).iterdir():
            target = folder / real / path.name
            if target.exists() or path.name == "__pycache__":
                continue
            if path.is_dir():
                target.symlink_to(path)
            else:
                shutil.copy(path, target)


if __name__ == "__main__":
    make_scratch_checkout(Path(sys.argv[1]))
