# SPDX-License-Identifier: GPL-2.0-only
"""Run the notebook of the site, and write its outputs into its file (`make pictures`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "tutorials" / "control-over-delay.ipynb"


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a notebook, with the outputs of its cells in a new kernel.

    Raises:
        RuntimeError: A cell raised an exception.
    """
    copy: dict[str, Any] = json.loads(json.dumps(notebook))
    manager, client = start_new_kernel(cwd=str(ROOT))
    try:
        for cell in copy["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = execute(client, "".join(cell["source"]))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return copy


def execute(client: Any, code: str) -> list[dict[str, Any]]:
    """Run a cell, and return its texts and pictures in the form of a notebook's file."""
    outputs: list[dict[str, Any]] = []

    def keep(message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            outputs.append({"output_type": kind, **content})
        elif kind in ("display_data", "execute_result"):
            data = {"data": content["data"], "metadata": {}}
            count = {"execution_count": None} if kind == "execute_result" else {}
            outputs.append({"output_type": kind, **data, **count})
        elif kind == "error":
            raise RuntimeError("\n".join(content["traceback"]))

    client.execute_interactive(code, timeout=600, output_hook=keep)
    return outputs


def main() -> None:
    """Run the notebook, and replace its outputs."""
    text = json.dumps(run(json.loads(NOTEBOOK.read_text(encoding="utf-8"))), indent=1)
    NOTEBOOK.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
