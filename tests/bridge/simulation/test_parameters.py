# SPDX-License-Identifier: GPL-2.0-only
"""Parameters are checked against the scenario's description before anything starts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAMS, TRIAL, resources, script

from defiance_zoo import errors
from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.simulation import (
    CurveKeys,
    Launcher,
    LaunchSettings,
    Parameter,
    ParameterType,
    Scenario,
    describe,
)
from defiance_zoo.environments import SimulationAECEnv, SimulationParallelEnv

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"agentz": 1}, "keyword argument 'agentz'.*; did you mean 'agents'. It has agents, duration"),
    ({"agents": "3"}, "agents='3' is not of type integer"),
    ({"agents": 1.5}, "agents=1.5 is not of type integer"),
    ({"agents": True}, "agents=True is not of type integer"),
    ({"agents": 1001}, r"agents=1001 is not within \[0, 1000\]"),
    ({"size": 0}, "size=0 is not within"),
    ({"duration": "2h"}, "duration='2h' is not within"),
    ({"duration": "soon"}, "duration='soon' is not of type time"),
    ({"duration": None}, "duration=None is not of type time"),
    ({"duration": "1500ps"}, "duration='1500ps' is not of type time"),
    ({"duration": -1}, "duration=-1 is not within"),
    ({"scenario_case": "tickr"}, "'tickr' is not one of .*; did you mean 'ticker'"),
    ({"max_cycles": 0}, "max_cycles=0"),
    ({"max_cycles": "20"}, "max_cycles='20' is not a positive integer"),
    ({"max_cycles": True}, "max_cycles=True is not"),
    ({"check_bounds": "often"}, "check_bounds='often' is not one of"),
    ({"render_mode": "hologram"}, "render_mode='hologram' is not one of"),
    ({"launch": "shout"}, "launch='shout' is not one of"),
    ({"output": "loud"}, "output='loud' is not one of"),
    ({"timeout": 0}, "timeout_s=0.0 is not a time in seconds"),
    ({"timeout": math.inf}, "timeout_s=inf is not a time in seconds"),
    ({"timeout": math.nan}, "timeout_s=nan is not a time in seconds"),
    ({"timeout": "1s"}, "timeout='1s' is not a number of seconds"),
    ({"endpoint": "tcp://0.0.0.0:5555"}, "needs curve="),
    ({"endpoint": "tcp://*:5555"}, "needs curve="),
    ({"endpoint": "udp://127.0.0.1:1"}, "not of the form"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=str)
@pytest.mark.parametrize("kind", [SimulationAECEnv, SimulationParallelEnv])
def test_bad_arguments_are_refused_before_anything_starts(
    kind: type, arguments: dict[str, Any], words: str
) -> None:
    describe(TRIAL.locate())
    before = resources()
    with pytest.raises(errors.ParameterError, match=words):
        kind(TRIAL, **arguments)
    assert resources() == before


def test_a_variant_replaces_the_program() -> None:
    scenario = Scenario("trial", TRIAL.program, variants={"agents": {3: PROGRAMS / "gone"}})
    SimulationAECEnv(scenario, agents=2).close()
    with pytest.raises(errors.ScenarioNotFound, match=r"there is no program .*gone"):
        SimulationAECEnv(scenario, agents=3)
    with pytest.raises(errors.ScenarioNotFound, match=r"there is no program .*gone"):
        SimulationAECEnv(replace(scenario, defaults={"agents": 3}))
    env = SimulationAECEnv(scenario, agents=2)
    env.reset()
    with pytest.raises(errors.ScenarioNotFound, match=r"there is no program .*gone"):
        env.reset(options={"agents": 3})
    env.close()


def test_bad_rounds_are_refused() -> None:
    with pytest.raises(errors.ParameterError, match="rounds='both' is not one of"):
        SimulationAECEnv(TRIAL, rounds="both")  # type: ignore[arg-type] # the very point


def test_bad_options_are_refused() -> None:
    env = SimulationAECEnv(TRIAL)
    env.reset()
    with pytest.raises(errors.ParameterError, match="size=0"):
        env.reset(options={"size": 0})
    with pytest.raises(errors.ParameterError, match="seed=-1 is negative"):
        env.reset(seed=-1)
    env.close()


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        (ParameterType.BOOLEAN, True, "true"),
        (ParameterType.INTEGER, 3, "3"),
        (ParameterType.INTEGER, 3.0, "3"),
        (ParameterType.REAL, 3, "3"),
        (ParameterType.REAL, 1e-9, "1e-09"),
        (ParameterType.TEXT, "a b", "a b"),
        (ParameterType.TIME, "1.5ms", "1.5ms"),
        (ParameterType.TIME, 0.25, "0.25s"),
        (ParameterType.DATA_RATE, "5Mbps", "5Mbps"),
        (ParameterType.DATA_RATE, 1000, "1000bps"),
        (ParameterType.DATA_RATE, "1000", "1000bps"),
    ],
)
def test_values_are_written_in_the_syntax_of_ns3(
    kind: ParameterType, value: Any, written: str
) -> None:
    assert Parameter("p", kind, "", "").to_argument(value) == written


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterType.BOOLEAN, 1),
        (ParameterType.REAL, float("nan")),
        (ParameterType.REAL, "1"),
        (ParameterType.TEXT, 1),
        (ParameterType.TIME, "5 parsecs"),
        (ParameterType.TIME, "--5s"),
        (ParameterType.DATA_RATE, "5M"),
        (ParameterType.DATA_RATE, "fast"),
    ],
)
def test_values_of_another_type_are_refused(kind: ParameterType, value: Any) -> None:
    with pytest.raises(errors.ParameterError, match="is not of type"):
        Parameter("p", kind, "", "").to_argument(value)


@pytest.mark.parametrize(
    ("kind", "low", "high", "good", "bad"),
    [
        (ParameterType.TIME, "1ms", "1s", ["1000us", "0.5s", 1], ["999us", "1.001s", "1min"]),
        (ParameterType.DATA_RATE, "1kbps", "1Mbps", ["1Kbps", 1000, 1e6], ["1MBps", "999bps"]),
        (ParameterType.REAL, "0", "1", [0, 1.0, 0.5], [-0.1, 1.1]),
    ],
)
def test_ranges_are_checked_across_units(
    kind: ParameterType, low: str, high: str, good: list[Any], bad: list[Any]
) -> None:
    parameter = Parameter("p", kind, "", "", low, high)
    for value in good:
        parameter.to_argument(value)
    for value in bad:
        with pytest.raises(errors.ParameterError, match="is not within"):
            parameter.to_argument(value)


def test_a_program_describes_itself() -> None:
    declared = describe(PROGRAMS / "trial")
    assert declared.scenario == "trial"
    assert declared.ns3_version.startswith("3.")
    duration = declared.parameters["duration"]
    assert duration.type is ParameterType.TIME
    assert duration.help == "Simulated time."
    assert declared.parameters["scenario_case"].choices[0] == "ticker"


@pytest.mark.parametrize(("kills", "answers"), [(2, True), (3, False)])
def test_a_program_killed_during_its_description_is_restarted(
    tmp_path: Path, kills: int, answers: bool
) -> None:
    lines = f"echo >> {tmp_path}/asked; [ $(wc -l < {tmp_path}/asked) -gt {kills} ] || kill -9 $$"
    doomed = script(tmp_path / "doomed", f"{lines}; exec {PROGRAMS}/trial --describe")
    if answers:
        assert describe(doomed).scenario == "trial"
    else:
        with pytest.raises(errors.SimulationCrashed, match="ended with status -9"):
            describe(doomed)


def test_a_program_that_cannot_describe_itself_raises(tmp_path: Path) -> None:
    mute = script(tmp_path / "mute", "echo no such option >&2; exit 1")
    with pytest.raises(
        errors.SimulationCrashed, match=r"(?s)describes_itself=False.*no such option"
    ):
        SimulationAECEnv(Scenario("mute", mute))
    liar = script(tmp_path / "liar", "echo hello")
    with pytest.raises(errors.MalformedMessage, match="did not write a description"):
        SimulationAECEnv(Scenario("liar", liar))


def test_a_parameter_named_like_an_environment_argument_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "description"
    program.write_bytes(
        pb.ScenarioDescription(
            protocol=2,
            scenario="s",
            parameters=[pb.Parameter(name="timeout", type=pb.PARAMETER_TYPE_INTEGER, value="1")],
        ).SerializeToString()
    )
    hiding = script(tmp_path / "hiding", f'cat "{program}"')
    with pytest.raises(errors.ParameterError, match=r"declares \['timeout'\]"):
        SimulationAECEnv(Scenario("hiding", hiding))


def test_the_simulation_reports_the_parameters_in_effect() -> None:
    launcher = Launcher(TRIAL, {"size": 3, "duration": "0.25s"}, "sequential", LaunchSettings())
    launcher.start(1, {"agents": 2})
    simulation = launcher.greet()
    assert simulation.scenario == "trial"
    assert list(simulation.agents) == ["agent_0", "agent_1"]
    effective = simulation.parameters
    assert (effective["size"], effective["agents"]) == ("3", "2")
    assert (effective["interval"], effective["duration"]) == ("10ms", "250ms")
    launcher.close()


def test_a_public_address_with_curve_keys_is_accepted() -> None:
    SimulationAECEnv(TRIAL, endpoint="tcp://0.0.0.0:*", curve=CurveKeys.generate()).close()
