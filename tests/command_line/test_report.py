# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo report`: files of episodes, and refused arguments."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_calls import call
from episode_files import write_episode


def data_of(page: Path) -> Any:
    """Return the data of a page."""
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found is not None
    return json.loads(found[1])["episodes"]


def numbers(column: dict[str, str]) -> Any:
    return np.frombuffer(base64.b64decode(column["base64"]), column["type"]).tolist()


def test_an_episode_becomes_one_html_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_episode(tmp_path / "episodes" / "by-hand-000001")
    monkeypatch.chdir(tmp_path)
    status, said, _ = call("report", folder)
    assert (status, said) == (0, "by-hand-000001.html\n")
    (episode,) = data_of(tmp_path / "by-hand-000001.html")
    assert episode["label"] == "episodes/by-hand-000001"
    car, tower = episode["agents"]
    assert numbers(car["groups"]["action"][0]["values"])[:4] == [0, 1, 2, 0]
    names = [each["name"] for each in tower["groups"]["observation"]]
    assert names == ["queue", "rate[0]", "rate[1]"]
    assert len(numbers(tower["time"])) == 21
    assert episode["events"][1]["text"] == "from <b>tower</b>, to\nrouter"
    assert numbers(episode["topology"]["application_moves"]["node"]) == [2]
    assert len(numbers(episode["topology"]["moves"][1]["x"])) == 40
    assert [each["lost"] for each in episode["channels"]] == [2, 3]
    assert "<b>tower" not in (tmp_path / "by-hand-000001.html").read_text()


def test_a_complete_and_a_running_episode_share_a_page(tmp_path: Path) -> None:
    one, other = write_episode(tmp_path / "one"), write_episode(tmp_path / "other", parts=2)
    page = tmp_path / "page.html"
    assert call("report", one, other, "--out", page)[0] == 0
    first, second = data_of(page)
    assert len(numbers(first["rounds"])) == 41
    assert len(numbers(second["rounds"])) == 10
    assert any("killed" in each for each in second["missing"])


def test_anything_but_an_episode_is_refused_and_no_file_written(tmp_path: Path) -> None:
    page, folder = tmp_path / "page.html", write_episode(tmp_path / "one")
    (folder / "steps.parquet").write_bytes(b"PAR1")
    for wrong, words in ((folder, "damaged"), (tmp_path, "not a recorded episode")):
        status, _, said = call("report", wrong, "--out", page)
        assert (status, page.exists()) == (2, False)
        assert words in said
    assert call("report", folder, folder, folder)[0] == 2
    assert call("report", folder, "--out", tmp_path / "nowhere" / "page.html")[0] == 2
