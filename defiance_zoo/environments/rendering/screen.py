# SPDX-License-Identifier: GPL-2.0-only
"""The screen of `render_mode="human"`: a window where there is a display, else the terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any

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
