# SPDX-License-Identifier: GPL-2.0-only
"""The notebook of the site runs, and its file has the outputs of such a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.publishing.notebook import NOTEBOOK, execute, run


def summarise(notebook: dict[str, Any]) -> list[list[str]]:
    """Return the outputs of each cell: texts as they are, and that there is a picture."""
    return [
        [
            "picture" if "image/png" in each.get("data", {}) else "".join(each["text"])
            for each in cell.get("outputs", ())
        ]
        for cell in notebook["cells"]
    ]


@pytest.mark.long
@pytest.mark.timeout(600)  # it plays forty episodes, and a kernel starts slowly
@pytest.mark.filterwarnings("ignore")  # the kernel's client has none of our rules
def test_the_notebook_has_the_outputs_of_its_cells() -> None:
    notebook = json.loads(NOTEBOOK.read_text())
    stored = summarise(notebook)
    assert sum("picture" in each for each in stored) == 2
    assert summarise(run(notebook)) == stored


def test_a_failing_cell_raises() -> None:
    class Client:
        def execute_interactive(self, code: str, timeout: float, output_hook: Any) -> None:
            output_hook({"msg_type": "error", "content": {"traceback": ["ValueError: no"]}})

    with pytest.raises(RuntimeError, match="ValueError: no"):
        execute(Client(), "1 / 0")
