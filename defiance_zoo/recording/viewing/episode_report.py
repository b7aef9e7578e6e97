# SPDX-License-Identifier: GPL-2.0-only
"""The report of one or two episodes, a self-contained HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from defiance_zoo.bridge.system.whole_files import write_whole
from defiance_zoo.recording import Episode, read_episode
from defiance_zoo.recording.viewing.page_assembly import assemble
from defiance_zoo.recording.viewing.report_data import report_data


def episode_page(episodes: Sequence[tuple[str, Episode]]) -> str:
    """Return the page of episodes, side by side over one axis of time.

    Args:
        episodes: Title and episode, as `read_episode()` returns it.
    """
    names = [label for label, _ in episodes]
    data = {"format": 1, "episodes": [report_data(each, label) for label, each in episodes]}
    return assemble(" and ".join(names), "report.js", data)


def write_report(folders: Sequence[Path], out: Path) -> None:
    """Write the report of episodes.

    Args:
        folders: Folders of one or two recorded episodes.
        out: The file, which is written as a whole.

    Raises:
        InvalidRecording: A folder holds no episode, or a damaged one; nothing is written.
        OtherVersion: An episode is of another version of the format.
    """
    episodes = [(_label(each), read_episode(each)) for each in folders]
    write_whole(out, episode_page(episodes))


def _label(folder: Path) -> str:
    """Return the name of an episode's folder, after its parent's name."""
    path = Path(os.path.realpath(folder))  # also for a circle of links
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name
