# SPDX-License-Identifier: GPL-2.0-only
"""The commands of pages that train run; see `test_commands_run.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_rights import needs_rights
from page_shell import run_page
from page_tables import HOSTS, TRAINS


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "page",
    [pytest.param(each, marks=needs_rights) if each in HOSTS else each for each in sorted(TRAINS)],
)
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    run_page(page, tmp_path)
