# SPDX-License-Identifier: GPL-2.0-only
"""The packages that `make` installs from Debian: installed ones are left out; unbuilt checkouts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PROGRAM = ROOT / "tools" / "prerequisites.py"


@pytest.mark.parametrize("part", ["build", "all"])
def test_no_package_is_missing_where_this_project_was_built(part: str) -> None:
    done = subprocess.run([sys.executable, PROGRAM, part], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


@pytest.mark.parametrize(("name", "there"), [("libjemalloc.so.2", True), ("libnot.so.9", False)])
def test_a_library_that_cannot_be_loaded_late_is_found(name: str, there: bool) -> None:
    """The loader has no room for jemalloc in a running process."""
    code = f"from prerequisites import has_library; print(has_library({name!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROGRAM.parent, capture_output=True, text=True
    )
    assert done.stdout == f"{there}\n"


def test_the_package_of_an_unbuilt_checkout_names_the_command_that_builds_it(
    tmp_path: Path,
) -> None:
    package = tmp_path / "defiance_zoo"
    package.mkdir()
    for each in (ROOT / "defiance_zoo").iterdir():
        if each.name not in ("_proto", "_native"):
            (package / each.name).symlink_to(each)
    code = "import defiance_zoo; defiance_zoo.make('cart_pole_v0')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert f"ImportError: the checkout {tmp_path} is not built: run `make build`" in done.stderr
    assert "run Python in another folder" in done.stderr
