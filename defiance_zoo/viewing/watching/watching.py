# SPDX-License-Identifier: GPL-2.0-only
"""Serving the page of a run, as long as the run is under way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from defiance_zoo.viewing.watching.run_view import RunView
from defiance_zoo.viewing.watching.server import WatchServer

_LOOK_EVERY_S = 0.5
_LAST_S = 6.0
"""After the end of a run, the page has so long to ask for the last state and the last episode."""


def watch(run: Path, *, port: int, stay: bool, announce: Callable[[str, bool], None]) -> None:
    """Serve the page of a run on 127.0.0.1 until the run ends, or until KeyboardInterrupt.

    Nothing is written, and nothing of the run is touched. A run that is not under way is served
    until KeyboardInterrupt.

    Args:
        run: Its folder.
        port: 0: any that is free.
        stay: Go on after the end of the run.
        announce: Told the address of the page, and whether the run is under way.

    Raises:
        ParameterError: There is no such run, or the port cannot be had.
    """
    view = RunView(run)
    with WatchServer(port, view.answers(), view.answered) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,))
        thread.start()
        try:
            under_way = view.is_under_way
            announce(server.url, under_way)
            while stay or not under_way or view.is_under_way:
                time.sleep(_LOOK_EVERY_S)
                under_way = under_way or view.is_under_way
            view.close()
            while not view.told_the_end.wait(_LAST_S) and server.is_answering:
                pass
        finally:
            server.shutdown()
            thread.join()
