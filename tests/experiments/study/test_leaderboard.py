# SPDX-License-Identifier: GPL-2.0-only
"""Leaderboards from their file to their table, and a user's own row."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from command_calls import call, call_for_json
from studies import ROOT

from benchmarks.learning import leaderboard as benchmark
from benchmarks.learning.mean_learning_curve import combine
from benchmarks.measuring.result_files import RESULTS
from benchmarks.publishing import tables
from defiance_zoo.bridge.simulation import Parameter, describe
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import agent_spaces
from defiance_zoo.experiments.study import PolicyConfig
from defiance_zoo.experiments.study.leaderboard.board import Entry, play_entries, read_leaderboard
from defiance_zoo.experiments.study.leaderboard.document import (
    markdown,
    new_document,
    read_any,
    read_document,
    update,
)
from defiance_zoo.experiments.training import RunConfig, train

BOARD: dict[str, Any] = {
    "env": "boards:board_v0",
    "parameters": {"duration": "200ms", "transport": "udp"},
    "deployments": {"near": {}, "far": {"delay": "100ms"}},
    "episodes": 2,
    "policies": {
        "chance": {"baseline": "random"},
        "ahead": {"baseline": "lookahead", "options": {"horizon": 2, "then": "pole"}},
    },
    "trained": {"PPO": "sb3_ppo"},
}


MODULE = """
from pathlib import Path
from defiance_zoo.environments import EnvironmentSpec, PolicyMaker, lookup, register
from defiance_zoo.experiments.evaluation import RandomPolicy

known = lookup("cart_pole_v0")
path = Path(__file__).with_name("leaderboard.yaml")
seer = PolicyMaker(
    lambda env, seed, _: RandomPolicy(env.action_space, seed), __name__, kind="reference"
)
spec = EnvironmentSpec(
    "board_v0", known.scenario, baselines={**known.baselines, "seer": seer}, leaderboard=path
)
register("board_v0", spec)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a module that registers a copy of cart_pole, and its leaderboard."""
    path = tmp_path_factory.mktemp("boards")
    (path / "boards.py").write_text(MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path)  # for workers, too
        yield path


@pytest.fixture
def write(folder: Path) -> Any:
    """Write that leaderboard again with changes."""

    def write_board(**changes: Any) -> None:
        text = yaml.safe_dump({**BOARD, **changes}, sort_keys=False)
        (folder / "leaderboard.yaml").write_text(text)

    write_board()
    return write_board


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two short runs that differ in their seed."""
    found = []
    for seed in (1, 2):
        folder = tmp_path_factory.mktemp("runs") / f"mine_{seed}"
        config = RunConfig(
            env="cart_pole_v0",
            parameters={"duration": "200ms"},
            hyperparameters={"n_steps": 32, "batch_size": 32, "n_epochs": 1},
            steps=64,
            seed=seed,
        )
        train(config, folder)
        found.append(folder)
    return found


def test_each_policy_is_a_row_of_the_same_episodes(write: Any, tmp_path: Path) -> None:
    board = read_leaderboard("boards:board_v0")
    assert list(board.deployments) == ["near", "far"]
    entries = [Entry(name, policy) for name, policy in board.config.policies.items()]
    rows = play_entries(board, entries, tmp_path / "played", workers=1)
    # The last of the ten samples are still in flight at the end.
    assert rows["ahead"]["deployments"]["near"]["mean"] == 10
    assert rows["ahead"]["deployments"]["far"]["mean"] < 10
    halves = [each["mean"] for each in rows["chance"]["deployments"].values()]
    assert rows["chance"]["mean"] == pytest.approx(sum(halves) / 2)
    assert rows["ahead"]["what"] == "lookahead, horizon=2, then=pole"
    assert {"defiance-zoo", "ns-3"} == set(rows["ahead"]["versions"])
    assert all(row["wall_time_s"] > 0 for row in rows.values())
    events: list[Any] = []
    again = play_entries(board, entries, tmp_path / "played", report=events.append)
    assert again == rows
    assert events[0]["finished"] == 4
    text = markdown(update(new_document(board), rows))
    assert re.search(r"\| policy \| return per unit \| 95 % interval \| near \| far \|", text)
    assert len({line.count("|") for line in text.splitlines()}) == 1
    odd = markdown(update(new_document(board), {**rows, "left | right\nor both": rows["chance"]}))
    assert r"| left \| right or both |" in odd
    assert odd.count("\n") == text.count("\n") + 1


def test_policies_that_know_the_future_are_no_hand_written_rows(write: Any, tmp_path: Path) -> None:
    kinds = {
        "pole": "hand-written",
        "random": "hand-written",
        "lookahead": "reference",
        "state_feedback": "reference",
        "seer": "reference",
        "file": "trained",
    }
    policies: dict[str, Any] = {name: {"baseline": name} for name in kinds}
    policies["lookahead"]["options"] = {"horizon": 1}
    policies["file"]["options"] = {"path": str(lookup("cart_pole_v0").trained)}
    changes = {"parameters": {"duration": "100ms"}, "references": ["state_feedback"]}
    write(policies=policies, episodes=1, **changes)
    board = read_leaderboard("boards:board_v0")
    entries = [Entry(name, policy) for name, policy in board.config.policies.items()]
    rows = play_entries(board, entries, tmp_path / "played", workers=1)
    assert {name: row["kind"] for name, row in rows.items()} == kinds


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"policies": {"a": {"baseline": "pole", "only": {"deployment": "far"}}}},
            "in all deployments",
        ),
        ({"policies": {"a": {"train": {}}}}, "under trained"),
        ({"exclude": [{"deployment": "far"}]}, "remove exclude"),
        ({"trained": {"chance": "sb3_ppo"}}, "both in policies"),
        ({"references": ["ahead", "nobody"]}, r"references \['nobody'\] are not in policies"),
        ({"measure": "throughput"}, "measure='throughput' is not known"),
        ({"trianed": {}}, "did you mean 'trained'"),
    ],
)
def test_invalid_leaderboards_are_refused(write: Any, changes: dict[str, Any], said: str) -> None:
    write(**changes)
    with pytest.raises(ParameterError, match=said):
        read_leaderboard("boards:board_v0")


def test_rows_of_other_deployments_or_seeds_are_not_mixed(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(new_document(read_leaderboard("boards:board_v0"))))
    assert read_document(path, read_leaderboard("boards:board_v0"))["results"] == {}
    document = new_document(read_leaderboard("boards:board_v0"))
    path.write_text(json.dumps(document | {"task": document["task"] | {"deployments": {}}}))
    with pytest.raises(ParameterError, match="has other deployments, seeds or episodes"):
        read_document(path, read_leaderboard("boards:board_v0"))
    write(seed=7)
    with pytest.raises(ParameterError, match="has other deployments, seeds or episodes"):
        read_document(path, read_leaderboard("boards:board_v0"))
    for text in ("[]", "{}", "no JSON"):
        path.write_text(text)
        with pytest.raises(ParameterError, match="holds no leaderboard"):
            read_document(path, read_leaderboard("boards:board_v0"))


@pytest.mark.parametrize(
    "change",
    [
        {"scores": {"near": [1.0, 2.0, 3.0], "far": [1.0, 2.0]}},
        {"scores": {"near": [1.0, 2.0, 3.0]}},
        {"scores": {"near": [], "far": []}},
        {"returns": {"near": [[1.0]], "far": [[1.0]]}},
        {"returns": {"near": [[1.0]] * 3, "far": [[1.0, 2.0]] * 3}},
        {"deployments": {"near": {"mean": 1.0, "ci95": [0.0, 2.0]}}},
    ],
)
def test_rows_of_unequal_lengths_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    places = {key: {"mean": 1.0, "ci95": [0.0, 2.0]} for key in ("near", "far")}
    row = {"kind": "trained", "mean": 1.0, "ci95": [0.0, 2.0], "deployments": places}
    row |= {"wall_time_s": 1.0, "episodes": 1, "runs": 3, "what": "", "versions": {}}
    task = {"env": "e_v0", "deployments": {"near": {}, "far": {}}, "episodes": 1, "seed": 0}
    document = {"key": "", "task": task | {"measure": "return"}, "interval": "", "results": {}}
    path = tmp_path / "board.json"
    path.write_text(json.dumps(document | {"results": {"a": row}}))
    assert "| a |" in markdown(read_any(path))
    path.write_text(json.dumps(document | {"results": {"a": row | change}}))
    with pytest.raises(ParameterError, match="holds no leaderboard"):
        read_any(path)


@pytest.mark.long
def test_runs_must_be_trained_in_the_environment_they_play(
    write: Any, runs: list[Path], tmp_path: Path
) -> None:
    board = read_leaderboard("boards:board_v0")
    with pytest.raises(ParameterError, match="was trained in cart_pole_v0, not boards:board_v0"):
        play_entries(board, [Entry("mine", runs=tuple(runs))], tmp_path / "played")


def test_a_measure_missing_in_all_episodes_is_reported(write: Any, tmp_path: Path) -> None:
    write(measures={"rate": {"info": "throughput"}}, measure="rate")
    board = read_leaderboard("boards:board_v0")
    entry = Entry("pole", PolicyConfig(baseline="pole"))
    with pytest.raises(ParameterError, match="no rate in some episodes"):
        play_entries(board, [entry], tmp_path / "played", workers=1)


@pytest.mark.long
def test_a_user_may_add_a_row(runs: list[Path], tmp_path: Path) -> None:
    """Several runs of one policy are one row, whose interval is over the runs."""
    out = tmp_path / "mine.json"
    command = ["eval", "--leaderboard", *runs, "--name", "mine", "--episodes", 2, "--out", out]
    done = subprocess.run(
        [sys.executable, "-m", "defiance_zoo", *map(str, command)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert re.search(r"\n\* +mine ", done.stdout)
    row = json.loads(out.read_text())["results"]["mine"]
    assert (row["runs"], row["episodes"]) == (2, 2)
    assert row["ci95"] == [None, None]  # two runs are too few
    assert [np.shape(each) for each in row["returns"].values()] == [(2, 2)] * 4
    assert "range of 2 runs" in done.stdout
    assert "stable-baselines3" in row["versions"]
    assert row["trained_in"] == []  # runs without a network


@pytest.mark.long
def test_runs_are_compared_with_each_other(runs: list[Path], tmp_path: Path) -> None:
    """A run compared with itself is no improvement."""
    twin = tmp_path / "twin"
    shutil.copytree(runs[0], twin, symlinks=True)
    flags = ("eval", "--leaderboard", "--compare", runs[0], twin, "--episodes", 2)
    found = call_for_json(*flags, "--out", tmp_path / "mine.json")
    assert found["rows"] == [runs[0].name, "twin"]
    (compared,) = found["compared"]
    assert (compared["name"], compared["other"], compared["wins"]) == (runs[0].name, "twin", 0)
    assert compared["probability"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert compared["difference"] == {"value": 0, "low": 0, "high": 0}
    for wrong in ((runs[0],), (runs[0], runs[0]), (*runs, "--name", "both")):
        status, _, errors = call("eval", "--leaderboard", "--compare", *wrong)
        assert status == 2
        assert "--compare needs several RUNs with different names" in errors
    status, _, errors = call("eval", "--compare", *runs)
    assert (status, "need --leaderboard" in errors) == (2, True)


def test_reduced_leaderboards_run_and_keep_rows_of_missing_policies(tmp_path: Path) -> None:
    kept = tmp_path / "results" / "leaderboard" / "cart_pole_v0.json"
    kept.parent.mkdir(parents=True)
    board = read_leaderboard("cart_pole_v0").with_episodes(1)
    kept.write_text(
        json.dumps(
            update(new_document(board), {"PPO (SB3)": {"mean": 1.0}, "of the past": {"mean": 1.0}})
        )
    )
    board.config.policies.pop("lookahead")  # it takes long; other tests play it
    there, missing = benchmark.entries(board, tmp_path / "none")
    names = [*board.config.policies, "PPO (SB3), eight frames, shipped"]
    assert [each.name for each in there] == names
    assert missing == list(board.config.trained)
    assert set(benchmark.known_rows(board, kept.parent)) == {"PPO (SB3)", "of the past"}
    assert benchmark.known_rows(board.with_episodes(3), kept.parent) == {}


def zoo_environments() -> list[str]:
    """Return the environments of this project with a leaderboard; tests register others."""
    found = []
    for env in benchmark.environments():
        path = lookup(env).leaderboard
        if path is not None and path.is_relative_to(ROOT):
            found.append(env)
    return found


SHARED = (
    "placement transport access delay action_delay data_rate loss distance workers service_time "
    "service_time_distribution slowdown buffer_size full_buffer training_server server_transport "
    "server_data_rate server_delay server_loss duration reward"
)
"""Parameters of events, duration and reward in the shared deployment, equal for all policies.

`placement` too: it decides which delays a decision has, and how many agents share a reward.
"""

WORLD = {
    "cell_power_v0": "cells users_per_cell movement user_distance min_power max_power interval "
    "spacing resource_blocks path_loss_exponent shadowing noise_figure demand speed target_sinr "
    "sinr_weight throughput_weight power_weight messages message_delay message_data_rate "
    "message_loss",
    "cell_sleep_v0": "cells users spacing resource_blocks path_loss_exponent base_station demand "
    "profile shift day wake_time interval unserved_price energy_price",
    "channel_access_v0": "channels radios interferer dwell activity interferer_power may_wait slot",
    "channel_rps_v0": "opponent slot",
    "handover_v0": "cells users agents power spacing resource_blocks path_loss_exponent shadowing "
    "noise_figure demand speed interval handover_price failure_price",
    "jamming_v0": "channels bandwidths path_losses jammer_power budget role opponent slot",
    "multi_access_v0": "users links traffic rate packet_size on_time off_time window wifi_rate "
    "lte_rate trace_file wifi_delay lte_delay queue resource_blocks speed reorder_timeout interval "
    "delay_price",
    "networked_control_v0": "tick over network delay loss data_rate distance standard traffic "
    "compute compute_times workers actions send byte_price plants plant_arguments plant_options "
    "plant_infos plant_seed pictures",
    "packet_routing_v0": "topology link_rate link_delay buffer metric hop_limit failure_interval "
    "repair_time traffic packet_rate packet_size packet_sizes resize matrix matrix_seed day "
    "day_amplitude on_time off_time warm_up record_packets controlled loss_price",
    "tcp_congestion_v0": "flows cross_traffic cross_flows interval join_interval stay start_jitter "
    "segment_size initial_window max_window socket_buffer min_rto recovery topology hops "
    "bottleneck_rate bottleneck_delay bottleneck_loss capacity_steps capacity_trace leaf_rate "
    "leaf_delay leaf_jitter queue_discipline buffer device_queue ecn queue_agent "
    "throughput_weight delay_weight loss_weight mix reward_per",
    "wifi_contention_v0": "stations final_stations payload alpha",
    "wifi_rate_control_v0": "situation stations farthest speed interferer_distance interference "
    "fading standard channel_width streams aggregation payload control interval",
}
WORLD["channel_sharing_v0"] = WORLD["channel_access_v0"]
WORLD["networked_cheetah_v0"] = WORLD["networked_spread_v0"] = WORLD["networked_control_v0"]
WORLD["cell_sleep_v1"] = WORLD["cell_sleep_v0"]
WORLD["handover_v1"] = WORLD["handover_v0"]
WORLD["tcp_congestion_v1"] = WORLD["tcp_congestion_v0"]
"""Parameters of simulation and reward, for leaderboards that leave parameters to policies.

Where a leaderboard has no `policy_parameters`, all parameters are of the world. Rewards that come
with each decision are summed up: so `interval`, and `control` of wifi_rate_control_v0, decide what
is earned, but for wifi_contention_v0, which measures throughput.
"""

RULES = (
    "carts cells users users_per_cell channels may_wait migration terminate_when_fallen agents "
    "standard streams stations flows queue_agent"
)
"""Parameters that change the spaces of agents: sizes, and rules of the game."""


def test_every_parameter_outside_of_the_world_is_left_to_policies() -> None:
    """A new parameter fails here until it is assigned to the world or to policies."""
    boards = {env: read_leaderboard(env) for env in zoo_environments()}
    assert {env for env, board in boards.items() if board.config.policy_parameters} == set(WORLD)
    for env, board in boards.items():
        declared, world = set(declared_parameters(env)), set(world_of(env))
        own, shared = set(board.config.policy_parameters), set(SHARED.split())
        assert world <= declared, env
        assert declared - world - (shared - own) == own, env
        from_infos = board.config.measure in board.config.measures  # the measure is another one
        common = lookup(env).common_reward and board.config.measure == "return"  # whoever decides
        assert from_infos or common or not own & shared, env


def declared_parameters(env: str) -> Mapping[str, Parameter]:
    """Return the parameters of an environment's scenario."""
    scenario = lookup(env).scenario
    return describe(scenario.locate(scenario.defaults)).parameters


def world_of(env: str) -> list[str]:
    """Return the parameters of an environment that determine the simulation and the rewards."""
    if env in WORLD:
        return WORLD[env].split()
    return [name for name in declared_parameters(env) if name not in SHARED.split()]


@pytest.mark.long
def test_no_parameter_of_the_world_determines_what_policies_observe() -> None:
    """A parameter that changes spaces is a rule of the game, not a policy's choice."""
    changed = set()
    for env in zoo_environments():
        board, spec = read_leaderboard(env), lookup(env)
        arguments = next(iter(board.deployments.values()))
        known = next(iter(agent_spaces(spec, arguments).values()))
        declared = declared_parameters(env)
        for name in world_of(env):
            value = another_value(declared[name], arguments.get(name, declared[name].value))
            if value is None:
                continue
            with contextlib.suppress(ParameterError):  # the value contradicts the others
                spaces = agent_spaces(spec, {**arguments, name: value})
                if next(iter(spaces.values())) != known:
                    changed.add(name)
    assert changed <= set(RULES.split())
    assert {"channels", "cells"} <= changed


def another_value(parameter: Parameter, value: Any) -> Any:
    """Return another value of a parameter; None if any other value changes only a number."""
    if parameter.choices:
        return next(each for each in parameter.choices if each != value)
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else None


def test_baselines_have_no_parameters_unavailable_to_runs(write: Any) -> None:
    policies = {"quick": {"baseline": "pole", "parameters": {"action_delay": "1ms"}}}
    write(policies=policies)
    with pytest.raises(ParameterError, match=r"add \['action_delay'\] in policy_parameters"):
        read_leaderboard("boards:board_v0")
    write(policies=policies, policy_parameters=["action_delay"])
    assert read_leaderboard("boards:board_v0").config.policies["quick"].parameters


def test_references_may_set_every_parameter(write: Any, tmp_path: Path) -> None:
    """A rule plays without the network of the deployment, from equal starts."""
    beside = {"baseline": "pole", "parameters": {"transport": "simple", "delay": "0s"}}
    write(policies={"pole": {"baseline": "pole"}, "beside": beside}, references=["beside"])
    board = read_leaderboard("boards:board_v0")
    entries = [Entry(name, policy) for name, policy in board.config.policies.items()]
    rows = play_entries(board, entries, tmp_path / "played", workers=1)
    near, far = rows["beside"]["returns"].values()
    assert near == far
    assert rows["pole"]["returns"]["near"] != rows["pole"]["returns"]["far"]


def test_runs_play_with_their_training_parameters(write: Any, runs: list[Path]) -> None:
    """Also with default values, if the leaderboard sets other ones for other policies."""
    write(
        parameters={"transport": "udp", "access": "csma", "action_delay": "1ms"},
        policy_parameters=["action_delay", "access", "workers", "duration"],
    )
    board = read_leaderboard("boards:board_v0")
    (policy,) = Entry("mine", runs=tuple(runs[:1])).policies(board).values()
    assert policy.parameters.pop("action_delay") in ("0s", "+0ns", "0ns")
    assert policy.parameters == {"access": "point-to-point", "duration": "200ms"}


@pytest.mark.parametrize(
    ("env", "short"),
    [("video_streaming_v0", {"chunks": 2}), ("multi_access_v0", {"duration": "1s"})],
)
def test_a_leaderboard_is_played_on_the_held_out_traces_of_a_folder(
    env: str, short: dict[str, Any], tmp_path: Path
) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    for number in (1, 2, 3):
        (traces / f"{number}.txt").write_text(f"0 {number}\n10 1\n")
    drawn = {"trace_file": {"traces": [str(traces), "held_out"]}, **short}
    board = read_leaderboard(env).with_episodes(2).on_traces(drawn)
    assert list(board.deployments) == ["held-out traces"]
    assert board.key != read_leaderboard(env).with_episodes(2).key
    entry = Entry("constant", PolicyConfig(baseline="constant"))
    rows = play_entries(board, [entry], tmp_path / "played", workers=0)
    ((returns,),) = rows["constant"]["returns"].values()
    assert len(returns) == 2


@pytest.mark.parametrize(
    ("parameters", "places"),
    [
        ({}, []),  # over simple messages
        ({"transport": "udp"}, ["near"]),
        ({"transport": "udp", "delay": 0.1, "link": "local"}, ["far"]),
        ({"transport": "udp", "delay": {"uniform": ["0ms", "99ms"]}}, ["near"]),
        (
            {"transport": {"choice": ["tcp", "udp"]}, "delay": {"choice": ["100ms", "0s"]}},
            ["near", "far"],
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::defiance_zoo.errors.MissingUnitWarning")
def test_deployments_of_the_training_are_marked(
    write: Any, parameters: dict[str, Any], places: list[str]
) -> None:
    board = read_leaderboard("boards:board_v0")
    assert board.deployments_in({"duration": "200ms", **parameters}) == places
    means = {place: {"mean": 1.0, "ci95": [0.0, 2.0]} for place in board.deployments}
    row = {"mean": 1.0, "ci95": [0.0, 2.0], "deployments": means, "wall_time_s": 1.0, "what": ""}
    row |= {"kind": "trained", "runs": 1, "episodes": 2, "versions": {}, "trained_in": places}
    assert markdown(update(new_document(board), {"mine": row})).count("†") == len(places)


@pytest.mark.benchmark
@pytest.mark.timeout(600)
def test_every_leaderboard_can_be_played(tmp_path: Path) -> None:
    """One episode of each policy, played like in `make leaderboard`."""
    command = ["-m", "benchmarks.learning.leaderboard", "--quick", f"--out={tmp_path}"]
    places = [f"--played={tmp_path / 'played'}", f"--trained={tmp_path / 'none'}"]
    subprocess.run([sys.executable, *command, *places], cwd=ROOT, check=True)
    for env in zoo_environments():
        board = read_leaderboard(env)
        document = json.loads((tmp_path / "leaderboard" / f"{env}.json").read_text())
        played = {name for name in document["results"] if not name.endswith(", shipped")}
        assert played == set(board.config.policies)
        assert markdown(document)


def test_stored_results_match_the_leaderboards_of_the_repository() -> None:
    """Otherwise the tables show results that cannot be repeated."""
    assert {"cart_pole_v0", "edge_cart_pole_v0"} <= set(zoo_environments())
    for env in zoo_environments():
        path = RESULTS / "leaderboard" / f"{env}.json"
        document = read_document(path, read_leaderboard(env))
        assert set(read_leaderboard(env).config.policies) <= set(document["results"])
        for name in read_leaderboard(env).config.references:
            assert document["results"][name]["kind"] == "reference"
        for row in document["results"].values():
            unseen = document["task"]["deployments"].keys() - row["trained_in"]
            assert row["kind"] != "trained" or len(unseen) >= 2, f"{env}: {unseen}"
        yaml_file = lookup(env).leaderboard
        assert yaml_file is not None
        assert yaml_file.with_suffix(".json").read_text() == path.read_text()
        for page in (
            yaml_file.with_name("card.md"),
            ROOT / "docs" / "reference" / "leaderboard.md",
        ):
            assert f"<!-- table: leaderboard of {env} -->" in page.read_text()
            assert tables.fill(page.read_text(), RESULTS) == page.read_text()


def test_a_learning_curve_is_over_the_seeds_of_a_training(runs: list[Path]) -> None:
    curve = combine(runs)
    assert (curve.runs, curve.metric) == (2, "return/mean")
    assert curve.steps == sorted(curve.steps)
    assert all(a <= b <= c for a, b, c in zip(curve.low, curve.mean, curve.high, strict=True))
    with pytest.raises(ParameterError, match="have evaluation/return/mean or return/mean"):
        combine([*runs, Path("missing")])


def test_runs_of_one_iteration_have_a_curve_even_if_their_steps_differ(tmp_path: Path) -> None:
    runs = [tmp_path / str(steps) for steps in (4032, 4206)]
    for run, value in zip(runs, (10, 30), strict=True):
        run.mkdir()
        (run / "metrics.csv").write_text(f"steps,return/mean\n{run.name},{value}\n")
    curve = combine(runs)
    assert (curve.steps[0], curve.steps[-1]) == (4032, 4206)
    assert set(curve.mean) == {20.0}
