# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of a running episode, the same in every interface."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.bridge.simulation import Round
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.rendering.renderer import (
    AgentView,
    Renderer,
    Screen,
    Views,
    check_render_mode,
    note_action,
    note_round,
    warn_without_mode,
    with_missing,
)
from defiance_zoo.errors import NotCounted, ResetNeeded


class Pictures:
    """Collects the views to render, if there is a render mode; otherwise it costs nothing."""

    _episodes: Episodes
    _pictured: Views

    def _prepare_pictures(
        self, mode: str | None, renderer: Renderer, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """Set a render mode; return the environment's arguments with those that the mode needs.

        Raises:
            ParameterError: The renderer does not know the mode.
        """
        self._renderer = renderer
        self.render_mode = check_render_mode(mode, renderer)
        self._pictured, self._screen = {}, Screen()
        if self.render_mode is None or not renderer.counts_messages:
            return arguments
        return {"communication_report": True, **arguments}

    def _picture_metadata(self) -> dict[str, Any]:
        return {"render_modes": list(self._renderer.modes), "render_fps": self._renderer.fps}

    def _note_action(self, agent: str, action: Any) -> None:
        if agent in self._pictured:
            note_action(self._pictured, agent, action)

    def _show(self, received: Round) -> None:
        """Process a round, and draw it if the mode is `human`."""
        cut, remembered = self._episodes.progress.is_cut, self._renderer.remembers
        note_round(self._pictured, received, cut=cut, remembered=remembered)
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return a picture of all agents in `render_mode`; `human` draws it, and returns None.

        An agent that has ended stays where it ended, and the picture keeps its size.
        """
        if self.render_mode is None:
            warn_without_mode()
            return None
        views = {agent: self._view(agent) for agent in self._episodes.agents}
        with contextlib.suppress(NotCounted, ResetNeeded):
            views = with_missing(views, self._episodes.communication_report())
        frame = self._renderer.render(self.render_mode, views, self._episodes.time_ns)
        if self.render_mode != "human":
            return frame
        self._screen.show(frame, self._episodes.time_ns)
        return None

    def _view(self, agent: str) -> AgentView:
        view = self._pictured.get(agent, AgentView(None))
        names = element_names(self._episodes.agents[agent].observation_space)
        seen = view.observation
        if seen is None:
            seen = self._episodes.placeholder(agent)
        return replace(view, observation=seen, element_names=names)
