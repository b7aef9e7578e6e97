# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of running episodes, the same in every interface."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.bridge.simulation import Round
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.rendering.renderer import (
    LIST,
    AgentView,
    Renderer,
    Views,
    note_round,
    render_modes,
    warn_without_mode,
    with_missing,
)
from defiance_zoo.errors import NotCounted, ParameterError, ResetNeeded

if TYPE_CHECKING:
    from defiance_zoo.environments.rendering.screen import Screen


class EpisodePictures:
    """Collects the views of an episode's agents, and draws them; `Episodes` calls its methods."""

    def __init__(self, renderer: Renderer, mode: str) -> None:
        if mode not in (known := render_modes(renderer)):
            raise ParameterError(
                f"render_mode={mode!r} is not one of {known}{near_word(str(mode), known)}"
            )
        self._renderer, self._mode = renderer, mode
        self._views: Views = {}
        self._frames: list[Any] = []
        self._screen: Screen | None = None

    def begin(self) -> None:
        """Forget the last episode."""
        self._views, self._frames = {}, []

    def decide(self, agent: str, action: Any) -> None:
        """Note the action of an agent of the last round; it may be replaced."""
        if agent in self._views:
            self._views[agent] = replace(self._views[agent], action=copy_batch(action))

    def take(self, episodes: Episodes, received: Round) -> None:
        """Note a round; draw it if the mode is `human` or a list of frames."""
        cut, remembered = episodes.progress.is_cut, self._renderer.remembers
        note_round(self._views, received, cut=cut, remembered=remembered)
        if self._mode.endswith(LIST):
            self._frames.append(self._draw(episodes))
        elif self._mode == "human":
            self.render(episodes)

    def copy(self) -> EpisodePictures:
        """Return independent pictures of the same episode."""
        other = EpisodePictures(self._renderer, self._mode)
        other._views, other._frames = dict(self._views), list(self._frames)
        return other

    def render(self, episodes: Episodes) -> Any:
        """Return the frame, or the frames since the last call; `human` shows it."""
        if self._mode.endswith(LIST):
            frames, self._frames = self._frames, []
            return frames
        if self._mode != "human":
            return self._draw(episodes)
        if self._screen is None:
            from defiance_zoo.environments.rendering.screen import open_screen

            self._screen = open_screen(self._renderer)
        self._screen.show(self._draw(episodes, self._screen.mode), episodes.time_ns)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._screen is not None:
            self._screen.close()
            self._screen = None

    def _draw(self, episodes: Episodes, mode: str | None = None) -> Any:
        views = {agent: self._view(episodes, agent) for agent in episodes.agents}
        with contextlib.suppress(NotCounted, ResetNeeded):
            views = with_missing(views, episodes.communication_report())
        mode = mode or self._mode.removesuffix(LIST)
        return self._renderer.render(mode, views, episodes.time_ns)

    def _view(self, episodes: Episodes, agent: str) -> AgentView:
        view = self._views.get(agent, AgentView(None))
        names = element_names(episodes.agents[agent].observation_space)
        seen = view.observation
        if seen is None:
            seen = episodes.placeholder(agent)
        return replace(view, observation=seen, element_names=names)


class Pictures:
    """`render()` of an environment; without a render mode it costs nothing."""

    _episodes: Episodes
    render_mode: str | None

    @exclusive
    def render(self) -> Any:
        """Return a picture of all agents in `render_mode`; `human` draws it, and returns None.

        `rgb_array_list` and `ansi_list` return the pictures of all rounds since the last call or
        `reset()`. An agent that has ended stays where it ended, and the picture keeps its size.
        """
        return render(self._episodes)


def render(episodes: Episodes) -> Any:
    """Return the result of an environment's `render()` for its episodes."""
    if not isinstance(episodes.watcher, EpisodePictures):
        warn_without_mode()
        return None
    return episodes.watcher.render(episodes)


def open_pictures(mode: str | None, renderer: Renderer) -> EpisodePictures | None:
    """Return the pictures of an environment; None without a render mode."""
    return None if mode is None else EpisodePictures(renderer, mode)


def picture_metadata(renderer: Renderer) -> dict[str, Any]:
    """Return the metadata of an environment that a renderer draws."""
    return {"render_modes": render_modes(renderer), "render_fps": renderer.fps}


def to_render(mode: str | None, renderer: Renderer, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return an environment's arguments, with those that its renderer needs."""
    return arguments if mode is None else {**renderer.arguments, **arguments}
