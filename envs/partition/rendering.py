# SPDX-License-Identifier: GPL-2.0-only
"""A picture of the replicas: blocks of the partition, roles, terms and logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.lettering import Picture, width, write, write_legend
from defiance_zoo.envs.partition.states import (
    RaftState,
    Replicas,
    TendermintState,
    read_replicas,
)

_WIDTH, _EDGE, _HEAD, _ROW, _LOG, _CELL = 640, 8, 32, 28, 372, 18
_TEXT, _FAINT, _ALARM = (60, 60, 60), (150, 150, 150), (190, 20, 20)
_BLOCKS = ((214, 230, 250), (250, 228, 206), (216, 242, 214), (244, 216, 240), (248, 244, 200))
_COMMITTED, _OPEN = (0, 130, 95), (200, 140, 0)
_KEY = {"committed": _COMMITTED, "in the log": _OPEN}


class PartitionRenderer(Renderer):
    """Draws a row for each replica, in the colour of its block: role, term, vote, log."""

    modes = ("ansi", "human", "rgb_array")

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (height, 640, 3), uint8."""
        infos = [view.info for view in views.values() if "replicas" in view.info]
        nothing = {"replicas": "[]", "partition": [], "violations": "", "pending_requests": 0}
        info: Mapping[str, Any] = infos[0] if infos else nothing
        states = read_replicas(info)
        blocks = states.blocks
        if mode != "rgb_array":
            return _as_text(states, info, time_ns)
        picture = np.full((_HEAD + _ROW * len(states) + _EDGE, _WIDTH, 3), 255, np.uint8)
        head = info["violations"].partition(":")[0] or f"{len(set(blocks) - {-1})} blocks"
        write(picture, head, _EDGE, _EDGE, _ALARM if info["violations"] else _TEXT)
        time = f"{time_ns / 1e9:.2f} s"
        write_legend(picture, _KEY, _LOG - 60, _EDGE, 1.7)
        write(picture, time, _WIDTH - _EDGE - width(time), _EDGE, _TEXT)
        for row, (state, block) in enumerate(zip(states, blocks, strict=True)):
            _draw(picture, _HEAD + row * _ROW, state, block)
        return picture


def _as_text(states: Replicas, info: Mapping[str, Any], time_ns: int) -> str:
    lines = [f"t = {time_ns / 1e9:.3f} s"]
    for state, block in zip(states, states.blocks, strict=True):
        where = f"block {block}" if state.active else "stopped"
        entries = " ".join(f"{entry.term}:{entry.request}" for entry in state.log)
        committed = f"committed {len(state.committed)}"
        lines.append(
            f"replica {state.id} ({where}): {_describe(state)}, {committed}, log {entries}"
        )
    return "\n".join([*lines, *filter(None, info["violations"].split("\n"))])


def _describe(state: RaftState | TendermintState) -> str:
    if isinstance(state, TendermintState):
        step = state.step.name.lower() if state.active else "stopped"
        return f"{step} height {state.height} round {state.round}"
    role = state.state.name.lower() if state.active else "stopped"
    return f"{role} term {state.term} vote {state.vote}"


def _draw(picture: Picture, top: int, state: RaftState | TendermintState, block: int) -> None:
    if state.active:
        picture[top : top + _ROW - 2, _EDGE : _WIDTH - _EDGE] = _BLOCKS[block % len(_BLOCKS)]
    write(
        picture,
        f"{state.id} {_describe(state)}",
        2 * _EDGE,
        top + 6,
        _TEXT if state.active else _FAINT,
    )
    for index, entry in enumerate(state.log):
        left = _LOG + index * _CELL
        if left + _CELL > _WIDTH - _EDGE:
            break
        color = _COMMITTED if index < len(state.committed) else _OPEN
        picture[top + 3 : top + _ROW - 5, left : left + _CELL - 2] = color
        write(picture, f"{entry.term % 10}", left + 2, top + 6, (255, 255, 255))
