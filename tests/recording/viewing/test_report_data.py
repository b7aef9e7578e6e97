# SPDX-License-Identifier: GPL-2.0-only
"""The data of pages: lossless columns, curves of any space, messages, links, positions."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from gymnasium import spaces
from made_episodes import MARKUP, made_episode

from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording.files.columns import to_column
from defiance_zoo.recording.viewing import columns as curves_module
from defiance_zoo.recording.viewing import episode_page, report_data
from defiance_zoo.recording.viewing.columns import MOST, curves, encode
from defiance_zoo.recording.viewing.episode_report import script
from defiance_zoo.recording.viewing.layout import lay_out, place_beside, spread
from defiance_zoo.recording.viewing.report_data import describe_communication
from defiance_zoo.recording.viewing.traffic import (
    complete,
    describe_traffic,
    sampling_interval,
    sending_rates,
)


def decode(column: dict[str, str]) -> Any:
    """Return a column as the page reads it."""
    return np.frombuffer(base64.b64decode(column["base64"]), column["type"])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "u1"),
        ([-1, 300], "i2"),
        ([70_000], "i4"),
        ([0.5, np.nan], "f4"),
        ([0.1], "f8"),
        ([2**53], "f4"),
        ([2**53 - 1], "f8"),
        ([True, False], "u1"),
        ([], "u1"),
    ],
)
def test_columns_have_the_smallest_lossless_type(values: list[Any], kind: str) -> None:
    column = encode(values)
    assert column["type"] == kind
    np.testing.assert_array_equal(decode(column), np.array(values, dtype=np.float64))


def test_curves_beyond_the_limit_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of curves is known without them."""
    make, made = curves_module._numbers, []
    monkeypatch.setattr(curves_module, "_numbers", lambda array: made.append(1) or make(array))
    picture = spaces.Box(0, 255, (40, 30, 3), np.uint8)
    both = spaces.Dict({"picture": picture, "seen": spaces.MultiDiscrete([4, 4])})
    row = np.arange(3600).reshape(40, 30, 3).astype(np.uint8)
    for space, value, expected in (
        (picture, row, 3600),
        (both, {"picture": row, "seen": np.array([1, 2])}, 3602),
    ):
        made.clear()
        found, count = curves(to_column(space, [value, None]), space)
        assert (len(found), count, len(made)) == (MOST, expected, MOST)
        assert found[63].values[0] == 63


def test_curves_are_named_by_their_elements() -> None:
    space = spaces.Dict(
        {
            "seen": spaces.Box(0, 9, (3,), np.int64),
            "speed": spaces.Box(0, 9, (), np.float64),
            "word": spaces.Text(5),
        }
    )
    values = [
        {"speed": np.array(1.5), "seen": np.array([1, 2, 3]), "word": "north"},
        None,
        {"speed": np.array(2.5), "seen": np.array([4, 5, 6]), "word": "[1]"},
    ]
    column = to_column(space, values)
    found, count = curves(pa.chunked_array([column[:1], column[1:]]), space)
    assert count == 4
    nan = np.nan
    expected = {
        "seen[0]": [1, nan, 4],
        "seen[1]": [2, nan, 5],
        "seen[2]": [3, nan, 6],
        "speed": [1.5, nan, 2.5],
    }
    assert [each.name for each in found] == list(expected)
    for each in found:
        np.testing.assert_array_equal(each.values, expected[each.name])


def test_lists_of_fixed_size_are_read_from_their_offset() -> None:
    whole = pa.array([[1, 2], [3, 4], None, [7, 8]], pa.list_(pa.int32(), 2))
    found, _ = curves(whole[1:], spaces.Box(0, 9, (2,), np.int32))
    np.testing.assert_array_equal(found[0].values, [3, np.nan, 7])
    np.testing.assert_array_equal(found[1].values, [4, np.nan, 8])


def test_messages_are_counted_by_channel() -> None:
    columns = {
        "sent_ns": np.array([20, 0, 10, 30, 30]),
        "received_ns": np.array([24.0, 2, np.nan, np.nan, 31]),
        "channel": np.array([5, 5, 5, 5, 9]),
        "bytes": np.array([1, 2, 4, 8, 16]),
        "outcome": np.array(["received", "received", "lost", "in flight", "received"]),
    }
    found = describe_traffic(columns, [{"id": 5, "from": "a", "to": "b", "kind": "udp"}], 100)
    first, second = found.channels
    assert (first["name"], first["sent"], first["received"]) == ("a → b", 4, 2)
    assert (first["lost"], first["not_arrived"], first["bytes"]) == (1, 1, 15)
    assert (first["mean_ns"], first["p50_ns"], first["max_ns"]) == (3, 3, 4)
    assert (second["name"], second["from"], second["mean_ns"]) == ("channel 9", None, 1)
    assert decode(found.messages["sent"]).tolist() == [0, 10, 20, 30, 30]
    assert decode(found.messages["channel"]).tolist() == [0, 0, 0, 0, 1]
    assert decode(found.messages["outcome"]).tolist() == [0, 1, 0, 3, 0]
    assert [sum(each["counts"]) for each in found.delays] == [3, 2, 1]
    assert found.delays[0]["low_ns"] == 1
    assert found.delays[0]["high_ns"] == 4


def test_an_overdue_datagram_without_fate_counts_as_lost() -> None:
    columns = {
        "sent_ns": np.array([0, 10, 79, 81, 0]),
        "received_ns": np.array([10.0, np.nan, np.nan, np.nan, np.nan]),
        "channel": np.array([0, 0, 0, 0, 1]),
        "bytes": np.ones(5, dtype=np.int64),
        "outcome": np.array(["received", *["in flight"] * 4]),
    }
    kinds = [{"id": 0, "kind": "udp"}, {"id": 1, "kind": "tcp"}]
    udp, tcp = describe_traffic(columns, kinds, 100).channels
    assert (udp["not_arrived"], udp["in_flight"], udp["lost"]) == (2, 1, 0)
    assert (tcp["not_arrived"], tcp["in_flight"]) == (0, 1)


def test_channels_missing_in_the_topology_come_last() -> None:
    assert [each["name"] for each in complete([], [3, 1, 3])] == ["channel 1", "channel 3"]


def test_sending_rates_belong_to_the_interval_before_each_sample() -> None:
    second = 1_000_000_000
    time = np.array([1, 2, 5, 6, 6.5]) * second
    assert sampling_interval(time) == second
    at, rates = sending_rates(time, np.array([125, 375, 500, 500, 750]), second)
    assert (at / second).tolist() == [0, 1, 2, 4, 5, 6, 6.5]
    assert rates.tolist() == [1000, 2000, 0, 1000, 0, 4000, 0]


def test_curves_of_one_sample_and_of_none_are_read() -> None:
    assert sampling_interval(np.array([7])) == np.inf
    assert [each.tolist() for each in sending_rates(np.array([0]), np.array([0]), 1)] == [[0], [0]]
    assert [each.tolist() for each in sending_rates(np.array([]), np.array([]), 1)] == [[], []]


def test_a_layout_places_neighbours_together_and_no_two_nodes_at_one_place() -> None:
    links = [(0, 1), (1, 2), (3, 4), (4, 5)]
    places = lay_out(6, links)
    np.testing.assert_array_equal(places, lay_out(6, links))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    joined = [distances[pair] for pair in links]
    apart = [distances[pair] for pair in [(0, 3), (0, 4), (1, 4), (2, 5), (2, 3)]]
    assert max(joined) < min(apart)
    assert distances[~np.eye(6, dtype=bool)].min() > 0.05
    assert lay_out(0, []).shape == (0, 2)


def distances_of(places: Any) -> Any:
    """Return the distance of each two nodes, as a fraction of the width of the picture."""
    between = np.linalg.norm(places[:, None] - places[None], axis=2)
    return between[np.triu_indices(len(places), 1)] / np.ptp(places, axis=0).max()


@pytest.mark.parametrize(
    ("count", "links", "channels"),
    [
        (5, [(0, 1), (0, 2), (0, 3)], [(1, 4), (2, 4), (3, 4)]),  # replicas and their tester
        (7, [(0, 1, 2, 3, 4, 5)], [(each, 6) for each in range(5)]),  # stations, an agent
        (7, [(0, 1, 2, 3, 4, 5)], []),
        (4, [], []),
        (12, [(n, n + 1) for n in range(11) if n != 5] + [(n, n + 6) for n in range(6)], []),
    ],
)
def test_a_layout_leaves_room_for_each_node(count: int, links: Any, channels: Any) -> None:
    places = lay_out(count, links, channels)
    assert np.ptp(places, axis=0).argmax() == 0
    assert distances_of(places).min() > 0.13


def test_nodes_without_a_position_have_room() -> None:
    """Two nodes hang at one node, two at one of these; the others are not connected to them."""
    places = np.zeros((11, 2))
    places[:3] = [[0, 0], [10, 0], [0, 10]]
    links = [(0, 3), (0, 4), (3, 5), (3, 6)]
    found = place_beside(places, np.arange(11) < 3, links, [(7, 8), (9, 10)])
    assert distances_of(found).min() > 0.1
    many = place_beside(np.arange(400.0).reshape(200, 2), np.arange(200) < 100, [])
    assert distances_of(many).min() > 0


def test_nodes_without_a_position_are_placed_near_their_neighbours() -> None:
    places = np.array([[0.0, 0], [10, 0], [0, 0], [0, 0]])
    known = np.array([True, True, False, False])
    found = place_beside(places, known, [(1, 2), (2, 3)])
    assert found[:2].tolist() == places[:2].tolist()
    distances = np.linalg.norm(found[:, None] - found[None], axis=2)
    assert 2 < distances[1, 2] < min(5, distances[0, 2])
    assert 2 < distances[2, 3] < min(5, distances[1, 3])


def test_nodes_at_one_position_are_drawn_around_it() -> None:
    offsets = spread(np.array([[0.0, 0], [0, 0], [10, 0]]))
    assert np.linalg.norm(offsets[0] - offsets[1]) > 1
    assert offsets[2].tolist() == [0, 0]
    many = np.array([*[[0.0, 0]] * 20, [10, 0]])
    assert distances_of(many + spread(many)).min() > 0.05


def test_an_episode_becomes_the_data_of_the_page() -> None:
    data = report_data(made_episode(20), "one")
    assert data["end_ns"] == 190_000_000
    assert decode(data["rounds"]).tolist() == [10_000_000 * i for i in range(20)]
    agent = data["agents"][0]
    assert agent["name"] == "agent_0"
    reward = {each["name"]: decode(each["values"])[-1] for each in agent["groups"]["reward"]}
    assert reward == {"reward": 1, "return so far": 20}
    names = [each["name"] for each in agent["groups"]["observation"]]
    assert names == ["[0]", "[1]", "[2]", "[3]"]
    assert np.isnan(decode(agent["groups"]["action"][0]["values"])[-1])
    assert data["topology"]["laid_out"] is False
    assert data["topology"]["channels"][0]["to"] == 2
    (link,) = data["links"]
    used = decode(link["rates"]["curves"][0]["values"])
    np.testing.assert_allclose(used[:-1], 1.0)
    assert data["totals"][0]["rows"][0][:3] == ["agent_0", 20, 20]
    assert data["missing"] == []


def test_left_out_events_are_reported() -> None:
    episode = made_episode(5)
    episode.events = pa.concat_tables([episode.events] * 4000)
    data = report_data(episode, "one")
    assert len(data["events"]) == 10_000
    assert data["missing"] == ["2000 of 12000 events"]


def test_missing_parts_of_a_recording_are_reported() -> None:
    episode = made_episode(5)
    episode.topology, episode.header.outcome = None, "playing"
    episode.messages, episode.links = episode.messages[:0], episode.links[:0]
    data = report_data(episode, "one")
    assert data["topology"] is data["messages"] is None
    assert len(data["missing"]) == 4


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda each: each.topology["nodes"][0].pop("id"), r"topology\.json.*nodes\.id"),
        (lambda each: each.topology["nodes"][0].update(position=[1]), "position of node 0"),
        (lambda each: each.topology["nodes"][0].update(position=[0, np.nan]), "position of node 0"),
        (lambda each: each.topology["links"][0].update(nodes=3), "nodes is not an array"),
        (lambda each: each.topology["links"][0].update(nodes=[[0]]), "nodes of link 0"),
        (lambda each: each.topology["links"][0].update(rate_bps="x"), r"links\.rate_bps is not a"),
        (lambda each: each.topology["links"][0].update(delay_ns=[]), r"links\.delay_ns is not a"),
        (lambda each: each.topology["applications"][0].update(node={}), r"applications\.node is"),
        (lambda each: each.topology["channels"][0].pop("to"), r"channels\.to"),
        (lambda each: setattr(each, "communication", {"flows": [3]}), r"communication\..*flows"),
        (lambda each: setattr(each, "communication", {"links": 3}), r"communication\..*links"),
    ],
)
def test_damaged_episodes_are_refused(damage: Any, words: str) -> None:
    episode = made_episode(5)
    damage(episode)
    with pytest.raises(InvalidRecording, match=words):
        report_data(episode, "one")


def test_nodes_without_positions_are_laid_out() -> None:
    episode = made_episode(5)
    for node in episode.topology["nodes"]:
        node["position"] = None
    assert report_data(episode, "one")["topology"]["laid_out"] is True


def test_the_communication_report_becomes_tables() -> None:
    report = {"flows": [{"sender": "a", "receiver": "b", "tx_messages": 3, "mean_latency": 0.5}]}
    (table,) = describe_communication(report)
    assert table["rows"][0][:4] == ["a", "b", None, 3]
    assert list(describe_communication({})) == []


def test_a_page_can_run_and_load_nothing_else() -> None:
    page = episode_page([(f"<b>{MARKUP}", made_episode(5, name=MARKUP))])
    policy = page.partition('Security-Policy" content="')[2].partition('"')[0]
    allowed = dict(each.split(" ", 1) for each in policy.split("; "))
    assert allowed.keys() == {
        "default-src", "img-src", "script-src", "style-src", "base-uri", "form-action",
    }  # fmt: skip
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    assert "unsafe" not in policy
    assert "http:" not in policy
    body = page.replace("http://www.w3.org/2000/svg", "")  # a namespace; browsers do not load it
    assert "http" not in body.replace("http-equiv", "")
    assert page.count("<script") == 2
    assert MARKUP not in page


def test_each_module_becomes_a_script_after_its_imports() -> None:
    code = script("report.js")
    assert "import " not in code
    assert "export " not in code
    assert code.index("class Clock") < code.index("function episodePanel") < code.index("\nmain();")
    assert code.count("function decode(") == 1
