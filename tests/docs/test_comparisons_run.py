# SPDX-License-Identifier: GPL-2.0-only
"""The commands of pages that compare trained policies run; see `test_commands_run.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_shell import run_page
from page_tables import COMPARES


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", sorted(COMPARES))
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    run_page(page, tmp_path)
