# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of plants as their agents know them, without a display."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.lettering import (
    LEGEND,
    Shape,
    draw_shapes,
    width,
    write,
)
from defiance_zoo.environments.rendering.renderer import write_counts
from defiance_zoo.envs.networked.baselines import Array, newest

Point = tuple[float, float]
_EDGE = 8  # from text to the end of the picture, in pixels
_COLORS = ((202, 152, 101), (30, 90, 200), (20, 120, 40))


class ObservedPlant(Renderer):
    """Draws the newest observations that have arrived, which are not the plant's state now."""

    modes = ("ansi", "human", "rgb_array")
    arguments = MappingProxyType({"communication_report": True})
    size = (600, 240)

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (height, width, 3), uint8."""
        if mode != "rgb_array":
            return super().render(mode, views, time_ns)
        observations = [newest(view.observation) for view in views.values()]
        picture = draw_shapes(self.size, self.shapes(observations))
        time = f"t = {time_ns / 1e9:.3f} s"
        write(picture, time, self.size[0] - _EDGE - width(time), _EDGE, LEGEND)
        for number, (agent, view) in enumerate(views.items()):
            text = f"{agent}: not arrived: {write_counts(view.missing)}" if view.missing else agent
            write(picture, text, _EDGE, _EDGE + 20 * number, _COLORS[number % len(_COLORS)])
        return picture

    def shapes(self, observations: list[Array]) -> Iterable[Shape]:
        """Return the shapes for the agents' newest observations."""
        raise NotImplementedError


class ObservedCheetah(ObservedPlant):
    """Draws the half-cheetah from the side, as its height and angles place it."""

    def shapes(self, observations: list[Array]) -> Iterable[Shape]:
        scale, middle, ground = 130, self.size[0] / 2, self.size[1] - 30
        yield Shape([(0, ground), (self.size[0], ground)], (0, 0, 0), 1)
        for height, pitch, *angles in (each[:8] for each in observations):
            body = (0.0, 0.7 + height)
            back, front = (_chain(body, [pitch], [(x, 0.0)])[1] for x in (-0.5, 0.5))
            head = _chain(front, [pitch], [(0.15, 0.2)])[1]
            legs = [
                _chain(hip, pitch + np.cumsum(turns), bones)
                for hip, turns, bones in (
                    (back, angles[:3], _BACK_LEG),
                    (front, angles[3:], _FRONT_LEG),
                )
            ]
            for chain, color in zip([[back, front, head], *legs], _COLORS, strict=True):
                points = [(middle + scale * x, ground - scale * z) for x, z in chain]
                yield Shape(points, color, 12)


_BACK_LEG = ((0.16, -0.25), (-0.28, -0.14), (0.06, -0.19))
_FRONT_LEG = ((-0.14, -0.24), (0.13, -0.18), (0.09, -0.14))
"""The ways from joint to joint, and to the toe, in m; those of Gymnasium's half_cheetah.xml."""


def _chain(start: Point, turns: Iterable[float], bones: Iterable[Point]) -> list[Point]:
    """Return the ends of bones that are turned about the y axis: x and z, in m."""
    points = [start]
    for turn, (x, z) in zip(turns, bones, strict=True):
        sine, cosine = math.sin(turn), math.cos(turn)
        points.append(
            (points[-1][0] + x * cosine + z * sine, points[-1][1] - x * sine + z * cosine)
        )
    return points


class ObservedParticles(ObservedPlant):
    """Draws each particle where its agent knows it, and the landmarks as circles."""

    size = (600, 600)

    def shapes(self, observations: list[Array]) -> Iterable[Shape]:
        scale, middle = self.size[0] / 4, self.size[0] / 2
        for number, seen in enumerate(observations):
            count = len(seen) // 6
            landmarks = seen[4 : 4 + 2 * count].reshape(-1, 2) + seen[2:4]
            places = [(middle + scale * x, middle - scale * y) for x, y in [seen[2:4], *landmarks]]
            yield Shape(places[1:], (60, 60, 60), 2, 0.05 * scale)
            yield Shape(places[:1], _COLORS[number % len(_COLORS)], 3, 0.15 * scale)
