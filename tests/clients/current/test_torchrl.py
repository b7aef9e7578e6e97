# SPDX-License-Identifier: GPL-2.0-only
"""TorchRL: its own check of specifications, its collectors, and its Minari datasets.

Programs are those of docs/training/clients.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import torch
from client_page import run_program
from torchrl.collectors import Collector, MultiSyncCollector
from torchrl.data import Categorical
from torchrl.data.datasets import MinariExperienceReplay
from torchrl.envs import GymEnv, GymWrapper, PettingZooWrapper, check_env_specs
from torchrl.modules import MLP, QValueActor
from torchrl.objectives import DiscreteCQLLoss

import defiance_zoo
from defiance_zoo.errors import InvalidAction
from defiance_zoo.recording.dataset import make_dataset
from defiance_zoo.wrappers.torchrl import FixedInfos

torch.set_num_threads(1)
NAME = "defiance_zoo:defiance_zoo/CartPole-v0"
DEPLOYMENT = {"transport": "udp", "delay": "5ms", "duration": "200ms"}

WAYS: dict[str, Callable[[], Any]] = {
    "GymEnv": lambda: GymEnv(NAME, **DEPLOYMENT),
    "GymWrapper": lambda: GymWrapper(gymnasium.make(NAME, **DEPLOYMENT)),
    "PettingZooWrapper, parallel": lambda: PettingZooWrapper(
        defiance_zoo.make("cart_pole_v0", api="parallel", carts=2, **DEPLOYMENT)
    ),
    "PettingZooWrapper, AEC": lambda: PettingZooWrapper(
        defiance_zoo.make("cart_pole_v0", carts=2, **DEPLOYMENT), use_mask=True
    ),
}
LATE = {"flows": 2, "duration": "1s", "stay": "500ms", "join_interval": "200ms"}


@pytest.mark.parametrize("way", WAYS)
def test_torchrls_check_of_specifications_passes(way: str) -> None:
    env = WAYS[way]()
    check_env_specs(env, seed=1)
    env.close()


def test_a_rollout_ends_with_the_episode() -> None:
    env = GymEnv(NAME, duration="200ms", terminate_when_fallen=False)
    env.set_seed(1)
    played = env.rollout(100)
    env.close()
    assert played.shape == (10,)
    assert played["next", "reward"].sum() == 10
    assert bool(played["next", "truncated"][-1])


def require_masked(batch: Any) -> None:
    """Check that ended agents are masked, earn nothing, and stay absent for the episode."""
    alive, over = batch["agent", "mask"], batch["next", "done"].squeeze(-1)
    ended = batch["next", "agent", "done"].squeeze(-1)
    assert (batch["next", "agent", "reward"].squeeze(-1) == alive).all()
    assert (over == ended.all(-1)).all()
    assert (alive.any(-1) & ~alive.all(-1)).any()  # some leave before others
    for now, later, end, last in zip(alive, alive[1:], ended, over, strict=False):
        assert (later == (torch.ones_like(now) if last else now & ~end)).all()


def test_a_collector_masks_agents_that_have_left() -> None:
    batch = run_program("TorchRL")["batch"]
    assert batch.shape == (200,)
    require_masked(batch)


def make_carts() -> Any:
    carts = defiance_zoo.make("cart_pole_v0", api="parallel", carts=3)
    return PettingZooWrapper(FixedInfos(carts), use_mask=True, done_on_any=False)


def test_collectors_in_processes_mask_agents_that_have_left() -> None:
    collector = MultiSyncCollector([make_carts] * 2, None, frames_per_batch=200, total_frames=200)
    for batch in collector:
        assert batch.shape == (2, 100)
        for each in batch:
            require_masked(each)
    collector.shutdown()


def test_a_collector_alternates_agents_until_the_first_agent_leaves() -> None:
    carts = defiance_zoo.make("cart_pole_v0", carts=3)
    env = PettingZooWrapper(carts, use_mask=True, done_on_any=True)
    collector = Collector(env, None, frames_per_batch=200, total_frames=200)
    (batch,) = collector
    collector.shutdown()
    agents = [f"agent_{number}" for number in range(3)]
    acting = torch.stack([batch[agent, "mask"].squeeze(-1) for agent in agents])
    ended = torch.stack([batch["next", agent, "done"].squeeze() for agent in agents])
    assert (acting.sum(0) == 1).all()
    assert batch["next", "done"].any()
    assert (batch["next", "done"].squeeze(-1) == ended.any(0)).all()


def test_a_collector_acts_for_a_turn_based_agent_that_has_left() -> None:
    """TorchRL gives an action where PettingZoo accepts only None."""
    env = PettingZooWrapper(defiance_zoo.make("cart_pole_v0", carts=3), use_mask=True)
    collector = Collector(env, None, frames_per_batch=400, total_frames=400)
    with pytest.raises(ValueError, match="the only valid action is None"):
        list(collector)


FAULTS = {"jamming_v0": "invalid data type 'str'", "tcp_congestion_v0": "item assignment"}


@pytest.mark.parametrize("name", FAULTS)
def test_infos_that_are_no_numbers_or_come_late_need_FixedInfos(name: str) -> None:
    make = functools.partial(
        defiance_zoo.make, name, api="parallel", **(LATE if "tcp" in name else {"duration": "20ms"})
    )
    with pytest.raises(TypeError, match=FAULTS[name]):
        PettingZooWrapper(make(), use_mask=True, done_on_any=False).rollout(50)
    env = PettingZooWrapper(FixedInfos(make()), use_mask=True, done_on_any=False)
    played = env.rollout(100)
    env.close()
    assert played["next", "done"][-1]
    assert {"deciding", "sim_time_ns"} == set(played["agent", "info"].keys())


def test_an_agent_that_joins_late_gets_no_action() -> None:
    growing = {"placement": "local", "stations": 2, "final_stations": 3, "duration": "200ms"}
    stations = defiance_zoo.make("wifi_contention_v0", api="parallel", **growing)
    env = PettingZooWrapper(FixedInfos(stations), use_mask=True, done_on_any=False)
    with pytest.raises(InvalidAction, match=r"no action for \['agent_2'\]"):
        env.rollout(100)
    env.close()


def test_a_rollout_respects_masks() -> None:
    env = PettingZooWrapper(FixedInfos(defiance_zoo.make("partition_v0", api="parallel")))
    played = env.rollout(30, break_when_any_done=False)
    env.close()
    allowed = played["agent", "action_mask"].squeeze(1)
    assert allowed.gather(1, played["agent", "action"]).all()
    assert not allowed.all()


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the page's program with temporary folders for Minari and TorchRL."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return run_program("Offline learning")


def test_a_minari_dataset_can_be_learned_from_offline(offline: dict[str, Any]) -> None:
    data = offline["data"]
    assert (data["next", "reward"] == 1).all()
    assert data["next", "done"].sum() == 10
    actor = QValueActor(
        MLP(in_features=4, out_features=2, num_cells=[32]),
        spec=Categorical(2),
        in_keys=["observation"],
    )
    loss = DiscreteCQLLoss(actor, action_space="categorical")
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    before = [each.detach().clone() for each in loss.parameters()]
    for _ in range(20):
        told = loss(offline["buffer"].sample())
        total = told["loss_qvalue"] + told["loss_cql"]
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
    assert torch.isfinite(total)
    assert any(not torch.equal(a, b) for a, b in zip(before, loss.parameters(), strict=True))


def test_MinariExperienceReplay_reads_zeros_and_needs_HDF5(
    offline: dict[str, Any], tmp_path: Path
) -> None:
    """If a new version reads a dataset, this test fails: shorten docs/training/clients.md then."""
    with pytest.raises(FileNotFoundError, match=r"main_data\.hdf5 does not exist"):
        read_dataset("carts/random-v0", tmp_path)
    make_dataset(["episodes"], "carts/hdf5-v0", data_format="hdf5")
    found = read_dataset("carts/hdf5-v0", tmp_path)
    assert len(found) == len(offline["data"])
    assert not found[:]["observation"].any()
    assert not found[:]["next", "reward"].any()
    assert not found[:]["next", "done"].any()


def read_dataset(name: str, folder: Path) -> Any:
    return MinariExperienceReplay(
        name, batch_size=64, root=folder / "torchrl", load_from_local_minari=True
    )
