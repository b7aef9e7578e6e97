# SPDX-License-Identifier: GPL-2.0-only
"""`list`, `info` and `random`: environments on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import gymnasium
import pytest
from click.shell_completion import ShellComplete
from command_calls import call, call_for_json
from conftest import TRIAL

import defiance_zoo
from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.command_line import main
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.errors import (
    NotSingleAgent,
    ParameterError,
    UnknownEnvironment,
    UnknownParameter,
)
from defiance_zoo.registration import ENTRIES

TRIAL_MODULE = f"""
import defiance_zoo

scenario = defiance_zoo.Scenario("elsewhere_v0", {str(TRIAL.program)!r})
defiance_zoo.register("elsewhere_v0", defiance_zoo.EnvironmentSpec("elsewhere_v0", scenario))
"""


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an environment that a separate module registers."""
    (tmp_path / "trial_module.py").write_text(TRIAL_MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return "trial_module:elsewhere_v0"


def test_a_name_without_suffix_suggests_the_file_next_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "two_senders.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownEnvironment, match=r"'two_senders'; did you mean two_senders\.py\?"):
        defiance_zoo.make("two_senders")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["info"], "wifi_contention_v0"),
        (["train"], "wifi_contention_v0"),
        (["info", "cart_pole_v0", "-p"], "transport="),
        (["eval", "cart_pole_v0", "-p"], "transport="),
        (["eval", "cart_pole_v0", "--policy"], "lookahead"),
    ],
)
def test_the_shell_completes_names(words: list[str], found: str) -> None:
    completion = ShellComplete(main, {}, "defiance-zoo", "_DEFIANCE_ZOO_COMPLETE")
    for begun in ("", found[:4]):
        assert found in [each.value for each in completion.get_completions(words, begun)]


def test_list_prints_each_environment() -> None:
    (cart_pole,) = [each for each in call_for_json("list") if each["name"] == "cart_pole_v0"]
    assert Path(cart_pole["program"]).is_file()
    status, printed, _ = call("list")
    assert status == 0
    assert re.search(r"^cart_pole_v0 +cart-poles, each bal", printed, re.MULTILINE)


def test_list_starts_nothing_and_names_environments_that_are_not_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, program in (("gone_v0", "/gone"), ("broken_v0", "/bin/false")):
        spec = EnvironmentSpec(name, Scenario(name, program), description="a test")
        monkeypatch.setitem(ENTRIES, name, spec)
    status, printed, _ = call("list")
    assert status == 0
    assert re.search(r"^gone_v0 +not built *$", printed, re.MULTILINE)
    assert re.search(r"^broken_v0 +a test *$", printed, re.MULTILINE)


def test_info_reports_the_scenarios_description() -> None:
    service = '{"agent_0": "1ms", "agent_1": "2ms"}'
    facts = call_for_json(
        *("info", "cart_pole_v0", "-p", "carts=2", "-p", "delay=5ms"),
        *("-p", f"service_time={service}", "-p", "workers=2"),
    )
    assert [agent["name"] for agent in facts["agents"]] == ["agent_0", "agent_1"]
    assert facts["agents"][0]["actions"] == "Discrete(2)"
    assert facts["baselines"] == [
        "random",
        "constant",
        "lookahead",
        "file",
        "trained",
        "pole",
        "state_feedback",
    ]
    assert {"from": "observation_1", "sends": "observation", "to": "agent_1"} in facts["roles"]
    assert {"from": "agent_0", "sends": "action", "to": "action_0"} in facts["roles"]
    parameters = {each["name"]: each for each in facts["parameters"]}
    assert parameters["loss"] == {
        "name": "loss",
        "type": "number",
        "default": "0",
        "value": "0",
        "minimum": "0",
        "maximum": "1",
        "choices": [],
        "per_agent": False,
        "help": "Probability that a packet is lost on the access link, the bus, or the link behind "
        "access point or gateway.",
    }
    assert (parameters["delay"]["default"], parameters["delay"]["value"]) == ("0s", "5ms")
    assert parameters["transport"]["choices"] == ["simple", "udp", "tcp"]
    assert parameters["workers"]["value"] == 2
    assert parameters["service_time"]["per_agent"]
    assert parameters["service_time"]["value"] == {"agent_0": "1ms", "agent_1": "2ms"}


def test_info_prints_a_readable_description() -> None:
    status, printed, _ = call("info", "cart_pole_v0")
    assert status == 0
    assert re.search(r"cart_pole_v0: ns-3 3\.44, /", printed)
    assert re.search(r"^agent_0 +Box\(\[.*Discrete\(2\)", printed, re.MULTILINE)
    assert re.search(r"^loss +number, from 0 to 1 +0 +Probability that a packet", printed, re.M)


def test_environments_of_other_modules_are_listed(trial: str) -> None:
    assert call_for_json("info", trial, "-p", "agents=2")["env"] == "elsewhere_v0"
    status, _, errors = call("info", "no_such_module:elsewhere_v0")
    assert status == 2
    assert "no module 'no_such_module'" in errors


def test_random_plays_the_same_episodes_for_the_same_seed() -> None:
    arguments = ("random", "cart_pole_v0", "--episodes", 3, "--seed", 4, "-p", "transport=udp")
    facts = call_for_json(*arguments)
    assert [each["seed"] for each in facts["episodes"]] == [4, 5, 6]
    assert all(each["return"] == each["decisions"] for each in facts["episodes"])
    assert facts["decisions_per_second"] > 0
    assert call_for_json(*arguments)["episodes"] == facts["episodes"]
    status, printed, _ = call(*arguments)
    assert status == 0
    for each in facts["episodes"]:
        row = rf"^ *{each['seed']} +{each['return']:g} +{each['decisions']} "
        assert re.search(row, printed, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cart_pol_v0"], "no environment 'cart_pol_v0'; did you mean 'cart_pole_v0'?"),
        (
            ["cart_pole_v0", "-p", "transprt=udp"],
            "'transprt': scenario 'cart_pole' has no such parameter; did you mean 'transport'?",
        ),
        (["cart_pole_v0", "-p", "transport=udq"], "did you mean 'udp'?"),
        (["cart_pole_v0", "-p", "delay=fast"], "delay='fast' is not of type time"),
        (["cart_pole_v0", "-p", "carts=two"], "carts='two' is not of type integer"),
        (["cart_pole_v0", "-p", "carts"], "'carts' is not NAME=VALUE"),
        (["cart_pole_v0", "-p", "carts=1", "-p", "carts=2"], "'carts' is given twice"),
        (["cart_pole_v0", "--episodes", "0"], "--episodes"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], message: str) -> None:
    status, printed, errors = call("random", *arguments)
    assert (status, printed) == (2, "")
    assert message in errors


def test_a_parameter_in_ns3_spelling_gets_a_hint_from_each_command(tmp_path: Path) -> None:
    said = "it is called 'action_delay', as parameters are written in lower_snake_case."
    with pytest.raises(UnknownParameter, match=said):
        defiance_zoo.make("cart_pole_v0", actionDelay="5ms")
    status, _, errors = call("random", "cart_pole_v0", "-p", "actionDelay=5ms")
    assert (status, said in errors) == (2, True)
    run = tmp_path / "run.yaml"
    run.write_text("env: cart_pole_v0\nparameters: {actionDelay: 5ms}\nalgorithm: PPO\nsteps: 64\n")
    status, _, errors = call("train", run, "--out", tmp_path / "run")
    assert (status, said in errors) == (2, True)


def test_the_name_of_an_own_environment_gets_a_hint_at_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the folder that `defiance-zoo new` wrote, and in the folder above it."""
    (tmp_path / "hint_here" / "hint_here").mkdir(parents=True)
    (tmp_path / "hint_here" / "hint_here" / "__init__.py").write_text("")
    monkeypatch.chdir(tmp_path / "hint_here")
    assert "did you mean hint_here:hint_here_v0?" in call("random", "hint_here_v0")[2]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    errors = call("random", "hint_here:hint_here_v0")[2]
    assert f"{tmp_path / 'hint_here'} has no __init__.py" in errors
    assert "no environment 'path_v0'" in call("random", "sys:path_v0")[2]  # it has no file


def test_many_names_are_on_lines_of_their_own() -> None:
    _, _, errors = call("random", "cart_pol")
    first, *lines = errors.splitlines()
    assert first.endswith("no environment 'cart_pol'; did you mean 'cart_pole_v0'? There are")
    assert all(line.startswith("  ") for line in lines)
    assert "cart_pole_v0, cell_power_v0, " in errors
    assert max(map(len, lines)) < 80
    _, _, errors = call("eval", "cart_pole_v0", "--policy", "pol")
    assert "did you mean 'pole'? There are constant, file, " in errors.splitlines()[0]


@pytest.mark.parametrize(("name", "value"), [("delay", "10ms"), ("initial_state", "0,0,0.1,0")])
def test_texts_and_times_may_be_given_without_quotes(name: str, value: str) -> None:
    facts = call_for_json("random", "cart_pole_v0", "--episodes", 1, "-p", f"{name}={value}")
    assert facts["parameters"] == {name: value}


def test_a_failed_simulation_is_reported_with_its_last_output(trial: str) -> None:
    status, printed, errors = call(
        "random", trial, "-p", "scenario_case=fatal", "-p", "duration=1s"
    )
    assert (status, printed) == (1, "")
    assert re.search(r"^Error: .*SIGABRT.*its last words:\n.*NS_FATAL", errors, re.S), errors


@pytest.mark.parametrize(
    ("env", "parameters", "refused", "why"),
    [
        ("handover_v0", ["duration=400ms"], "trend", "give observation='neighbours'"),
        ("packet_routing_v0", ["duration=400ms", "decisions=epoch"], "q_routing", "decisions="),
    ],
)
def test_only_a_named_policy_has_to_accept_the_parameters(
    env: str, parameters: list[str], refused: str, why: str
) -> None:
    flags = ("--episodes", 1, *(word for each in parameters for word in ("-p", each)))
    found = call_for_json("eval", env, *flags)
    assert "random" in found["policies"]
    assert list(found["refused"]) == [refused]
    assert why in found["refused"][refused]
    status, printed, _ = call("eval", env, *flags)
    assert (status, f"Not played: {refused}: " in printed) == (0, True)
    status, _, errors = call("eval", env, *flags, "--policy", refused)
    assert (status, why in errors) == (2, True)


def test_parameters_that_contradict_each_other_are_refused_by_eval() -> None:
    contradiction = ("-p", "placement=central", "-p", "agents=cell")
    status, printed, errors = call("eval", "handover_v0", *contradiction)
    assert (status, printed) == (2, "")
    assert errors.startswith("Error: agents=cell needs placement=local")


def test_named_policies_are_evaluated_without_a_run() -> None:
    flags = ("-p", "duration=200ms", "--episodes", 2, "--seed", 3)
    named = ("--policy", "lookahead", "--policy", "pole", "-o", "lookahead.horizon=3")
    found = call_for_json("eval", "cart_pole_v0", *flags, *named)
    assert list(found["policies"]) == ["lookahead", "pole"]
    assert found["policies"]["lookahead"]["returns"] == [10.0, 10.0]
    status, printed, _ = call("eval", "cart_pole_v0", *flags)
    assert status == 0
    assert "lookahead" not in printed
    assert "state_feedback" in printed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cart_pol_v0"], "did you mean 'cart_pole_v0'"),
        (["cart_pole_v0", "--policy", "poles"], "did you mean 'pole'"),
        (["cart_pole_v0", "--policy", "lookahead", "-o", "lookahead.horizn=3"], "'horizon'"),
        (["cart_pole_v0", "--policy", "pole", "-o", "lookahead.horizon=3"], "names ['pole']"),
        (["cart_pole_v0", "-o", "horizon=3"], "--policy names none"),
        (["cart_pole_v0", "--policy", "pole", "-o", "x=3"], "did you mean 'pole.x'?"),
        (["cart_pole_v0", "--policy", "pole", "--policy", "pole"], "given twice"),
        (["cart_pole_v0", "--policy", "pole", "--no-baselines"], "exclude each other"),
        (["cart_pole_v0", "--no-baselines"], "only baselines"),
        (["runs/a", "--leaderboard", "--seed", "3"], "only --episodes and --traces can be"),
        (["runs/a", "--leaderboard"], "runs/a is not a folder"),
        (["runs/a", "runs/b"], "need --leaderboard"),
        (["runs/a", "--name", "mine"], "need --leaderboard"),
    ],
)
def test_policies_that_do_not_fit_the_environment_are_refused(
    arguments: list[str], said: str
) -> None:
    status, printed, errors = call("eval", *arguments)
    assert (status, printed) == (2, "")
    assert said in " ".join(errors.split())


def test_agents_of_a_zero_sum_game_have_separate_columns() -> None:
    status, printed, _ = call("eval", "jamming_v0", "--episodes", 2, "-p", "duration=50ms")
    assert status == 0
    headings, *rows = printed.splitlines()[3:6]
    assert headings.split()[-2:] == ["agent_0", "agent_1"]
    for row in rows:
        earned, lost = row.split()[-2:]
        assert float(earned) == -float(lost)
    assert "compare policies by the columns of agents" in printed


def test_equal_episodes_are_reported_as_equal() -> None:
    arguments = ("eval", "cart_pole_v0", "-p", "duration=20ms")
    _, printed, _ = call(*arguments, "--episodes", 2)
    assert (
        "All episodes of every policy had the same return: the interval is meaningless." in printed
    )
    _, printed, _ = call(*arguments, "--episodes", 1)
    assert "1 episode, seed 1000" in printed
    assert "the interval is meaningless" not in printed


def test_gymnasium_is_a_value_of_interface() -> None:
    env = defiance_zoo.make("cart_pole_v0", api="gymnasium")
    same = gymnasium.make("defiance_zoo/CartPole-v0")
    assert env.reset(seed=3)[0].tolist() == same.reset(seed=3)[0].tolist()
    env.close()
    same.close()
    with pytest.raises(NotSingleAgent):
        defiance_zoo.make("cart_pole_v0", api="gymnasium", carts=2)
    with pytest.raises(ParameterError, match="not one of"):
        defiance_zoo.make("cart_pole_v0", api="gym")


def test_policies_are_trained_and_evaluated_on_separate_traces(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("0 1\n1 2\n2 1\n")
    flags = ("--traces", tmp_path, "-p", "chunks=2", "--episodes", 1, "--policy", "constant")
    found = call_for_json("eval", "video_streaming_v0", *flags)
    assert found["parameters"]["trace_file"] == {"traces": [str(tmp_path), "held_out"]}
    status, _, errors = call("eval", "cart_pole_v0", "--traces", tmp_path)
    assert (status, "has no parameter for capacity traces" in errors) == (2, True)
    (tmp_path / "b").write_text("0 1\n1\n")
    (tmp_path / "c").write_text("0 1\n1\n")
    arguments = ("--traces", tmp_path, "--out", tmp_path / "run", "--algorithm", "PPO")
    status, _, errors = call("train", "video_streaming_v0", *arguments, "--steps", 64)
    assert (status, "/" in errors, "line 2" in errors) == (2, True, True)
    assert not (tmp_path / "run").exists()
