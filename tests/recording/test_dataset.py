# SPDX-License-Identifier: GPL-2.0-only
"""Minari datasets contain the recorded episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pytest
from episode_files import AGENTS, ROUNDS, header, write_episode
from gymnasium import spaces

from defiance_zoo.bridge.simulation import AgentEnd, AgentStep
from defiance_zoo.environments import lookup
from defiance_zoo.errors import InvalidRecording, ParameterError
from defiance_zoo.recording import read_episode
from defiance_zoo.recording.dataset import make_dataset
from defiance_zoo.recording.files.steps import to_parquet, to_table
from defiance_zoo.recording.recording import PlayedRound

CAR, TOWER = AGENTS


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Minari keep its datasets in a temporary folder."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return one.dtype == other.dtype and np.array_equal(one, other)


def test_each_agent_has_its_dataset(tmp_path: Path) -> None:
    """Also if agents have different spaces, and do not act in every round."""
    for name in ("a", "b"):
        write_episode(tmp_path / "all" / name)
    made = make_dataset([tmp_path / "all"], "test/hand-v3", author="somebody")
    assert [each.id for each in made] == ["test/hand-car-v3", "test/hand-_b_tower__b_-v3"]
    assert [each.agents for each in made] == [(CAR,), (TOWER,)]
    assert [(each.episodes, each.steps) for each in made] == [(2, 2 * ROUNDS), (2, ROUNDS)]
    recorded = read_episode(tmp_path / "all" / "a")
    for each in made:
        (agent,) = each.agents
        steps = recorded.of_agent(agent)
        dataset = minari.load_dataset(each.id)
        assert dataset.observation_space == recorded.header.observation_space(agent)
        assert dataset.action_space == recorded.header.action_space(agent)
        assert dataset.total_steps == each.steps
        episodes = list(dataset.iterate_episodes())
        assert len(episodes) == 2
        for episode in episodes:
            count = len(episode.actions)
            assert count == len(steps.rounds) - 1
            observations = steps.observations
            if not steps.observed[-1]:  # the last observation is repeated, as in environments
                observations = {k: np.concatenate([v, v[-1:]]) for k, v in observations.items()}
            assert same(observations, episode.observations)
            assert same(steps.actions[:count], episode.actions)
            assert same(steps.rewards[1 : count + 1], episode.rewards)
    car, tower = (next(iter(minari.load_dataset(each.id))) for each in made)
    assert (car.terminations[-1], car.truncations[-1]) == (True, False)
    assert car.infos.keys() == {"speed", "action_mask"}
    assert car.infos["speed"].tolist() == [*range(ROUNDS), 0]
    assert car.infos["action_mask"].tolist() == [[1, 1, 1]] * ROUNDS + [[0, 0, 0]]
    assert (tower.terminations[-1], tower.truncations[-1], tower.infos) == (False, True, {})


def test_an_end_without_an_observation_keeps_its_reward_and_its_kind(tmp_path: Path) -> None:
    """Dicts, texts and tuples of an agent that falls after its second action."""
    space = spaces.Dict(
        {"word": spaces.Text(4), "pair": spaces.Tuple([spaces.Discrete(5), spaces.Box(0, 1, (2,))])}
    )
    columns = {"observation": space, "action": spaces.Discrete(3)}
    known = header(agents={CAR: AGENTS[CAR]}, columns=columns, rounds=3)
    seen = [{"word": w, "pair": (n, np.full(2, n / 4, np.float32))} for n, w in enumerate("ab", 1)]
    played = [
        PlayedRound(10 * n, (), [AgentStep(CAR, each, 1.0, {})], [{}], {CAR: n})
        for n, each in enumerate(seen)
    ]
    end = AgentEnd(CAR, None, -7.0, True, {}, 20)
    folder = write_episode(tmp_path / "fall")
    (folder / "steps.parquet").write_bytes(
        to_parquet(to_table(known, [*played, PlayedRound(20, [end], (), (), {})], 0))
    )
    (folder / "episode.json").write_text(known.to_json())
    (made,) = make_dataset([folder], "fall-v0")
    assert made.steps == 2
    (episode,) = minari.load_dataset("fall-v0")
    assert episode.actions.tolist() == [0, 1]
    assert episode.rewards.tolist() == [1.0, -7.0]
    assert episode.terminations.tolist() == [False, True]
    assert episode.truncations.tolist() == [False, False]
    assert list(episode.observations["word"]) == ["a", "b", "b"]
    numbers, boxes = episode.observations["pair"]
    assert numbers.tolist() == [1, 2, 2]
    assert boxes.tolist() == [[0.25] * 2, [0.5] * 2, [0.5] * 2]


def test_a_dataset_contains_complete_and_abandoned_episodes(tmp_path: Path) -> None:
    """Two carts share a policy."""
    env = lookup("cart_pole_v0").parallel_env(
        carts=2, max_cycles=30, record=tmp_path / "carts", link="local"
    )
    rng = np.random.default_rng(1)
    seen: dict[str, list[Any]] = {}
    for seed, steps in ((1, 100), (2, 7)):
        observations, _ = env.reset(seed=seed)
        while env.agents and steps:
            for agent, observation in observations.items():
                seen.setdefault(f"{agent}{seed}", []).append(observation)
            observations, *_ = env.step({a: int(rng.integers(2)) for a in env.agents})
            steps -= 1
        for agent, observation in observations.items():
            seen.setdefault(f"{agent}{seed}", []).append(observation)
    env.close()
    (made,) = make_dataset([tmp_path / "carts"], "carts-v0", agents="shared")
    assert (made.episodes, made.agents) == (4, tuple(env.possible_agents))
    dataset = minari.load_dataset("carts-v0")
    places = [f"{agent}{seed}" for agent in env.possible_agents for seed in (1, 2)]
    for place, episode in zip(places, dataset, strict=True):
        assert np.array_equal(seen[place], episode.observations)
        assert all(dataset.observation_space.contains(each) for each in episode.observations)
        assert all(dataset.action_space.contains(each) for each in episode.actions)
        assert episode.terminations[-1] or episode.truncations[-1]
        assert not episode.truncations[:-1].any()
    metadata = list(dataset.storage.get_episode_metadata([0, 1]))
    assert [each["seed"] for each in metadata] == [1, 2]
    assert metadata[0]["options"]["carts"] == 2
    assert len(dataset.sample_episodes(2)) == 2


def test_the_environment_is_recovered_from_its_dataset(tmp_path: Path) -> None:
    arguments = {"duration": "100ms", "link": "local"}
    env = gymnasium.make("defiance_zoo/CartPole-v0", record=tmp_path / "carts", **arguments)
    env.reset(seed=1)
    env.step(0)
    env.close()
    with pytest.raises(ParameterError, match=r"env cannot be stored: .* without record="):
        make_dataset([tmp_path / "carts"], "carts-v0", env=env)
    assert list(minari.list_local_datasets()) == []
    make_dataset([tmp_path / "carts"], "carts-v0", env=gymnasium.make(env.spec.id, **arguments))
    recovered = minari.load_dataset("carts-v0").recover_environment()
    recovered.close()
    assert recovered.spec.kwargs["duration"] == "100ms"


def test_other_folders_are_refused(tmp_path: Path) -> None:
    write_episode(tmp_path / "a")
    with pytest.raises(ParameterError, match="a dataset needs one pair"):
        make_dataset([tmp_path / "a"], "x-v0", agents="shared")
    with pytest.raises(ParameterError, match="Malformed dataset ID"):
        make_dataset([tmp_path / "a"], "not a name")
    with pytest.raises(ParameterError, match="agents='all' is not one of"):
        make_dataset([tmp_path / "a"], "x-v0", agents="all")  # type: ignore[arg-type]
    with pytest.raises(InvalidRecording, match="contains no episode"):
        make_dataset([tmp_path / "missing"], "x-v0")
    write_episode(tmp_path / "none", parts=1)
    (tmp_path / "none" / "steps" / "000001.parquet").unlink()
    with pytest.raises(InvalidRecording, match="no agent has decided"):
        make_dataset([tmp_path / "none"], "x-v0")
    with pytest.raises(TypeError):
        make_dataset([tmp_path / "a"], "x-v0", nonsense=3)
    assert list(minari.list_local_datasets()) == []
    make_dataset([tmp_path / "a"], "x-v0")
    with pytest.raises(ParameterError, match="there is a dataset 'x-car-v0' already"):
        make_dataset([tmp_path / "a"], "x-v0")
