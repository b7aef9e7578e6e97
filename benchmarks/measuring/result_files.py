# SPDX-License-Identifier: GPL-2.0-only
"""Results as JSON, with machine and versions."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = (
    "defiance-zoo",
    "gymnasium",
    "ns3",
    "numpy",
    "pettingzoo",
    "protobuf",
    "pyzmq",
    "ray",
    "stable-baselines3",
    "torch",
)


def machine() -> dict[str, Any]:
    """Return the machine and the versions on which figures depend."""
    info = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "")
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "load_average": os.getloadavg(),
        "versions": {package: version(package) for package in PACKAGES},
    }


def save(name: str, command: str, results: dict[str, Any], folder: Path, **beside: Any) -> Path:
    """Write results with machine and versions; return the path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    document = {"command": command, "machine": machine(), "results": results, **beside}
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def load(name: str, folder: Path) -> dict[str, Any]:
    """Return the results that `save()` wrote."""
    document: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return document
