# SPDX-License-Identifier: GPL-2.0-only
"""Parts of networks and of agents in Python: routes, IPv6, Wi-Fi, decisions, policies, ends."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest
from attached_simulations import Attached
from policy_files import write_policy
from scenario_files import play_file

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import ParameterError

ROOT = Path(__file__).resolve().parents[2]
PARTS = Path(__file__).with_name("programs") / "parts.py"
SPEC = EnvironmentSpec("parts_v0", Scenario.python("parts", PARTS))


def play_part(part: str, *arguments: str, **variables: str) -> list[str]:
    """Play a single part, and return its output without the line of each agent."""
    lines = play_file(PARTS, f"--part={part}", *arguments, **variables)
    return [line for line in lines if not re.match(r"agent_\d: ", line)]


def test_a_packet_arrives_when_both_routes_are_set() -> None:
    """Both ends need a route to each other."""
    assert play_part("route") == [
        "refused: the node does not reach 10.0.1.1 on any of its links",
        "refused: routes are for IPv4: '2001:db8::/64' is not an IPv4 network",
        "refused: the node has no Internet stack with static routes",
        "routes",
        "echo of 10.0.1.2",
    ]


def test_ipv6_works_next_to_ipv4() -> None:
    """Both use the same link; their flows are distinguished."""
    addresses, both, *echoes, forth, back, forth_6, back_6 = play_part("ipv6")
    one, other = addresses.split()
    assert one.startswith("2001:db8::")
    assert both == f"10.0.0.2 10.0.0.2 {other}"
    assert sorted(echoes) == ["echo of 10.0.0.2", f"echo of {other}"]
    assert forth == "10.0.0.1 10.0.0.2 9 1"
    assert back.startswith("10.0.0.2 10.0.0.1 ")
    assert forth_6 == f"{one} {other} 9 1"
    assert back_6.startswith(f"{other} {one} ")


def test_ad_hoc_wifi_and_its_trace_sources_work() -> None:
    """Nodes without an access point, and the frames reported by trace sources of Wi-Fi."""
    several, one, *told = play_part("ad_hoc")
    assert "no position" in several
    assert "no position" in one
    *malformed, missing = [told.pop(0) for _ in range(6)]
    assert all("is not a channel, such as '{36, 20, BAND_5GHZ, 0}'" in each for each in malformed)
    assert "No unique channel found" in missing
    mac, *echoes, heard, levels, acked, counted, psdus, sent, states = told
    assert mac == "ns3::AdhocWifiMac 10.0.0.1 10.0.0.2 10.0.0.3"
    assert echoes == ["echo of 10.0.0.2", "echo of 10.0.0.3"]
    assert heard == f"{100 + 8 + 20 + 8 + 24 + 4} 2412 DsssRate1Mbps 20.0"
    assert levels == "True"
    assert acked == "4 {False}"  # two packets and two ARP replies
    assert (counted, psdus) == ("4 True", "True")
    assert sent == "['CTL_ACK', 'DATA']"
    assert states == "['CCA_BUSY', 'IDLE', 'RX', 'TX']"


def test_known_trace_sources_have_their_declared_signatures() -> None:
    """Each is connected, and packets pass through it; the echo crosses a link and its queues."""
    connected, answered = play_part("traces", "--duration=2s")
    assert int(connected) > 200
    assert answered.startswith("echo of")


def test_queue_discs_drop_packets_by_their_rule() -> None:
    """RED drops early between its thresholds, and at its limit if they are out of reach."""
    *refusals, chosen, early, begun, late = play_part("queue_disc")
    assert [each.split(": ")[1][:8] for each in refusals] == ["ns3::Que"] + ["the devi"] * 2
    assert chosen == "True"
    assert early == "True"
    assert "the episode has begun" in begun
    assert late == "30 ['Dropped by internal queue']"


def test_routing_protocols_find_a_path_over_two_hops() -> None:
    """OLSR finds the path over a node in between, to which the first node has no other route."""
    *refusals, protocols, addressed, answered = play_part("routing", "--duration=12s")
    assert ["no Internet stack" in refusals[0], "is needed here, not" in refusals[1]] == [
        True,
        True,
    ]
    assert protocols == "3 500ms"
    assert "addresses already" in addressed
    assert answered == "echo of 10.0.1.2"


def test_mobility_models_continue_from_a_set_position() -> None:
    no_model, too_late, place = play_part("moving", "--duration=2s")
    assert "ns3::PacketSink is not a mobility model" in no_model
    assert "ConstantPositionMobilityModel already: move() comes before place()" in too_late
    assert place == "(2.0, 0.0, 0.0) (9.0, 9.0, 0.0)"


def test_decisions_in_a_call_take_effect_before_it_returns() -> None:
    """No simulated time passes."""
    assert play_part("request", "--policy=constant", "--action=7") == [
        "asked: 7, 0s later",
        "done when it is sent: [7]",
        "after its end: None",
    ]


@pytest.mark.parametrize("link", ["zmq", "local"])
def test_decisions_in_a_call_are_steps_of_the_environment(link: Any) -> None:
    """The reward of the scenario is the action given to the environment."""
    env = SPEC.raw_env(part="request", link=link)
    env.reset(seed=1)
    earned = {}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        earned[agent] = reward
        done = terminated or truncated
        assert done or observation.tolist() == [{"agent_0": 4, "agent_1": 3}[agent]]
        env.step(None if done else 5)
    assert earned == {"agent_0": 0, "agent_1": 5}
    env.close()


def test_moved_applications_send_from_their_new_node() -> None:
    """Observations leave from the application's node."""
    seen, sources = play_part("move_to")
    assert seen == "10 10 True"
    assert sources == "['10.0.0.1', '10.0.0.2']"


def test_policy_files_decide_in_a_python_scenario(tmp_path: Path) -> None:
    """The file acts 1 if the sum is positive; the observations are in the program."""
    file = write_policy(tmp_path / "policy.onnx", [1.0, 1.0])
    actions = [f"action {action}" for action in (1, 0, 1)]
    assert play_part("policy", f"--policy={file}", "--duration=3.5s") == actions


def test_agents_have_their_parameters() -> None:
    env = SPEC.parallel_env(part="per_agent", gain={"agent_1": 4.5, "agent_2": 2.0})
    observations, _ = env.reset(seed=1)
    seen = {agent: observation.tolist() for agent, observation in observations.items()}
    assert seen == {"agent_0": [1.0], "agent_1": [4.5], "agent_2": [2.0]}
    env.close()
    with pytest.raises(ParameterError, match="gain"):
        SPEC.raw_env(part="per_agent", gain={"agent_1": 10.0})


def test_a_python_scenario_can_be_started_by_hand() -> None:
    """With the command that the environment prints."""
    env = SPEC.raw_env(part="per_agent", launch="attach")
    attached = Attached(env, PARTS)
    assert env.agents == ["agent_0", "agent_1", "agent_2"]
    seen = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        seen.append((agent, observation.tolist()))
        env.step(None if terminated or truncated else 0)
    assert seen[:4] == [(f"agent_{number}", [1.0]) for number in (0, 1, 2, 0)]
    assert attached.process.wait(10) == 0
    env.close()


def test_a_scenario_ends_without_python_finalisation() -> None:
    """Objects held by hooks are not deleted; exit functions are called."""
    assert play_part("leave") == ["goodbye"]


def read_pcap(file: Path) -> tuple[int, list[tuple[float, bytes]]]:
    """Return the type of the link, and time in s and bytes of each packet."""
    content = file.read_bytes()
    magic, *_, link = struct.unpack_from("<IHHiIII", content)
    per_second = {0xA1B2C3D4: 1e6, 0xA1B23C4D: 1e9}[magic]
    packets, position = [], 24
    while position < len(content):
        seconds, fraction, length, _ = struct.unpack_from("<IIII", content, position)
        position += 16
        packets.append((seconds + fraction / per_second, content[position : position + length]))
        position += length
    return link, packets


def test_captures_contain_the_packets_of_ns3s_second_cc(tmp_path: Path) -> None:
    """Both ends of the link, and all packets on the cable."""
    played = play_file(ROOT / "examples" / "ns3_tutorials" / "second.py", cwd=tmp_path)
    there, back = (float(re.findall(r"\+([\d.]+)s", line)[0]) for line in played)
    assert {path.name for path in tmp_path.iterdir()} == {
        "second-0-1.pcap",
        "second-1-1.pcap",
        "second-2-1.pcap",
    }
    link, client = read_pcap(tmp_path / "second-0-1.pcap")
    assert link == 9  # PPP
    assert [len(packet) for _, packet in client] == [1024 + 8 + 20 + 2] * 2
    assert [time for time, _ in client] == pytest.approx([2, back], abs=1e-5)
    link, cable = read_pcap(tmp_path / "second-2-1.pcap")
    assert link == 1  # Ethernet
    kinds = [packet[12:14].hex() for _, packet in cable]
    assert kinds == ["0806", "0806", "0800", "0806", "0806", "0800"]
    assert cable[2][0] == pytest.approx(there, abs=2e-4)
