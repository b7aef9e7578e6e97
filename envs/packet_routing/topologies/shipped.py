# SPDX-License-Identifier: GPL-2.0-only
"""The shipped topologies; each file names the source of its facts."""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.envs.packet_routing.topologies.topology import Topology
from defiance_zoo.errors import ParameterError

_SUFFIX = ".topology"
_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of the shipped topologies."""
    return sorted(path.stem for path in _FOLDER.glob(f"*{_SUFFIX}"))


def load(name: str) -> Topology:
    """Return a shipped topology.

    Raises:
        ParameterError: There is no topology of this name.
    """
    if name not in names():
        raise ParameterError(f"there is no topology {name!r}; the topologies are {names()}")
    return Topology.of_text((_FOLDER / f"{name}{_SUFFIX}").read_text())
