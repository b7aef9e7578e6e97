# SPDX-License-Identifier: GPL-2.0-only
"""BenchMARL trains in the zoo with the task of docs/training/clients.md."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from client_page import run_program

torch.set_num_threads(1)
GAME = {'"cart_pole_v0", {"carts": 3, "transport": "udp"}': '"jamming_v0", {"duration": "20ms"}'}
WRAPPED = "PettingZooWrapper(FixedInfos(env), seed=seed, device=device, return_state=True)"
SUPERSUIT = "__import__('supersuit').black_death_v3(FixedInfos(env))"
LAST = {WRAPPED: WRAPPED.replace("seed=seed", "seed=seed, done_on_any=False")}
MAPPO = {
    "IppoConfig.get_from_yaml()": "MappoConfig.get_from_yaml()",
    "import IppoConfig": "import MappoConfig",
}
QMIX = {
    **{each: new.replace("Mappo", "Qmix") for each, new in MAPPO.items()},
    "experiment = Experiment(": """
config.off_policy_collected_frames_per_batch, config.off_policy_n_envs_per_worker = 200, 2
config.off_policy_n_optimizer_steps, config.off_policy_train_batch_size = 2, 50
experiment = Experiment(""",
}
ZEROS = {WRAPPED: LAST[WRAPPED].replace("FixedInfos(env)", SUPERSUIT)}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("replaced", "least", "most"),
    [
        ({}, 8, 40),  # the first fall ends the episode of all carts
        (ZEROS, 10, 60),  # carts fall one after the other
        (GAME, -20, 20),  # two agents whose infos have texts
        (MAPPO, 8, 40),  # a critic that reads the global state
        (QMIX, 8, 40),  # a mixer that reads the global state
    ],
    ids=["first", "zeros", "game", "mappo", "qmix"],
)
def test_benchmarl_trains(replaced: dict[str, str], least: float, most: float) -> None:
    experiment = run_program("BenchMARL", replaced=replaced)["experiment"]
    assert experiment.total_frames == 400
    assert least <= experiment.mean_return <= most


def test_agents_that_leave_before_others_need_black_death() -> None:
    with pytest.raises(ValueError, match="Dead agents found in the environment"):
        run_program("BenchMARL", replaced=LAST)
