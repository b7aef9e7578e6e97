# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of the first episode that a policy plays, as an animation."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from defiance_zoo.environments import Policy, SimulationAECEnv
from defiance_zoo.experiments.workbench.drawing import NotDrawn, draw_if_possible
from defiance_zoo.experiments.workbench.events import EventCallback

_FRAMES = 64
"""The maximum number of pictures: of a longer episode, each second, fourth, … one is kept."""
_FRAME_MS = 100


class Film:
    """A policy that draws the environment of its first episode before its decisions.

    There are no frames after an error of the renderer.
    """

    def __init__(self, policy: Policy, env: SimulationAECEnv, report: EventCallback) -> None:
        self.frames: list[NDArray[np.uint8]] = []
        self._policy, self._env, self._report = policy, env, report
        self._fails = False
        self._episodes = self._instants = 0
        self._stride, self._time_ns = 1, -1

    def reset(self) -> None:
        self._policy.reset()
        self._episodes += 1

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return the policy's action, after one picture of each instant."""
        if self._episodes == 1 and not self._fails and info["sim_time_ns"] != self._time_ns:
            self._time_ns = info["sim_time_ns"]
            if self._instants % self._stride == 0:
                self._draw()
            self._instants += 1
        return self._policy.act(agent, observation, info)

    def _draw(self) -> None:
        frame = draw_if_possible("the evaluation's episode", self._env.render, self._report)
        if isinstance(frame, NotDrawn):
            self._fails = True
            return
        self.frames.append(frame)
        if len(self.frames) > _FRAMES:
            self.frames, self._stride = self.frames[::2], 2 * self._stride


def to_gif(frames: list[NDArray[np.uint8]]) -> bytes:
    """Return pictures of one size as an animation that repeats."""
    first, *others = map(Image.fromarray, frames)
    content = io.BytesIO()
    first.save(content, "GIF", save_all=True, append_images=others, duration=_FRAME_MS, loop=0)
    return content.getvalue()
