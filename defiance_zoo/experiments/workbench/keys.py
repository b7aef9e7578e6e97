# SPDX-License-Identifier: GPL-2.0-only
"""Keys of cells: digests of all inputs of their results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import defiance_zoo
from defiance_zoo.bridge.simulation import Scenario, program_digest
from defiance_zoo.bridge.system.extension import NATIVE

_MEASURES = 1  # increased when the measures of equal episodes change


def cell_key(facts: Mapping[str, Any], scenario: Scenario, arguments: Mapping[str, Any]) -> str:
    """Return the digest of facts, parameters, programs and files of a simulation."""
    described = {
        "facts": dict(facts),
        "scenario": scenario.name,
        "arguments": dict(arguments),
        "programs": [scenario.digest(arguments), *_libraries()],
        "version": defiance_zoo.__version__,
        "measures": _MEASURES,
    }
    if files := scenario.file_digests(arguments):
        described["files"] = files
    return digest(json.dumps(described, sort_keys=True).encode())[:20]


def _libraries() -> list[str]:
    """Return digests of this package's library."""
    return [program_digest(path) for path in sorted((NATIVE / "lib").glob("libdefiance*"))]


def digest(content: bytes) -> str:
    """Return SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def digest_file(path: Path) -> str:
    """Return the digest of a program or code file."""
    return digest(path.read_bytes())
