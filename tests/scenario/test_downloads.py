# SPDX-License-Identifier: GPL-2.0-only
"""Downloads take the time of TCP's closed form, and links have the capacity of a trace."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scenario_files import RUNNER, play_file

PROGRAM = Path(__file__).with_name("programs") / "downloads.py"
SEGMENT, FRAME, ACK, REQUEST = 1448, 1502, 54, 254
"""Bytes of a full segment; with headers of TCP (with timestamps), IPv4 and PPP; of an
acknowledgement; of a request of 200 bytes."""


def play(*arguments: str) -> list[float]:
    """Return the end of each download, in s."""
    return [float(line.split()[2]) for line in play_file(PROGRAM, *arguments)]


def expected(
    size: int, rate: float, delay: float, *, window: float = 10, opens: bool = True
) -> float:
    """Return the expected duration of a download, in s.

    There is an acknowledgement for two segments, and the window grows by the acknowledged bytes.
    Between two windows the server waits, unless the first one fills the link for a round trip.
    """
    frame, ack = 8 * FRAME / rate, 8 * ACK / rate
    segments = size / SEGMENT
    time = 2 * delay + 8 * REQUEST / rate + segments * frame
    if opens:
        time += 2 * delay + 16 * ACK / rate
    sent = window
    while sent < segments:
        time += max(0.0, 2 * delay + 2 * frame + ack - window * frame)
        window *= 2
        sent += window
    return time


@pytest.mark.parametrize(
    ("size", "rate", "delay"), [(2_000_000, 5e6, 0.02), (150_000, 0.3e6, 0.04), (10**6, 3e6, 0.04)]
)
def test_the_duration_of_a_download_equals_the_closed_form(
    size: int, rate: float, delay: float
) -> None:
    (done,) = play(f"--sizes={size}", f"--rate={rate:.0f}bps", f"--delay={delay}s")
    assert done == pytest.approx(expected(size, rate, delay), rel=0.01)


@pytest.mark.parametrize("chained", ["true", "false"])
def test_a_persistent_connection_keeps_its_window(chained: str) -> None:
    """Only the first download opens the connection, and begins in slow start."""
    given = ("--sizes=1000000,500000,1000000", "--rate=5Mbps", f"--chained={chained}")
    durations = np.diff([0.0, *play(*given)])
    later = [expected(size, 5e6, 0.02, window=1e9, opens=False) for size in (500_000, 10**6)]
    assert durations == pytest.approx([expected(10**6, 5e6, 0.02), *later], rel=0.01)
    each = np.diff([0.0, *play(*given, "--persistent=false")])
    assert each[2] == pytest.approx(each[0], rel=1e-3)
    assert each[2] > durations[2] + 0.05  # a round trip time to connect, and slow start


def test_an_aborted_connection_ends_the_episode() -> None:
    done = subprocess.run(
        [sys.executable, RUNNER, PROGRAM, "--lost=true"],
        check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 1
    assert "The download of 1000000 bytes from node 0 to node 1 ended after 0 bytes" in done.stderr
    assert "was not accepted" in done.stderr


@pytest.mark.parametrize("size", [0, -5])
def test_a_download_of_no_bytes_is_refused(size: int) -> None:
    done = subprocess.run(
        [sys.executable, RUNNER, PROGRAM, f"--sizes={size}"],
        check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert f"a download has at least one byte, not {size}" in done.stderr
    assert "programs/downloads.py" in done.stderr


def write_trace(file: Path, rates: list[float]) -> None:
    """Write a trace of rates in bit/s, for a second each."""
    bits = np.cumsum(np.repeat(rates, 1000)) / 1000
    times = np.searchsorted(bits, 12_000 * np.arange(1, int(bits[-1] // 12_000) + 1) - 1e-6) + 1
    file.write_text("".join(f"{time}\n" for time in times))


def test_a_link_has_the_capacity_of_its_trace(tmp_path: Path) -> None:
    """Five downloads follow the rates of a trace that repeats every 4 s."""
    rates, file = [4e6, 0.5e6, 2e6, 1.5e6], tmp_path / "some.trace"
    write_trace(file, rates)
    sizes = [500_000] * 20
    done = play(f"--capacity={file}", f"--sizes={','.join(map(str, sizes))}", "--delay=1ms")
    wire = np.cumsum(sizes) * 1500 / SEGMENT
    carried = [np.interp(t, np.arange(81), np.cumsum([0, *rates * 20]) / 8) for t in done]
    assert carried == pytest.approx(wire, rel=0.01, abs=20_000)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5\n3\n", "goes back from 5 to 3 ms in line 2"),
        ("0\n", "must end above 0 ms"),
        ("a\n", "has 'a' in line 1"),
        (None, "cannot be read"),
    ],
)
def test_a_bad_trace_is_refused(text: str | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.trace"
    if text is not None:
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, RUNNER, PROGRAM, f"--capacity={file}"],
        check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"ValueError: {file} {words}" in done.stderr
