# SPDX-License-Identifier: GPL-2.0-only
"""Networks in Python: ns-3's tutorials, Mininet's topologies, libraries of users."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import PROGRAMS as BUILT
from scenario_files import play_file

PROGRAMS = Path(__file__).with_name("programs")
ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "examples" / "ns3_tutorials"
MININET = ROOT / "examples" / "mininet_topologies"


def test_the_first_tutorial_has_ns3s_results() -> None:
    """The delay, and 1054 bytes at 5 Mbit/s, in each direction, as ns-3's tutorial prints them."""
    assert play_file(TUTORIALS / "first.py") == [
        "At time +2.00369s server received 1024 bytes",
        "At time +2.00737s client received 1024 bytes",
    ]


def test_the_third_tutorial_has_ns3s_results(tmp_path: Path) -> None:
    """Over Wi-Fi, a link and a cable, where ARP requests have a random delay."""
    there, back = play_file(TUTORIALS / "third.py", "--tracing=1", cwd=tmp_path)
    for line, who, least, most in (
        (there, "server", 2.0037, 2.04),
        (back, "client", 2.0074, 2.07),
    ):
        time = float(line.removeprefix("At time +").removesuffix(f"s {who} received 1024 bytes"))
        assert least < time < most
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"third-{device}.pcap" for device in ("0-1", "1-1", "0-2", "1-2")}


@pytest.mark.parametrize(
    ("topology", "hosts", "links"), [("single", 4, 2), ("linear", 4, 5), ("tree", 9, 4)]
)
def test_echoes_cross_each_topology(topology: str, hosts: int, links: int) -> None:
    """An echo crosses each link of its path twice, in 5 ms each; the first one waits for ARP."""
    echoes = [line.split() for line in play_file(PROGRAMS / "mininet.py", f"--topology={topology}")]
    assert len(echoes) >= 9
    for count, took_ms in echoes[1:-1]:
        assert int(count) == hosts
        assert 2 * links * 5 < float(took_ms) < 2 * links * 5.5


def test_topologies_lose_packets() -> None:
    every = play_file(PROGRAMS / "mininet.py")
    some = play_file(PROGRAMS / "mininet.py", "--loss=5")
    assert 0 < len([line for line in some if line.startswith("4 ")]) < len(every)


def test_topologies_and_links_have_different_addresses(tmp_path: Path) -> None:
    """In any order; the following ones leave out addresses given by the user."""
    file = tmp_path / "addresses.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('addresses')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    print(*(host.address() for host in sc.single(2)))\n"
        "    print(*sc.point_to_point(*sc.nodes(2, internet=True)).addresses)\n"
        "    print(*(host.address() for host in sc.linear(2)))\n"
        "    sc.csma(sc.nodes(2, internet=True), network='10.3.0.0/24')\n"
        "    print(*sc.point_to_point(*sc.nodes(2, internet=True)).addresses)\n"
        "    print(*(host.address() for host in sc.tree(1, 3, network='10.9.0.0/16')))\n"
    )
    assert play_file(file, "--duration=0s") == [
        "10.0.0.1 10.0.0.2",
        "10.1.0.1 10.1.0.2",
        "10.2.0.1 10.2.0.2",
        "10.3.1.1 10.3.1.2",
        "10.9.0.1 10.9.0.2 10.9.0.3",
    ]


def test_a_link_of_many_devices_has_a_wide_enough_network(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    file.write_text(
        "import defiance_zoo.scenario as sc\n"
        "sim = sc.Simulation('wide')\n"
        "@sim.episode\n"
        "def build(p):\n"
        "    for count in (254, 255, 1000, 2):\n"
        "        link = sc.csma(sc.nodes(count, internet=True))\n"
        "        print(link.addresses[0], link.addresses[-1], len(set(link.addresses)))\n"
    )
    assert play_file(file, "--duration=0s") == [
        "10.0.0.1 10.0.0.254 254",
        "10.0.2.1 10.0.2.255 255",
        "10.0.4.1 10.0.7.232 1000",
        "10.0.8.1 10.0.8.2 2",
    ]


def test_bandwidth_on_a_switch_is_as_computed_by_hand() -> None:
    """Of 10 Mbit/s, 512 of 540 bytes are payload; each of two links loses a tenth of them."""
    rate, unit = play_file(MININET / "single_switch.py")[0].split(" ", 1)
    assert unit == "Mbit/s"
    assert float(rate) == pytest.approx(10 * 512 / 540 * 0.9**2, rel=0.02)


def test_bandwidth_in_a_row_is_as_computed_by_hand() -> None:
    """TCP sends at most its buffers of 128 kB in a round trip time, and less in slow start."""
    lines = play_file(MININET / "linear.py", "--switches=2", "--bw=10")
    for links, line in enumerate(lines[:2], 2):
        most = 131072 * 8 / (2 * links * 0.03) / 1e6
        assert 0.7 * most < float(line.split()[2]) < most


def test_pings_in_a_tree_cross_its_links() -> None:
    assert play_file(MININET / "tree.py", "--fanout=3")[0] == "72 pings: 0% packet loss"


def test_an_echo_crosses_two_switches() -> None:
    play_file(MININET / "two_switches.py")


def test_libraries_of_users_are_loaded() -> None:
    library = BUILT / "libtest_counter.so"
    printed = play_file(PROGRAMS / "mixed.py", COUNTER_LIBRARY=str(library))
    assert printed[:3] == ["3", "6", "9"]
    until = [line.startswith("in all") for line in printed].index(True)
    assert printed[until] == f"in all {until} {printed[until - 1]}"


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
    said, made = play_file(file, "--duration=0s")
    assert "did you mean 'olsr'?" in said
    assert made == "ns3::olsr::RoutingProtocol"
