# SPDX-License-Identifier: GPL-2.0-only
"""Parameters that were drawn for an episode, the same in every interface of one simulation."""

from __future__ import annotations

from typing import Any

from defiance_zoo.environments.episodes.episodes import Episodes


class DrawnParameters:
    """Reports the values of parameters that are distributions."""

    _episodes: Episodes

    @property
    def drawn_parameters(self) -> dict[str, Any]:
        """Parameters that were drawn for the current episode, or the last one, by name.

        Times are in seconds and data rates in bits per second, unless they are one of a `Choice`.
        """
        return self._episodes.slot.launcher.drawn
