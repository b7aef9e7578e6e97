# SPDX-License-Identifier: GPL-2.0-only
"""Folders of runs made by hand, as training writes them."""

from __future__ import annotations

import csv
import json
import threading
from pathlib import Path

from made_episodes import MARKUP

from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.recording.viewing.watching import watch


def made_run(folder: Path, *, rows: int, state: str = "training") -> Path:
    """Write a run of ten decisions a row, of a process that has ended, and return its folder."""
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(to_yaml(RunConfig(env="cart_pole_v0", steps=1000)))
    with (folder / "metrics.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["steps", "episodes", "return/mean", f"return/{MARKUP}", "failures"])
        writer.writerows([10 * (i + 1), i, 2.5 * i, i, 0] for i in range(rows))
    gone = {"pid": 2**22 + 1, "process_began": 0.0}
    told = {"state": state, "steps": 10 * rows, "until": 1000, **gone}
    (folder / "status.json").write_text(json.dumps(told))
    return folder


def watch_beside(run: Path) -> tuple[str, threading.Thread]:
    """Watch a running run in a thread; return the address of its page, and the thread."""
    told: list[str] = []
    announced = threading.Event()

    def announce(url: str, under_way: bool) -> None:
        assert under_way
        told.append(url)
        announced.set()

    arguments = {"port": 0, "stay": False, "announce": announce}
    thread = threading.Thread(target=watch, args=(run,), kwargs=arguments)
    thread.start()
    assert announced.wait(20)
    return told[0], thread
