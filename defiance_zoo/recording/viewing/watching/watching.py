# SPDX-License-Identifier: GPL-2.0-only
"""Serving the page of a run as long as it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from defiance_zoo.experiments.training.folder import CONFIG, RunFolder
from defiance_zoo.experiments.training.status import read_status
from defiance_zoo.recording.viewing.watching.run_view import RunView
from defiance_zoo.recording.viewing.watching.server import WatchServer

_LOOK_EVERY_S = 0.5
_LAST_S = 6.0
"""Time after the end of a run in which the page can request the last state and episode."""
_FOLDER_S = 10.0
"""Time limit for a training to make its folder."""
_BEGUN_S = 60.0
"""Time limit for a training to write its description after that."""
_NEWS_EVERY_S = 0.05


def watch(
    run: Path,
    *,
    port: int,
    stay: bool,
    announce: Callable[[str, bool], None],
    waiting: Callable[[], None] = lambda: None,
) -> None:
    """Serve the page of a run on 127.0.0.1 until the run ends, or until KeyboardInterrupt.

    The function only reads. A run that has ended is served until KeyboardInterrupt. The function
    waits for a training that has just been started: ten seconds for its folder, and a minute for
    its description.

    Args:
        run: Folder of the run.
        port: 0: any that is free.
        stay: Continue after the end of the run.
        announce: Called with the address of the page, and whether the run is in progress.
        waiting: Called before the function waits for a run.

    Raises:
        ParameterError: There is no such run, or the port cannot be used.
    """
    _await_beginning(run, waiting)
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
            while not view.end_confirmed.wait(_LAST_S) and server.is_answering:
                pass
        finally:
            server.shutdown()
            thread.join()


def _await_beginning(run: Path, waiting: Callable[[], None]) -> None:
    """Wait for a run that is about to begin; return at once if there is none."""
    if run.exists() and not RunFolder.is_being_made(run):
        return
    waiting()
    _wait(_FOLDER_S, lambda: not run.exists())
    _wait(_BEGUN_S, lambda: RunFolder.is_being_made(run))
    # A run writes its activity right after its description.
    _wait(_FOLDER_S, lambda: (run / CONFIG).exists() and read_status(run) is None)


def _wait(limit_s: float, goes_on: Callable[[], bool]) -> None:
    until = time.monotonic() + limit_s
    while goes_on() and time.monotonic() < until:
        time.sleep(_NEWS_EVERY_S)
