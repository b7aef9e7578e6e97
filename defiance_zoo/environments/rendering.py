# SPDX-License-Identifier: GPL-2.0-only
"""What `render()` shows: by default text; an environment may draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import ParameterError


class Renderer:
    """Shows the last observation of each agent as text.

    Attributes:
        modes: Values of `render_mode` that it knows.
        fps: Frames a second at which a recording runs in simulated time.
    """

    modes: tuple[str, ...] = ("ansi",)
    fps: int = 50

    def render(self, mode: str, observations: Mapping[str, Any], time_ns: int) -> Any:
        """Return one frame.

        Args:
            mode: One of `modes`.
            observations: The last one of each agent.
            time_ns: Simulated time in nanoseconds.
        """
        lines = [f"t = {time_ns / 1e9:.6f} s"]
        lines += [f"{agent}: {observation}" for agent, observation in observations.items()]
        return "\n".join(lines)


def check_render_mode(mode: str | None, renderer: Renderer) -> str | None:
    """Return `mode` if the renderer knows it.

    Raises:
        ParameterError: It does not.
    """
    if mode is not None and mode not in renderer.modes:
        raise ParameterError(f"render_mode={mode!r} is not one of {list(renderer.modes)}")
    return mode
