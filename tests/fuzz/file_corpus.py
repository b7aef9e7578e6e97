# SPDX-License-Identifier: GPL-2.0-only
"""Small files of each kind, as this package writes them."""

from __future__ import annotations

import contextlib
import itertools
import json
import pickle
import random
import shutil
from pathlib import Path
from typing import Any

from optuna.trial import TrialState

from defiance_zoo import make
from defiance_zoo.bridge.system.whole_files import to_json
from defiance_zoo.envs import partition_v0
from defiance_zoo.experiments.training import RunConfig, create_trainer
from defiance_zoo.experiments.training.checkpoints import Counters, save_checkpoint
from defiance_zoo.experiments.training.metrics import CSV
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.tuning import build_tuning
from defiance_zoo.experiments.tuning.trials import Trials
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.games.game import Seats
from defiance_zoo.population.members import PolicyRecord, PolicyStore
from defiance_zoo.population.payoff_table import Cell, Outcome, PayoffTable, write_table
from defiance_zoo.population.running.state import PopulationFolder
from defiance_zoo.protocols.explorers.registry import EXPLORERS, make_explorer
from defiance_zoo.recording import Record, read_recording
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

ROOT = Path(__file__).resolve().parents[2]


def write_corpus(folder: Path) -> None:
    """Write a folder of each kind; this starts some simulations."""
    _write_recordings(folder)
    _write_training(folder)
    _write_explorers(folder / "explorer")
    _write_population(folder)
    _write_described(folder)
    _write_results(folder)
    _write_graphs(folder)
    _write_policy_file(folder / "policy_file")


def _write_recordings(folder: Path) -> None:
    record = Record(folder / "recorded")
    env: Any = make("cart_pole_v0", link="local", record=record, max_cycles=8)
    with contextlib.closing(env):
        _play(env, 1)
    shutil.move(record.written[0], folder / "episode")
    record = Record(folder / "tested")
    arguments = {"infos": "all", "message_events": True, "histories": True, "horizon": 12}
    env = partition_v0.SPEC.raw_env(link="local", record=record, **arguments)
    with contextlib.closing(env):
        _play(env, 2)
    (folder / "recording").mkdir()
    recording = read_recording(record.written[0])
    (folder / "recording" / "single.json").write_text(recording.to_json())
    shutil.rmtree(folder / "tested")


def _play(env: Any, seed: int) -> None:
    draw = random.Random(seed)
    env.reset(seed=seed)
    while env.agents:
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        count = env.action_space(env.agent_selection).n
        mask = info.get("action_mask", [1] * count)
        env.step(draw.choice([action for action in range(count) if mask[action]]))


def _write_training(folder: Path) -> None:
    config = RunConfig(
        env="cart_pole_v0",
        simulations=1,
        hyperparameters={"n_steps": 8, "batch_size": 8, "policy_kwargs": {"net_arch": [4]}},
    )
    trainer = create_trainer(config)
    with contextlib.closing(trainer):
        save_checkpoint(folder / "saved", config, Counters(steps=8), trainer.save, best=True)
    shutil.copytree(folder / "saved" / "step-8", folder / "checkpoint")
    shutil.rmtree(folder / "saved")
    rows = "steps,iteration,seconds,return/mean\n8,1,0.5,\n16,2,1.0,9.5\n24,3,1.5,11\n"
    (folder / "metrics").mkdir()
    (folder / "metrics" / CSV).write_text(rows)
    (folder / "run").mkdir()
    (folder / "run" / "run.yaml").write_text(to_yaml(config))


def _write_explorers(folder: Path) -> None:
    folder.mkdir()
    for name in ("bonus_max", "negrl_visits", "branch"):
        if name not in EXPLORERS:
            continue
        explorer = make_explorer(name, 0, {})
        env = GymnasiumEnv(partition_v0.SPEC, link="local", infos="all", horizon=10)
        with contextlib.closing(env):
            list(explorer.explore(env, steps=20))
        explorer.save(folder / f"{name}.gz")


def _write_population(folder: Path) -> None:
    config = PopulationConfig(env="channel_rps_v0", initial={}, generations=3)
    place = folder / "population"
    place.mkdir()
    table = PayoffTable(Seats(("agent_0", "agent_1"), ("player", "player")))
    with contextlib.closing(PopulationFolder(place)) as held:
        held.begin(config, {})
        digest = held.store.put(_write_policy)
        names = ["random", "main-1"]
        for first, second in itertools.product(names, names):
            payoffs = {first: 1.0, second: 0.5}
            cell = Cell.of([Outcome(payoffs, payoffs, {first: [1, 2]}, {"delay": 0.5})] * 2)
            table.put((first, second), cell)
        for profile, cell in table.cells():
            held.add_cell(profile, cell)
        records = [
            PolicyRecord("random", "player", baseline="random"),
            PolicyRecord("main-1", "player", 1, "main", digest, facts={"library": "sb3"}),
        ]
        held.write_generation(
            1,
            {
                "populations": {"player": [each.to_json() for each in records]},
                "mixtures": {"player": [0.25, 0.75]},
                "figures": {"nash_conv": 0.5, "response_gain": None, "elo/random": 1000.0},
                "actions": {"player": [0.5, 0.5]},
                "cells": {"played": 3, "known": 0},
                "seconds": {"training": 1.0},
            },
        )
        held.write_pending(1, records[1:])
    write_table(table, place / "payoffs.json")
    (folder / "payoffs").mkdir()
    shutil.copy(place / "payoffs.json", folder / "payoffs" / "payoffs.json")
    PolicyStore(folder / "policy").put(_write_policy)


def _write_policy(folder: Path) -> None:
    (folder / "policy.pt").write_bytes(pickle.dumps({"weights": [0.5] * 9}))
    (folder / "policy.json").write_text('{"class": "torch.nn:Linear"}')


def _write_described(folder: Path) -> None:
    study = """
env: cart_pole_v0
parameters: {carts: 1}
grid: {delay: [0, 0.01]}
policies:
  chance: {baseline: random}
  learner: {train: {steps: 100, hyperparameters: {n_steps: 32}}}
episodes: 2
plots: [{x: delay, y: return, lines: policy}]
"""
    comparison = """
systems: {raft: {parameters: {protocol: raft}}}
policies: {chance: {explorer: random}, tables: {explorer: bonus_max, options: {alpha: 0.5}}}
seeds: 2
"""
    tuning = """
env: cart_pole_v0
evaluation: {every: 1000}
tuning: {space: {hyperparameters: {gamma: {type: float, low: 0.9, high: 1}}}}
"""
    for name, text in (("study", study), ("comparison", comparison), ("tuning", tuning)):
        (folder / name).mkdir()
        (folder / name / f"{name}.yaml").write_text(text)
    trials = Trials(folder / "tuning", build_tuning(read_yaml(folder / "tuning" / "tuning.yaml")))
    trial = trials.claim("session")
    assert trial is not None
    trials.end(trial.number, TrialState.COMPLETE, 1.5)
    (folder / "population_file").mkdir()
    population = ROOT / "benchmarks" / "populations" / "channel_rps_v0.yaml"
    shutil.copy(population, folder / "population_file" / "population.yaml")


def _write_results(folder: Path) -> None:
    (folder / "leaderboard").mkdir()
    board = ROOT / "envs" / "cart_pole" / "leaderboard.json"
    shutil.copy(board, folder / "leaderboard" / "board.json")
    cell = {"cell": {"policy": "random"}, "episodes": [{"seed": 1, "return": 2.5, "decisions": 9}]}
    found = {"step": 3, "episode": 0, "times": 1, "said": "agreement", "seed": 0, "actions": [1, 2]}
    explored = {
        "cell": {"system": "raft"}, "steps": 9, "episodes": 1, "coverage": 5, "final": {"a": 1},
        "first_final": {"a": {"step": 3, "episode": 0}}, "violations": {"agreement": found},
        "warnings": 0, "out_of_bounds": 0, "curve": [{"step": 9, "coverage": 5}],
    }  # fmt: skip
    labels = {
        "cell": {"round": 0, "seed": 1}, "agents": ["a", "a"], "observations": [[[0.5]], [[1.0]]],
        "masks": [None, [True, False]], "rewards": [1.0, 0.5], "tried": [[0, 1], None],
        "values": [[0.5, 2.0], None], "whole": True, "cpu_s": 0.1,
    }  # fmt: skip
    timed = {**cell, "wall_time_s": [0.5]}
    for name, each in (("cell", timed), ("explored", explored), ("labels", labels)):
        (folder / name / "cells").mkdir(parents=True)
        (folder / name / "cells" / "cell.json").write_text(to_json(each, 1))


def _write_graphs(folder: Path) -> None:
    routers = ' node [ id 0 label "a" ]\n node [ id 1 label "b" ]\n'
    gml = f"graph [\n{routers} edge [ source 0 target 1 ]\n]"
    graphml = (
        '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"/>'
        '<edge source="a" target="b"/></graph></graphml>'
    )
    nodes = {"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1, "delay": 0.01}]}
    plain = {"directed": False, "multigraph": False, "graph": {}, **nodes}
    for name, suffix, text in (
        ("gml", "gml", gml),
        ("graphml", "graphml", graphml),
        ("graph_json", "json", json.dumps(plain)),
        ("capacity_trace", "trace", "0 2\n1.5 0.5\n2 3\n"),
    ):
        (folder / name).mkdir()
        (folder / name / f"graph.{suffix}").write_text(text)


def _write_policy_file(folder: Path) -> None:
    folder.mkdir()
    shutil.copy(ROOT / "envs" / "tcp_congestion" / "trained_v1.onnx", folder / "policy.onnx")
