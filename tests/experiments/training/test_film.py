# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of an evaluation's first episode."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from defiance_zoo.experiments.training.loop import Film, to_gif


class Playing:
    """An environment and its policy: the colour of a picture is the number of the instant."""

    def __init__(self, fails: bool = False) -> None:
        self.fails, self.instant = fails, 0

    def render(self) -> Any:
        if self.fails:
            raise RuntimeError("no colours")
        return np.full((4, 6, 3), self.instant, np.uint8)

    def reset(self) -> None:
        pass

    def act(self, _agent: str, observation: Any, _info: dict[str, Any]) -> Any:
        return observation

    def play(self, film: Film, instants: int) -> None:
        film.reset()
        for self.instant in range(instants):
            for agent in ("a", "b"):
                assert film.act(agent, 7, {"sim_time_ns": self.instant}) == 7


@pytest.mark.parametrize(
    ("instants", "shown"),
    [(1, [0]), (64, range(64)), (65, range(0, 65, 2)), (250, range(0, 250, 4))],
)
def test_the_first_episode_is_drawn_at_equal_distances(instants: int, shown: Sequence[int]) -> None:
    playing: Any = Playing()
    events: list[dict[str, Any]] = []
    film = Film(playing, playing, events.append)
    playing.play(film, instants)
    playing.play(film, 3)
    assert events == []
    assert [int(frame[0, 0, 0]) for frame in film.frames] == list(shown)
    gif = Image.open(io.BytesIO(to_gif(film.frames)))
    assert (gif.format, gif.size) == ("GIF", (6, 4))
    assert len(list(ImageSequence.Iterator(gif))) == len(shown)


def test_an_error_of_the_renderer_ends_the_drawing_and_not_the_evaluation() -> None:
    playing: Any = Playing(fails=True)
    events: list[dict[str, Any]] = []
    film = Film(playing, playing, events.append)
    playing.play(film, 3)
    assert [(each["event"], each["message"]) for each in events] == [("not_drawn", "no colours")]
    assert film.frames == []
