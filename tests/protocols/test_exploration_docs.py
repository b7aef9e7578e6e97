# SPDX-License-Identifier: GPL-2.0-only
"""The page about explorers is complete, and its programs run."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import yaml

from defiance_zoo.protocols.comparison.configuration import ComparisonConfig, read_comparison
from defiance_zoo.protocols.explorers import FAULTS
from defiance_zoo.protocols.explorers.registry import EXPLORERS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "protocols" / "exploration.md").read_text()


def rows(heading: str) -> dict[str, str]:
    """Return the rows of the table under a heading, by their first cell."""
    table = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n")[0].splitlines()[2:]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
    return {first: " | ".join(others) for first, *others in cells}


def test_every_explorer_is_on_the_page_with_its_options_and_defaults() -> None:
    told = rows("explorer")
    assert set(told) == {f"`{name}`" for name in EXPLORERS}
    for name, kind in EXPLORERS.items():
        for option, parameter in inspect.signature(kind).parameters.items():
            if option == "predicates":
                assert "`hierarchy`" in told[f"`{name}`"]
            elif option == "inner":
                assert "`explorer` (`random`) and its options" in told[f"`{name}`"]
            elif option != "seed" and name != "negrl_visits":
                value = parameter.default
                written = f"`{value}`" if isinstance(value, str) else f"{value:g}"
                written = str(value) if isinstance(value, int) else written
                assert f"`{option}` ({written})" in told[f"`{name}`"], (name, option)
    assert {*rows("`fault`")} == {f"`{fault}`" for fault in (*FAULTS, "mixed")}


def test_every_key_of_comparisons_is_on_the_page() -> None:
    told = re.findall(r"`(\w+)`", " ".join(rows("key")))
    assert set(told) == set(ComparisonConfig.model_fields)


def test_the_programs_of_the_page_run(tmp_path: Path) -> None:
    for described in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / "mine.yaml").write_text(described)
        assert set(read_comparison(tmp_path / "mine.yaml").config.policies) == set(
            yaml.safe_load(described)["policies"]
        )
    programs = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(programs) == 5
    for program in programs:
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        if "print(verdict)" in program:
            assert done.stdout.strip() in PAGE
    assert (tmp_path / "bonus.gz").is_file()
