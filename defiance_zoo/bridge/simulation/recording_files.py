# SPDX-License-Identifier: GPL-2.0-only
"""Files that simulations write about their episodes."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from defiance_zoo.bridge.system.plain_values import whole_number
from defiance_zoo.errors import ParameterError


@dataclass(frozen=True)
class RecordingFiles:
    """The files that a simulation writes about its episode, and their folder.

    Attributes:
        folder: An existing folder, which gets `topology.json`, `messages.csv`, `links.csv`,
            `positions.csv`, `moves.csv` and `events.csv`.
        interval_ns: Simulated time between samples of links and positions, in nanoseconds.
        pcap: Whether packets of the devices of all links are captured, in a file for each.
    """

    folder: str | PathLike[str]
    interval_ns: int = 10_000_000
    pcap: bool = False

    def __post_init__(self) -> None:
        """Refuse invalid arguments.

        Raises:
            ParameterError: There is no such folder, or the interval is not positive.
        """
        if not Path(self.folder).is_dir():
            raise ParameterError(f"there is no folder {str(self.folder)!r} to record to")
        whole_number("interval_ns", self.interval_ns)

    def variables(self) -> dict[str, str]:
        """Return the environment variables for a simulation, by name."""
        return {
            "DEFIANCE_RECORD_TO": str(Path(self.folder).absolute()),
            "DEFIANCE_RECORD_INTERVAL": f"{self.interval_ns}ns",
            "DEFIANCE_RECORD_PCAP": str(self.pcap).lower(),
        }
