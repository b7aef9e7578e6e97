# SPDX-License-Identifier: GPL-2.0-only
"""LTE in Python: radio and energy by formula, handovers, cells that sleep and wake, bearers."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scenario_files import RUNNER, play_file

PROGRAM = Path(__file__).with_name("programs") / "lte.py"
DISTANCE, USERS = 500.0, (60.0, 400.0)
"""Distances of cell 1, and of the users, from cell 0 in m."""
QUICK = "--report_filter=0"

Moment = dict[str, Any]


def play(*arguments: str) -> list[Moment]:
    """Return the measurements of every 100 ms."""
    return [json.loads(line) for line in play_file(PROGRAM, *arguments)]


def at(moments: list[Moment], time: float) -> Moment:
    """Return the measurements at a time in s."""
    (found,) = (each for each in moments if each["time"] == pytest.approx(time))
    return found


def received(power: float, distance: float, exponent: float = 2.0) -> float:
    """Return the power in dBm that a user receives: Friis up to 1 m, then by the exponent."""
    wavelength = 299792458 / 2.12e9
    return power - 20 * math.log10(4 * math.pi / wavelength) - 10 * exponent * math.log10(distance)


def expected_sinr(own: float, other: float, blocks: int = 25) -> float:
    """Return the SINR in dB for received powers in dBm, with noise of 9 dB over -174 dBm/Hz."""
    noise = -174 + 9 + 10 * math.log10(blocks * 180e3)
    return own - 10 * math.log10(10 ** (other / 10) + 10 ** (noise / 10))


@pytest.mark.parametrize(("blocks", "exponent"), [(25, 2.0), (6, 3.5)])
def test_sinr_and_rsrp_equal_the_formula(blocks: int, exponent: float) -> None:
    """Before and after the power of cell 1 changes from 43 to 30 dBm."""
    moments = play(
        f"--blocks={blocks}", f"--exponent={exponent}", "--duration=1200ms",
        "--orders=0.65:setattr(cells[1],'power',30)",
    )  # fmt: skip
    for time, power in ((0.6, 43.0), (1.2, 30.0)):
        for number, user in enumerate(at(moments, time)["users"]):
            powers = 43.0, power
            heard = [
                received(each, distance, exponent)
                for each, distance in zip(
                    powers, (USERS[number], DISTANCE - USERS[number]), strict=True
                )
            ]
            own, other = heard if number == 0 else heard[::-1]
            assert user["cell"] == number
            assert user["sinr"] == pytest.approx(expected_sinr(own, other, blocks), abs=1e-3)
            element = own - 10 * math.log10(12 * blocks)
            assert user["rsrp"] == pytest.approx(element, abs=1e-3)
            if time == 0.6:
                assert user["report"][str(number)][0] == math.floor(element)


def test_energy_equals_the_formula() -> None:
    """Idle cell 1, and cell 0 with traffic: awake, asleep, waking, awake."""
    orders = "--orders=1:cells[0].sleep('100ms');2:cells[0].wake('500ms');3:cells[0].sleep('0s')"
    moments = play("--users=60", "--duration=4s", QUICK, orders)
    idle, watts, asleep = 6 * 130.0, 6 * 4.7 * 10 ** (43 / 10 - 3), 6 * 75.0
    for moment in moments:
        time = moment["time"]
        quiet, other = moment["cells"]
        slept = min(max(time - 1.1, 0.0), 0.9) + max(time - 3.0, 0.0)
        spent = idle * (time - slept) + asleep * slept
        assert quiet["energy"] == pytest.approx(spent + watts * quiet["busy"] / 1e3, rel=1e-3)
        assert other["energy"] == pytest.approx(idle * time + watts * other["busy"] / 1e3, rel=1e-3)
    assert at(moments, 1.0)["cells"][0]["busy"] > 200


def test_a_sleeping_cell_hands_over_its_users_and_serves_after_its_delay() -> None:
    """Meanwhile cell 1 serves user 0 with its traffic; the user returns after the delay."""
    moments = play(QUICK, "--duration=4s", "--orders=1:cells[0].sleep();2:cells[0].wake('1s')")
    for moment in moments:
        time, user, cell = moment["time"], moment["users"][0], moment["cells"][0]
        asleep = 1.05 < time < 3.0
        assert user["failures"] == 0
        if asleep:
            assert (user["cell"], cell["users"]) == (1, 0)
            assert user["sinr"] == pytest.approx(
                expected_sinr(received(43, DISTANCE - 60), received(-70, 60)), abs=1e-3
            )
    assert at(moments, 1.0)["cells"][0]["busy"] == at(moments, 3.0)["cells"][0]["busy"]
    last = moments[-1]["users"][0]
    assert (last["cell"], last["handovers"]) == (0, 2)
    carried = [at(moments, time)["users"][0]["bytes"] for time in (1.5, 2.5, 3.6, 3.9)]
    assert carried[1] - carried[0] == pytest.approx(125_000, abs=1000)
    assert carried[3] - carried[2] == pytest.approx(37_500, abs=1000)


def test_a_user_without_another_cell_is_lost_and_found() -> None:
    moments = play(
        "--users=60", "--exponent=4", "--distance=5000", "--duration=4.5s",
        "--orders=0.5:cells[0].sleep();2.7:cells[0].wake('500ms')",
    )  # fmt: skip
    states = [
        (each["users"][0]["cell"], each["users"][0]["failures"]) for each in (
            at(moments, time) for time in (0.4, 3.1, 4.5)
        )
    ]  # fmt: skip
    assert states == [(0, 0), (None, 1), (0, 1)]
    carried = [at(moments, time)["users"][0]["bytes"] for time in (0.6, 3.1, 4.5)]
    assert carried[0] == carried[1] < carried[2]


def test_a_sleep_is_cancelled_by_a_wake_up_before_the_cell_sleeps() -> None:
    orders = "--orders=1:cells[0].sleep('200ms');1.1:cells[0].wake('1s')"
    moments = play("--users=60", "--distance=1000000", "--duration=2s", orders)
    assert {each["users"][0]["sinr"] for each in moments[2:]} == {
        at(moments, 0.9)["users"][0]["sinr"]
    }
    assert moments[-1]["users"][0]["failures"] == 0


def test_users_report_at_their_interval() -> None:
    moments = play("--duration=4s")
    for user in range(2):
        early, late = (at(moments, time)["users"][user]["reports"] for time in (1.0, 3.4))
        assert late - early == 10  # every 240 ms


def test_a_server_behind_the_gateway_is_reached_over_tcp() -> None:
    """A user downloads 500 kB with all headers at the rate of its cell, not faster."""
    (done,) = map(float, play_file(PROGRAM.with_name("lte_download.py")))
    rate = 4.392e6  # of 6 blocks with the best modulation: 549 bytes in a subframe
    assert 8 * 500_000 * 1.04 / rate < done < 1.3 * 8 * 500_000 * 1.04 / rate


def test_users_are_handed_over_when_ordered() -> None:
    given = ("--duration=1200ms", "--users=200,400", "--algorithm=ns3::NoOpHandoverAlgorithm")
    orders = "--orders=0.5:users[0].hand_over(cells[1])"
    end = play(*given, orders)[-1]["users"]
    assert [(user["cell"], user["handovers"]) for user in end] == [(1, 1), (1, 0)]
    assert [user["cell"] for user in play(*given)[-1]["users"]] == [0, 1]


def test_a_bearer_has_its_guaranteed_rate() -> None:
    """Both users request more than the cell's capacity, and one of them has a bearer."""
    given = (
        "--users=60,60", "--blocks=6", "--rate=5Mbps", "--duration=2s",
        "--scheduler=ns3::PssFfMacScheduler",
    )  # fmt: skip
    rates = []
    for guaranteed in ("0bps", "3Mbps"):
        moments = play(*given, f"--guaranteed={guaranteed}")
        early, late = (at(moments, time)["users"] for time in (1.0, 2.0))
        rates.append([8e-6 * (b["bytes"] - a["bytes"]) for a, b in zip(early, late, strict=True)])
    assert rates[0][0] == pytest.approx(rates[0][1], rel=0.05)
    assert rates[1][0] > 1.2 * rates[1][1]


def test_equal_seeds_give_equal_measurements() -> None:
    given = ("--duration=2s", "--orders=0.5:cells[0].sleep()", "--rate=8Mbps")
    assert play(*given) == play(*given)


LINKED = "sc.point_to_point(*sc.nodes(2, internet=True), network='7.0.0.0/24')"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("sc.lte(a, b)", "has no position"),
        ("sc.lte(a, b, power=50)", "power=50 must be from -40 to 43.0 dBm"),
        ("sc.lte(a, b, resource_blocks=20)", "resource_blocks=20 is not an LTE bandwidth"),
        ("sc.lte(a, b, attach=[1])", "attach=.1. must be one of 1 cells for each of 1 users"),
        ("sc.lte(a, [])", "1 to 30 users, not 1 cells and 0 users"),
        ("sc.lte(a, b, power_model='makro')", "'makro' is not one of .*did you mean 'macro'"),
        ("sc.lte(a, b, algorithm='ns3::A3RsrpHandover')", "A3RsrpHandoverAlgorithm"),
        (
            "sc.lte(a, b, scheduler='ns3::PacketSink')",
            "PacketSink does not derive from ns3::FfMacScheduler",
        ),
        ("sc.lte(a, b, report_interval=100)", "report_interval=100 must be 120"),
        ("sc.lte(a, b, report_filter=20)", "report_filter=20 is not one of"),
        ("sc.lte(a, b, path_loss_exponent=1)", "path_loss_exponent=1 must be from 2 to 6"),
        ("sc.lte(a, b); sc.lte(a, b)", "an episode has one LTE network"),
        ("sc.lte(a, b).add_bearer(None, 0)", "port=0"),
        (f"{LINKED}; sc.lte(a, b)", r"7\.0\.0\.1 of 7\.0\.0\.0/8 has been assigned before"),
        (f"sc.lte(a, b); {LINKED}", r"7\.0\.0\.1 of 7\.0\.0\.0/24 has been assigned before"),
    ],
)
def test_invalid_arguments_are_refused(tmp_path: Path, call: str, words: str) -> None:
    place = "" if "position" in words else "sc.place([*a, *b], [(0, 0), (50, 0)])"
    file = tmp_path / "refused_lte.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('refused_lte')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    a, b = sc.nodes(1), sc.nodes(1)\n"
        f"    {place}\n"
        f"    {call}\n"
    )
    done = subprocess.run(
        [sys.executable, RUNNER, file], check=False, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 1
    assert re.search(words, done.stderr), done.stderr
    assert "refused_lte.py" in done.stderr
