# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of `render()`: text by default; an environment may draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from gymnasium import logger

from defiance_zoo.bridge.simulation import CommunicationReport, Round

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
