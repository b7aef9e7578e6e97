# SPDX-License-Identifier: GPL-2.0-only
"""Topologies of packet_routing: shipped ones, and graph files of users."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import pytest
from routing_support import load_topology

from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.envs.packet_routing.graph_files import read_graph_file
from defiance_zoo.envs.packet_routing.policies import LinkState, next_ports
from defiance_zoo.errors import DependencyMissing, ParameterError


def links_of(topology: str) -> list[list[int]]:
    """Return the links as the simulation reports them."""
    env = packet_routing_v0.raw_env(
        link="local", topology=topology, metric="delay", duration="1s", infos="brief"
    )
    env.reset(seed=1)
    told = json.loads(env.infos[env.agent_selection]["link_state"])["links"]
    env.close()
    return [link[:3] for link in told]


@pytest.mark.parametrize(
    ("name", "routers", "links"),
    [("abilene", 11, 14), ("geant", 22, 36), ("irregular-grid", 36, 50)],
)
def test_shipped_topologies_have_the_documented_sizes(name: str, routers: int, links: int) -> None:
    topology = load_topology(name)
    assert (len(topology.routers), len(topology.links)) == (routers, links)
    told = links_of(name)
    assert [tuple(link[:2]) for link in told] == [(one.first, one.second) for one in topology.links]
    for link, (_, _, cost) in zip(topology.links, told, strict=True):
        delay_us = int(link.delay.removesuffix("us")) if link.delay else 1000
        assert cost == round((delay_us + 8000) / 10)
    assert links_of(topology.text) == told


def test_two_links_join_the_halves_of_the_irregular_grid() -> None:
    topology = load_topology("irregular-grid")
    halves = [int(router.x > 3) for router in topology.routers]
    assert halves.count(0) == halves.count(1) == 18
    bridges = {
        (one.first, one.second) for one in topology.links if halves[one.first] != halves[one.second]
    }
    assert bridges == {(20, 21), (32, 33)}


@pytest.mark.parametrize("name", ["abilene", "geant", "irregular-grid"])
def test_next_ports_lead_along_shortest_paths(name: str) -> None:
    """The lengths are those of networkx."""
    links = tuple((*link, 1) for link in links_of(name))
    graph = networkx.Graph()
    graph.add_weighted_edges_from(link[:3] for link in links)
    lengths = dict(networkx.all_pairs_dijkstra_path_length(graph))
    for router in graph:
        state = LinkState(router, links)
        ports = next_ports(state)
        assert ports.keys() == set(graph) - {router}
        for destination, port in ports.items():
            there = state.neighbours[port]
            rest = graph[router][there]["weight"] + lengths[there][destination]
            assert rest == lengths[router][destination]


# ---------------------------------------------------------------- files of users


def cities() -> networkx.Graph:
    """Return three cities with positions and lengths, formatted as in the Internet Topology Zoo."""
    graph = networkx.Graph()
    graph.add_node(0, label="New York", Longitude=-74.01, Latitude=40.71)
    graph.add_node(1, label="Chicago", Longitude=-87.65, Latitude=41.85)
    graph.add_node(2, label="Washington, DC", Longitude=-77.04, Latitude=38.9)
    graph.add_edge(0, 1)
    graph.add_edge(0, 2, delay=0.002, rate="5Mbps")
    graph.add_edge(1, 2, dist=1000.0)
    return graph


def write_json(graph: Any, path: Path) -> None:
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="edges")))


WRITERS: dict[str, Callable[[Any, Path], Any]] = {
    "gml": networkx.write_gml,
    "graphml": networkx.write_graphml,
    "json": write_json,
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_graph_files_of_each_format_are_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cities.{suffix}"
    graph = networkx.relabel_nodes(cities(), str) if suffix == "gml" else cities()
    if suffix == "gml":
        for _, data in graph.nodes(data=True):
            data["name"] = data.pop("label")
    WRITERS[suffix](graph, path)
    topology = read_graph_file(str(path))
    names = ["0", "1", "2"] if suffix == "gml" else ["New-York", "Chicago", "Washington-DC"]
    assert [router.name for router in topology.routers] == names
    said = {(one.first, one.second): (one.delay, one.rate) for one in topology.links}
    assert said == {
        (0, 1): ("5728us", ""),  # 1,146 km, as in the shipped Abilene
        (0, 2): ("2000000ns", "5Mbps"),
        (1, 2): ("5000us", ""),
    }
    told = links_of(str(path))
    assert told == [[0, 1, 1373], [0, 2, 360], [1, 2, 1300]]


def test_both_directions_of_an_edge_are_one_link(tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    write_json(cities().to_directed(), path)
    assert len(read_graph_file(str(path)).links) == 3


def test_routers_with_equal_names_get_different_names(tmp_path: Path) -> None:
    graph = networkx.path_graph(4)
    networkx.set_node_attributes(graph, dict(enumerate(["A-2", "A", "A", "A"])), "label")
    path = tmp_path / "alike.json"
    write_json(graph, path)
    names = [router.name for router in read_graph_file(str(path)).routers]
    assert names == ["A-2", "A", "A-2-2", "A-3"]


def test_a_node_without_a_name_is_named_by_its_number(tmp_path: Path) -> None:
    graph = networkx.path_graph(2)
    networkx.set_node_attributes(graph, {0: None, 1: "  "}, "label")
    path = tmp_path / "nameless.json"
    write_json(graph, path)
    assert [each.name for each in read_graph_file(str(path)).routers] == ["r0", "r1"]


def edges(*pairs: tuple[Any, ...], kind: Any = networkx.Graph) -> Any:
    graph = kind()
    for source, target, *data in pairs:
        graph.add_edge(source, target, **(data[0] if data else {}))
    return graph


def placed(**place: Any) -> Any:
    graph = networkx.path_graph(2)
    graph.nodes[0].update(place)
    return graph


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.empty_graph(1), "it has 1 nodes, but a network needs two or more"),
        (edges((0, 1), (1, 1)), "an edge joins 1 with itself"),
        (edges((0, 1), (2, 3)), "it is not connected: there is no path from 0 to 2"),
        (edges((0, 1), (0, 1), kind=networkx.MultiGraph), "two edges join 0 and 1; replace them"),
        (edges((0, 1, {"rate": "fast"})), "rate='fast', which is not a number with a unit"),
        (edges((0, 1, {"delay": -1})), "delay=-1, which is not a number with a unit"),
        (edges((0, 1, {"dist": "far"})), "dist='far', which is not a length in km"),
        (edges((0, 1, {"dist": True})), "dist=True, which is not a length in km"),
        (
            edges((0, 1, {"delay": "1ms"}), (1, 0, {"delay": "9ms"}), kind=networkx.DiGraph),
            "the edges between 1 and 0 differ, but a link is symmetric",
        ),
        (placed(Longitude=math.nan, Latitude=1.0), "NaN is not a finite number"),
        (placed(Longitude=1.0, Latitude=200.0), "Latitude=200.0, which is not an angle in degrees"),
        (placed(lon="1.5", lat="2.5"), "lon='1.5', which is not an angle in degrees"),
        (placed(x=0.0, y=math.inf), "Infinity is not a finite number"),
    ],
)
def test_graphs_that_are_not_a_network_are_refused(
    tmp_path: Path, graph: Any, message: str
) -> None:
    path = tmp_path / "bad.json"
    write_json(graph, path)
    with pytest.raises(ParameterError, match=message):
        packet_routing_v0.raw_env(topology=str(path))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.gml", None, "cannot be read: No such file"),
        ("bad.gml", "graph [", "is not a gml file of a graph"),
        ("bad.graphml", "<graphml>", "is not a graphml file of a graph"),
        ("bad.json", "{}", "is not a json file of a graph"),
        ("bad.json", "{", "is not a json file of a graph: JSONDecodeError"),
        (
            "bad.json",
            '{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 7}]}',
            "its edges name an unknown node",
        ),
        (
            "bad.json",
            '{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1},'
            ' {"source": 1, "target": 0}], "multigraph": false, "directed": false}',
            "two edges join the same nodes",
        ),
    ],
)
def test_files_without_a_graph_are_refused(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ParameterError, match=message):
        packet_routing_v0.raw_env(topology=str(tmp_path / name))


def test_without_networkx_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cities.json"
    write_json(cities(), path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(DependencyMissing, match=r"pip install 'defiance-zoo\[graphs\]'"):
        packet_routing_v0.raw_env(topology=str(path))
