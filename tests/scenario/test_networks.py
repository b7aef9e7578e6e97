# SPDX-License-Identifier: GPL-2.0-only
"""Networks in Python: ns-3's tutorials, Mininet's topologies, libraries of one's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAMS as BUILT

PROGRAMS = Path(__file__).with_name("programs")
ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "examples" / "ns3_tutorials"
CPP_LINES = {"first": 67, "second": 112, "third": 173}
"""Of ns-3 3.44's examples/tutorial/*.cc, without empty lines and comments at the top."""


def run(file: Path, *arguments: str, **variables: str) -> list[str]:
    """Play an episode of a file by itself, and return what it prints."""
    runner = ROOT / "defiance_zoo" / "scenario" / "__main__.py"
    done = subprocess.run(
        [sys.executable, runner, file, *arguments],
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "out_ms", "back_ms"),
    [
        ("first", (2.2, 2.3), (4.4, 4.5)),
        ("second", (2.2, 9.0), (4.4, 20.0)),
        ("third", (2.2, 30), (4.4, 60)),
    ],
)
def test_tutorials(name: str, out_ms: tuple[float, float], back_ms: tuple[float, float]) -> None:
    """The packet takes the link's delay and the time of its 130 bytes at 5 Mbit/s, and returns."""
    file = TUTORIALS / f"{name}.py"
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    assert len(lines) <= CPP_LINES[name] / 2
    there, back = (line.split(": ") for line in run(file))
    assert there[1] == "100 bytes at the server"
    assert back[1] == "100 bytes at the client"
    for (time, _), (least, most) in ((there, out_ms), (back, back_ms)):
        value, unit = (time[:-2], 1e-3) if time.endswith("us") else (time[:-2], 1e-6)
        assert least <= float(value) * unit - 2000 <= most


@pytest.mark.parametrize(
    ("topology", "hosts", "links"), [("single", 4, 2), ("linear", 4, 5), ("tree", 9, 4)]
)
def test_topologies(topology: str, hosts: int, links: int) -> None:
    """An echo passes each link of its way twice, of 5 ms each; the first asks for addresses."""
    echoes = [line.split() for line in run(PROGRAMS / "mininet.py", f"--topology={topology}")]
    assert len(echoes) >= 9
    for count, took_ms in echoes[1:-1]:
        assert int(count) == hosts
        assert 2 * links * 5 < float(took_ms) < 2 * links * 5.5


def test_topologies_lose_packets() -> None:
    every = run(PROGRAMS / "mininet.py")
    some = run(PROGRAMS / "mininet.py", "--loss=5")
    assert 0 < len([line for line in some if line.startswith("4 ")]) < len(every)


def test_own_libraries() -> None:
    library = BUILT / "libtest_counter.so"
    printed = run(PROGRAMS / "mixed.py", COUNTER_LIBRARY=str(library))
    assert printed[:3] == ["3", "6", "9"]


def test_modules_are_loaded_by_name(tmp_path: Path) -> None:
    file = tmp_path / "olsr.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('olsr')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    try:\n"
        "        sc.load_module('olsrr')\n"
        "    except LookupError as error:\n"
        "        print(error)\n"
        "    sc.load_module('olsr')\n"
        "    print(sc.create('ns3::olsr::RoutingProtocol').type)\n"
    )
    said, made = run(file, "--duration=0s")
    assert "did you mean 'olsr'?" in said
    assert made == "ns3::olsr::RoutingProtocol"
