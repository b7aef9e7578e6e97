# SPDX-License-Identifier: GPL-2.0-only
"""A waterfall of channels over time: measured energy, senders and successes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.lettering import Picture, width, write, write_legend

_WIDTH, _LEFT, _EDGE = 600, 120, 8  # in pixels
_HEAD, _ROW, _ROWS = 52, 16, 24  # rows have the height of their texts
_TEXT, _FAINT, _QUIET = (60, 60, 60), (150, 150, 150), (238, 240, 246)
_LOUD = (250, 170, 30)
_RECEIVED, _LOST = (0, 130, 95), (190, 50, 0)
_LINES = 16  # lines of text
_FULL_SCALE = 60.0  # in dB, as observed
_SIGNAL_LEVEL = 6.0  # in dB above the noise: minimum energy of a signal in text


@dataclass
class Slot:
    """The known facts of a slot."""

    energy: np.ndarray[Any, Any]  # maximum measured in each channel, in dB above the noise
    sent: dict[int, int] = field(default_factory=dict)  # from senders to channels
    received: set[int] = field(default_factory=set)  # senders whose frames were received


def read_slots(views: Mapping[str, AgentView], now_ns: int) -> dict[int, Slot]:
    """Return slots by their end in ns, from the agents' earlier and last infos."""
    slots: dict[int, Slot] = {}
    for number, view in enumerate(views.values()):
        for time_ns, info in _shown_infos(view, now_ns):
            if "energy" in info and time_ns > 0:
                _read_slot(slots, time_ns, number, info)
    return dict(sorted(slots.items()))


def _shown_infos(view: AgentView, now_ns: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for past in view.past:
        yield past.time_ns, past.info
    if view.end:
        yield now_ns, view.info


def _read_slot(slots: dict[int, Slot], time_ns: int, number: int, info: Mapping[str, Any]) -> None:
    energy = np.reshape(info["energy"], (-1, int(info["channels"])))
    slot = slots.setdefault(time_ns, Slot(np.zeros(energy.shape[1])))
    slot.energy = np.maximum(slot.energy, energy.max(axis=0))
    channels, successes = np.ravel(info["channel"]), np.ravel(info["success"])
    for offset, channel in enumerate(channels):
        if channel >= 0:
            slot.sent[number + offset] = int(channel)
            # A jammer has no successes; its info has the transmitter's.
            if successes[offset] and info.get("role") != "jammer":
                slot.received.add(number + offset)


class WaterfallRenderer(Renderer):
    """Draws a row for each slot, the newest at the bottom, and a column for each channel."""

    modes = ("ansi", "human", "rgb_array")
    remembers = _ROWS

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (444, 600, 3), uint8."""
        slots = read_slots(views, time_ns)
        if mode != "rgb_array":
            return _as_text(views, slots, time_ns)
        picture = np.full((_HEAD + _ROWS * _ROW + _EDGE, _WIDTH, 3), 255, np.uint8)
        _draw_head(picture, views, slots, time_ns)
        for row, (when, slot) in enumerate(list(slots.items())[-_ROWS:]):
            _draw_slot(picture, _HEAD + row * _ROW, when, slot)
        return picture


def _name(views: Mapping[str, AgentView], number: int) -> str:
    names = list(views)
    if number >= len(names):
        return f"radio {number}"
    role = views[names[number]].info.get("role")
    return f"{names[number]} ({role})" if role else names[number]


def _as_text(views: Mapping[str, AgentView], slots: Mapping[int, Slot], time_ns: int) -> str:
    lines = [f"t = {time_ns / 1e6:.3f} ms; a column is a channel: number of the sender, + received"]
    for when, slot in list(slots.items())[-_LINES:]:
        cells = [_cell(slot, channel) for channel in range(len(slot.energy))]
        lines.append(f"{when / 1e6:10.3f} |{'|'.join(cells)}|")
    lines += [f"{number}: {_name(views, number)}" for number in range(_count(slots))]
    return "\n".join(lines)


def _count(slots: Mapping[int, Slot]) -> int:
    return max((sender + 1 for slot in slots.values() for sender in slot.sent), default=0)


def _cell(slot: Slot, channel: int) -> str:
    senders = [sender for sender, where in slot.sent.items() if where == channel]
    loud = "#" if slot.energy[channel] >= _SIGNAL_LEVEL else " "
    if not senders:
        return f" {loud} "
    received = "+" if slot.received & set(senders) else " "
    who = str(senders[0]) if len(senders) == 1 else "*"
    return f"{who:>2}{received}"


def _draw_head(
    picture: Picture, views: Mapping[str, AgentView], slots: Mapping[int, Slot], time_ns: int
) -> None:
    sent = sum(len(slot.sent) for slot in slots.values())
    received = sum(len(slot.received) for slot in slots.values())
    jammers = any(view.info.get("role") == "jammer" for view in views.values())
    of = len(slots) if jammers else sent
    write(picture, f"received {received} of {of}", _EDGE, _EDGE, _TEXT)
    time = f"{time_ns / 1e6:.1f} ms"
    write(picture, time, _WIDTH - _EDGE - width(time), _EDGE, _TEXT)
    marks = {"energy": _LOUD, "received": _RECEIVED, "lost": _LOST}
    write_legend(picture, marks, 2 * _LEFT, _EDGE)
    write(picture, "ms", _EDGE, _HEAD - 20, _FAINT)
    last = list(slots.values())[-1:]
    for channel in range(len(last[0].energy) if last else 0):
        left, right = _column(channel, len(last[0].energy))
        text = f"channel {channel}"
        if right - left < width(text):
            text = f"{channel}"
        if right - left >= width(text):
            write(picture, text, left + 2, _HEAD - 20, _FAINT)


def _column(channel: int, channels: int) -> tuple[int, int]:
    span = _WIDTH - _LEFT - _EDGE
    return _LEFT + span * channel // channels, _LEFT + span * (channel + 1) // channels


def _draw_slot(picture: Picture, top: int, when: int, slot: Slot) -> None:
    write(picture, f"{when / 1e6:.1f}", _EDGE, top + 1, _FAINT)
    channels = len(slot.energy)
    for channel in range(channels):
        left, right = _column(channel, channels)
        share = float(np.clip(slot.energy[channel] / _FULL_SCALE, 0, 1))
        color = [round(q + share * (t - q)) for q, t in zip(_QUIET, _LOUD, strict=True)]
        picture[top : top + _ROW - 1, left : right - 1] = color
        senders = [sender for sender, where in slot.sent.items() if where == channel]
        for place, sender in enumerate(senders):
            _draw_sender(picture, top, left + 3 + place * 16, right, sender, slot)


def _draw_sender(
    picture: Picture, top: int, left: int, right: int, sender: int, slot: Slot
) -> None:
    if left + 14 > right:
        return
    color = _RECEIVED if sender in slot.received else _LOST
    picture[top : top + _ROW - 1, left : left + 14] = color
    write(picture, f"{sender % 10}", left + 2, top + 1, (255, 255, 255))
