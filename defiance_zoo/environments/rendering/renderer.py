# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of running episodes, the same in every interface: text by default."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from gymnasium import logger

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.bridge.simulation import CommunicationReport, Round
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.errors import NotCounted, ResetNeeded

LIST = "_list"
"""Ends render modes that return several frames."""

End = Literal["", "terminated", "time over", "truncated"]
RenderMode = Literal["ansi", "human", "rgb_array", "ansi_list", "rgb_array_list"]


class Past(NamedTuple):
    """Earlier observations and infos of an agent in the episode."""

    time_ns: int
    observation: Any
    info: Mapping[str, Any]


@dataclass(frozen=True)
class AgentView:
    """The view of an agent that is shown.

    Attributes:
        observation: Its last observation.
        action: Its last action; None before its first decision.
        info: Its last info.
        end: End of the agent: `terminated` by the scenario, `truncated` by the end of simulated
            time or by `max_cycles`; empty while it is alive.
        missing: Messages to and from it that have not arrived, by kind: on their way, or lost.
            Empty unless messages are counted.
        past: The last observations, oldest first, if the renderer remembers some.
        element_names: Names of the observation's elements, if the scenario names them.
    """

    observation: Any
    action: Any = None
    info: Mapping[str, Any] = field(default_factory=dict)
    end: End = ""
    missing: Mapping[str, int] = field(default_factory=dict)
    past: tuple[Past, ...] = ()
    element_names: tuple[str, ...] = ()


Views = dict[str, AgentView]


class Renderer:
    """Shows the last observation and action of each agent as text, with an optional sketch.

    Attributes:
        modes: Values of `render_mode` that it knows. `human` shows each step: the picture of
            `rgb_array` in a window, or the text of `ansi` in the terminal.
        fps: Frames a second at which a recording has the speed of simulated time.
        arguments: Arguments of rendered environments, unless the caller sets them. With
            `communication_report`, it shows messages that have not arrived.
        remembers: Number of last observations of each agent that it shows, the current one
            included.
    """

    modes: tuple[str, ...] = ("ansi", "human")
    fps: int = 50
    arguments: Mapping[str, Any] = MappingProxyType({})
    remembers: int = 0

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return one frame; for `human` its text.

        Args:
            mode: One of `modes`.
            views: Views of all agents of the episode, including ended ones.
            time_ns: Simulated time in nanoseconds.
        """
        lines = [f"t = {time_ns / 1e9:.6f} s"]
        for agent, view in views.items():
            lines += [f"{agent}: {'; '.join(self.describe(view))}", *self.sketch(view)]
        return "\n".join(lines)

    def sketch(self, view: AgentView) -> list[str]:
        """Return lines that sketch the observation of an agent, to print below its text."""
        return []

    def describe(self, view: AgentView) -> list[str]:
        """Return the text for an agent, in parts."""
        parts = [_write_observation(view)]
        if view.action is not None:
            parts.append(f"action {view.action}")
        if view.missing:
            parts.append(f"not arrived: {write_counts(view.missing)}")
        return [*parts, view.end] if view.end else parts


def _write_observation(view: AgentView) -> str:
    if not view.element_names:
        return str(view.observation)
    elements = zip(view.element_names, np.ravel(view.observation), strict=True)
    return ", ".join(f"{name} {element:g}" for name, element in elements)


def write_counts(counts: Mapping[str, int]) -> str:
    """Return numbers of messages by kind as a text."""
    return ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items())


def note_round(views: Views, received: Round, *, cut: bool, remembered: int = 0) -> None:
    """Update the views of agents from a round."""
    for step in received.steps:
        known = views.get(step.agent, AgentView(None))
        view = replace(known, observation=step.observation, info=step.info)
        if remembered:
            past = Past(received.time_ns, step.observation, step.info)
            view = replace(view, past=(*known.past, past)[-remembered:])
        views[step.agent] = view
    for ended in received.ended:
        known = views.get(ended.agent, AgentView(None))
        seen = known.observation if ended.observation is None else ended.observation
        end: End = "terminated" if ended.terminated else "truncated" if cut else "time over"
        views[ended.agent] = replace(known, observation=seen, info=ended.info, end=end)


def with_missing(views: Views, report: CommunicationReport) -> Views:
    """Return views with the messages that have not arrived."""
    found: dict[str, dict[str, int]] = {agent: {} for agent in views}
    for flow in report.flows:
        count = flow.tx_messages - flow.rx_messages - flow.dropped_messages
        for agent in {flow.sender, flow.receiver} & found.keys():
            if count > 0:
                found[agent][flow.kind] = found[agent].get(flow.kind, 0) + count
    return {agent: replace(view, missing=found[agent]) for agent, view in views.items()}


def warn_without_mode() -> None:
    """Warn that there is no render mode, as Gymnasium's environments do."""
    logger.warn(
        "You are calling render method without specifying any render mode. You can specify the "
        'render_mode at initialization, e.g. make("cart_pole_v0", render_mode="rgb_array")'
    )


def render_modes(renderer: Renderer) -> list[str]:
    """Return the render modes of environments that a renderer draws.

    A mode of `Renderer.modes` with `_list` returns all frames since the last call.
    """
    return [*renderer.modes, *(f"{mode}{LIST}" for mode in renderer.modes if mode != "human")]


class EpisodePictures:
    """Collects the views of an episode's agents, and draws them; `Episodes` calls its methods."""

    def __init__(self, renderer: Renderer, mode: str) -> None:
        require_choice("render_mode", mode, render_modes(renderer))
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
            self._screen = open_screen(self._renderer.modes)
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


_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
"""Variables of the process environment; one of them is set where a window can open."""


class Screen:
    """The terminal: each frame replaces the last, at simulated speed."""

    mode = "human"
    """The mode in which a renderer draws for this screen."""

    def __init__(self) -> None:
        self._shown: tuple[float, int] | None = None

    def show(self, frame: Any, time_ns: int) -> None:
        """Show a frame; if the output is not a terminal, below the last frame and without delay."""
        if sys.stdout is not None and sys.stdout.isatty():
            self._wait(time_ns)
            frame = f"\x1b[H\x1b[2J{frame}"
        print(frame, flush=True)

    def close(self) -> None:
        """Close the window, if there is one."""

    def _wait(self, time_ns: int) -> None:
        """Wait until a frame is due."""
        if self._shown is not None and time_ns > self._shown[1]:
            due = self._shown[0] + (time_ns - self._shown[1]) / 1e9
            time.sleep(max(0.0, due - time.monotonic()))
        self._shown = time.monotonic(), time_ns


class _Window(Screen):
    """A window of pygame, which has one window in a process."""

    mode = "rgb_array"

    def __init__(self, pygame: Any) -> None:
        super().__init__()
        self._pygame = pygame

    def show(self, frame: Any, time_ns: int) -> None:
        """Show a picture of shape (height, width, 3)."""
        self._wait(time_ns)
        display, pixels = self._pygame.display, frame.swapaxes(0, 1)
        window = display.get_surface()
        if window is None or window.get_size() != pixels.shape[:2]:
            window = display.set_mode(pixels.shape[:2])
            display.set_caption("defiance-zoo")
        self._pygame.event.pump()  # else the desktop reports that the program does not respond
        self._pygame.surfarray.blit_array(window, pixels)
        display.flip()

    def close(self) -> None:
        self._pygame.display.quit()


def open_screen(modes: Sequence[str]) -> Screen:
    """Return the screen for the frames of a renderer with some modes.

    A window needs a display, pygame, and a renderer that draws `rgb_array`.
    """
    if "rgb_array" not in modes or not any(map(os.environ.get, _DISPLAYS)):
        return Screen()
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")  # else SIGTERM does not end the process
    try:
        import pygame
    except ImportError:
        return Screen()
    try:
        pygame.display.init()
    except pygame.error:  # no such display, or it refuses
        return Screen()
    return _Window(pygame)
