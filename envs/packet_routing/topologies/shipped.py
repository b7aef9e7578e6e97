# SPDX-License-Identifier: GPL-2.0-only
"""The topologies that are shipped; each file says where its facts come from."""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.envs.packet_routing.topologies.topology import Topology
from defiance_zoo.errors import ParameterError

_SUFFIX = ".topology"
_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of the topologies that are shipped."""
    return sorted(path.stem for path in _FOLDER.glob(f"*{_SUFFIX}"))


def load(name: str) -> Topology:
    """Return a topology that is shipped.

    Raises:
        ParameterError: There is none of this name.
    """
    if name not in names():
        raise ParameterError(f"there is no topology {name!r}; there are {names()}")
    return Topology.of_text((_FOLDER / f"{name}{_SUFFIX}").read_text())
