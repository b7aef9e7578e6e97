# SPDX-License-Identifier: GPL-2.0-only
"""Programs of docs/training/clients.md, for the tests of the libraries that they use."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs/training/clients.md"


def run_program(
    heading: str, number: int = 0, *, replaced: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run a Python block of a section, and return its names.

    Args:
        heading: Heading of the section.
        number: Number of the block among the section's Python blocks.
        replaced: Parts of the block with their replacements.
    """
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    program = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)[number]
    for old, new in (replaced or {}).items():
        assert program.count(old) == 1, old
        program = program.replace(old, new)
    module = types.ModuleType("client_program")
    sys.modules["client_program"] = module  # the module in which pickles look for its classes
    exec(compile(program, str(PAGE), "exec"), vars(module))
    return vars(module)
