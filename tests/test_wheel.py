# SPDX-License-Identifier: GPL-2.0-only
"""The built wheel runs where nothing but Python is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.timeout(900)
def test_wheel_alone_plays_an_episode(tmp_path: Path) -> None:
    subprocess.run([ROOT / "tools/build_wheel", sys.executable, tmp_path], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, ROOT / "tools/check_wheel.py", wheel], check=True)
