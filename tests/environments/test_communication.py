# SPDX-License-Identifier: GPL-2.0-only
"""Communication reports in every interface, at any time, for every episode."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TRIAL, simulations
from pettingzoo import AECEnv
from transfers import (
    DATAGRAM,
    FRAME,
    IPV4,
    LEARNING,
    PPP,
    SEGMENT,
    SPEC,
    TCP,
    TIMESTAMPS,
    UDP,
    advance,
    begin,
    finish,
)

import defiance_zoo
from defiance_zoo import EnvironmentSpec, Scenario, errors
from defiance_zoo.bridge.simulation import CommunicationReport
from defiance_zoo.wrappers.gymnasium import make_gymnasium_env

Make = Callable[..., Any]


def model_update(report: CommunicationReport) -> Any:
    (flow,) = (each for each in report.flows if each.kind == "model_update")
    return flow


def wire_bytes(report: CommunicationReport, sender: str, receiver: str) -> int:
    (path,) = (p for p in report.paths if (p.sender, p.receiver) == (sender, receiver))
    return path.wire_bytes


def test_a_model_update_over_udp_is_counted_as_computed_by_hand(make_parallel: Make) -> None:
    size = 3000
    env = begin(make_parallel(LEARNING, transport="udp", communication_report=True))
    before = env.communication_report()
    assert before.sim_time_ns == env.sim_time_ns
    env.transfer("server_0", "agent_0", size)
    assert env.communication_report() == before
    finish(env)
    report = env.communication_report()
    reported = model_update(report)
    assert (reported.sender, reported.receiver) == ("server_0", "agent_0")
    assert (reported.tx_messages, reported.tx_payload_bytes) == (1, size)
    assert (reported.rx_messages, reported.rx_payload_bytes) == (1, size)
    datagrams = math.ceil(size / DATAGRAM)
    expected = size + datagrams * (UDP + IPV4 + PPP)
    assert wire_bytes(report, "server_0", "agent_0") == expected
    (transfer,) = env.transfers.values()
    assert reported.max_latency == reported.p99_latency == transfer.latency


def test_a_model_update_over_tcp_is_counted_as_computed_by_hand(make_parallel: Make) -> None:
    size = 3000
    empty = begin(make_parallel(LEARNING, transport="tcp", communication_report=True))
    finish(empty)
    idle = empty.communication_report()
    env = begin(make_parallel(LEARNING, transport="tcp", communication_report=True))
    env.transfer("server_0", "agent_0", size)
    finish(env)
    report = env.communication_report()
    segments = math.ceil((size + FRAME) / SEGMENT)
    headers = TCP + TIMESTAMPS + IPV4 + PPP
    sent = wire_bytes(report, "server_0", "agent_0") - wire_bytes(idle, "server_0", "agent_0")
    assert sent == size + FRAME + segments * headers
    reported = wire_bytes(report, "agent_0", "server_0") - wire_bytes(idle, "agent_0", "server_0")
    assert reported in [headers * acknowledgements for acknowledgements in (3, 4)]


def test_traffic_of_others_on_the_link_is_counted_separately(make_parallel: Make) -> None:
    env = begin(
        make_parallel(LEARNING, transport="udp", cross_traffic="300kbps", communication_report=True)
    )
    env.transfer("server_0", "agent_0", 3000)
    finish(env)
    report = env.communication_report()
    shared = [each for each in report.links if each.rl_bytes and each.bytes > each.rl_bytes]
    assert shared
    for link in shared:
        assert 0 < link.rl_share < link.utilisation < 1
        assert link.rl_share == pytest.approx(
            link.rl_bytes * 8 / link.data_rate_bps / link.counted_s
        )
        assert link.utilisation == pytest.approx(
            link.bytes * 8 / link.data_rate_bps / link.counted_s
        )


def test_nothing_is_counted_by_default(make_aec: Make) -> None:
    env = make_aec(LEARNING)
    env.reset(seed=1)
    with pytest.raises(errors.NotCounted, match="communication_report=True"):
        env.communication_report()
    env.step(1)


def test_communication_infos_include_reports_and_not_vice_versa(make_aec: Make) -> None:
    informed = make_aec(LEARNING, transport="udp", communication_infos=True)
    reporting = make_aec(LEARNING, transport="udp", communication_report=True)
    for env in (informed, reporting):
        env.reset(seed=1)
        env.transfer("server_0", "agent_0", 1000)
        for _ in range(10):
            env.step(1)
    assert informed.communication_report() == reporting.communication_report()
    info = informed.infos["agent_0"]
    reported = model_update(informed.communication_report())
    assert info["communication/server_0/agent_0/model_update/p95_latency"] == reported.p95_latency
    assert not any(key.startswith("communication/") for key in reporting.infos["agent_0"])


def test_reports_do_not_change_the_episode(make_aec: Make) -> None:
    seen = []
    for arguments in ({}, {"communication_report": True}):
        env = make_aec(LEARNING, transport="tcp", **arguments)
        env.reset(seed=3)
        env.transfer("server_0", "agent_0", 5000)
        reported = []
        for _ in env.agent_iter():
            observation, reward, terminated, truncated, infos = env.last()
            if arguments:
                env.communication_report()
            reported.append((np.array(observation).tolist(), reward, infos))
            env.step(None if terminated or truncated else 1)
        seen.append(reported)
    assert seen[0] == seen[1]


def test_the_report_of_a_finished_episode_stays_available(make_parallel: Make) -> None:
    env = make_parallel(LEARNING, transport="udp", communication_report=True, max_cycles=6)
    with pytest.raises(errors.ResetNeeded, match="nothing to report"):
        env.communication_report()
    env.reset(seed=1)
    env.transfer("server_0", "agent_0", 1000)
    finish(env)
    last = env.communication_report()
    assert model_update(last).rx_messages == 1
    assert last.sim_time_ns == env.sim_time_ns
    assert env.communication_report() == last
    env.reset(seed=1)
    report = env.communication_report()
    assert report.sim_time_ns == env.sim_time_ns < last.sim_time_ns
    assert not any(each.kind == "model_update" for each in report.flows)
    env.close()
    assert env.communication_report() == report
    never = make_parallel(LEARNING, communication_report=True)
    never.close()
    with pytest.raises(errors.ClosedEnvironment):
        never.communication_report()


def test_the_last_report_before_a_crash_stays_available(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING, transport="udp", communication_report=True))
    report = env.communication_report()
    (process,) = simulations()
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(errors.SimulationCrashed):
        advance(env, 1)
    assert env.communication_report() == report
    env.reset(seed=1)
    (process,) = simulations()
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(errors.SimulationCrashed):
        env.communication_report()
    with pytest.raises(errors.ResetNeeded):
        env.communication_report()


def test_snapshots_include_the_counts(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING, transport="udp", communication_report=True))
    env.transfer("server_0", "agent_0", 1000)
    advance(env, 1)
    snapshot = env.snapshot()
    advance(env, 3)
    report = env.communication_report()
    env.restore(snapshot)
    advance(env, 3)
    assert env.communication_report() == report
    snapshot.release()


@pytest.mark.parametrize("launch", ["fork", "spawn"])
def test_reports_follow_the_seed(make_parallel: Make, launch: str) -> None:
    reports = []
    for kind in ("fork", launch):
        env = make_parallel(
            LEARNING, transport="simple", loss=0.3, launch=kind, communication_report=True
        )
        env.reset(seed=5)
        for number in range(15):
            env.transfer("server_0", "agent_0", 100 + number)
            advance(env, 1)
        reports.append(env.communication_report())
    assert reports[0] == reports[1]
    reported = model_update(reports[0])
    assert reported.tx_messages == 15
    assert reported.dropped_messages == 15 - reported.rx_messages > 0


def test_a_program_without_channels_has_an_empty_report(make_aec: Make) -> None:
    env = make_aec(TRIAL, communication_report=True)
    env.reset(seed=1)
    assert env.communication_report() == CommunicationReport(env.sim_time_ns)


def test_reports_convert_to_tables() -> None:
    env = SPEC.parallel_env(transport="udp", communication_report=True)
    env.reset(seed=1)
    env.transfer("server_0", "agent_0", 1000)
    finish(env)
    report = env.communication_report()
    env.close()
    reported = json.loads(json.dumps(report.to_dict()))
    assert [row["kind"] for row in reported["flows"]] == [each.kind for each in report.flows]
    assert reported["links"][0]["utilisation"] == report.links[0].utilisation
    assert reported["flows"][0]["missing_share"] == report.flows[0].missing_share
    lines = str(report).splitlines()
    assert any(line.startswith("server_0 -> agent_0  model_update") for line in lines)
    assert str(replace(report, flows=(), paths=(), links=())).splitlines() == [lines[0]]


def test_every_interface_reports() -> None:
    arguments: dict[str, Any] = {
        "transport": "udp",
        "terminate_when_fallen": False,
        "communication_report": True,
    }
    aec: AECEnv[str, Any, Any] = defiance_zoo.make("cart_pole_v0", **arguments)
    aec.reset(seed=1)
    single = make_gymnasium_env("cart_pole_v0", **arguments)
    single.reset(seed=1)
    vector = defiance_zoo.make_vec("cart_pole_v0", 2, **arguments)
    assert vector.communication_reports() == [None, None]
    vector.reset(seed=1)
    many = defiance_zoo.make_vec("cart_pole_v0", 1, api="parallel", **arguments)
    many.reset(seed=1)
    for _ in range(5):
        aec.step(1)
        single.step(1)
        vector.step(np.ones(2, np.int64))
        many.step(np.ones((1, 1), np.int64))
    reports = [
        aec.unwrapped.communication_report(),  # type: ignore[attr-defined]
        single.communication_report(),
        *vector.communication_reports(),
        *many.communication_reports(),
    ]
    for env in (aec, single, vector, many):
        env.close()
    assert reports[0] is not None
    assert len(reports[0].flows) == 3
    assert reports == [reports[0]] * 5
    with pytest.raises(errors.ClosedEnvironment):
        vector.communication_reports()


ALONE = """
import defiance_zoo.scenario as sc

sim = sc.Simulation("alone", duration="50ms")


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    agent.observe(lambda: [1])
    agent.on_action(lambda action: None)
"""


def test_a_scenario_without_channels_has_an_empty_report(tmp_path: Path) -> None:
    """Otherwise studies, which ask for the report of each episode, could not play it."""
    (tmp_path / "alone.py").write_text(ALONE)
    spec = EnvironmentSpec("alone_v0", Scenario.python("alone", tmp_path / "alone.py"))
    env = spec.parallel_env(communication_report=True)
    env.reset(seed=1)
    assert env.communication_report() == CommunicationReport(env.sim_time_ns)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 1))
    assert env.communication_report() == CommunicationReport(50_000_000)
    env.close()
