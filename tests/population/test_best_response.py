# SPDX-License-Identifier: GPL-2.0-only
"""A game from the view of one player against a mixture, and the policies that libraries learn."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from small_populations import GAME, HYPERPARAMETERS, RAY_WARNINGS

from defiance_zoo.errors import ParameterError, SimulationCrashed, SimulationError
from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.trainer import SCORE, Trainer, best_response_trainer
from defiance_zoo.experiments.workbench.origin import open_signed
from defiance_zoo.population.games.environment import (
    BestResponseEnv,
    MakeBestResponseEnv,
    Opponents,
)
from defiance_zoo.population.games.game import Game, score
from defiance_zoo.population.members import Player
from defiance_zoo.population.running.payoff_matches import MatchJob

pytestmark = RAY_WARNINGS
ROCK, PAPER, SCISSORS = range(3)
PLAYERS = {
    "rock": Player("rock", NamedPolicy("constant", {"action": ROCK})),
    "paper": Player("paper", NamedPolicy("constant", {"action": PAPER})),
    "scissors": Player("scissors", NamedPolicy("constant", {"action": SCISSORS})),
    "random": Player("random", NamedPolicy("random")),
}


def game(rounds: int = 4) -> Game:
    return Game.of(GAME, {"rounds": rounds}, payoff="per_decision")


def against(mixture: dict[str, float], rounds: int = 4) -> MakeBestResponseEnv:
    """Return a function that makes a game against a mixture."""
    opponents = Opponents.of(
        {"player": list(mixture)},
        {"player": np.array(list(mixture.values()))},
        PLAYERS.__getitem__,
    )
    return MakeBestResponseEnv(game(rounds), "player", opponents)


def rewards(env: BestResponseEnv, action: int, seed: int | None = None) -> list[float]:
    """Play an episode, and return the reward of one action in each round."""
    env.reset(seed=seed)
    found, over = [], False
    while not over:
        _, reward, terminated, truncated, _ = env.step(action)
        found.append(reward)
        over = terminated or truncated
    return found


def test_gymnasiums_checker_accepts_the_game() -> None:
    env = against({"rock": 0.5, "random": 0.5})()
    check_env(env, skip_render_check=True)
    env.close()


def test_opponents_are_drawn_once_per_episode() -> None:
    """All rounds of an episode earn the same; over episodes, in the proportions of the mixture."""
    env = against({"rock": 0.5, "paper": 0.3, "scissors": 0.2})()
    met: Counter[float] = Counter()
    for episode in range(600):
        earned = rewards(env, ROCK, seed=1 if episode == 0 else None)
        assert len(earned) == 4
        assert len(set(earned)) == 1
        met[earned[0]] += 1
    env.close()
    shares = [met[each] / 600 for each in (0, -1, 2)]  # rock against rock, paper, scissors
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.06)


def test_seats_alternate_between_episodes() -> None:
    env = against({"rock": 1.0})()
    seats = []
    for _ in range(6):
        env.reset()
        seats.append(env._agent)
    env.close()
    assert all(one != other for one, other in itertools.pairwise(seats))
    assert set(seats) == {"agent_0", "agent_1"}


def test_equal_seeds_play_equally() -> None:
    played = []
    for seed in (3, 3, 4):
        env = against({"rock": 0.5, "random": 0.5})()
        played.append([rewards(env, ROCK, seed=seed), *(rewards(env, ROCK) for _ in range(9))])
        env.close()
    assert played[0] == played[1] != played[2]


def test_an_episode_ends_with_payoff_and_score() -> None:
    env = against({"scissors": 1.0})()
    env.reset(seed=1)
    infos = [env.step(ROCK)[4] for _ in range(4)]
    assert infos[:3] == [{}] * 3
    assert infos[3] == {"payoff": 2, SCORE: 1}
    env.close()
    assert score({"a": 1, "b": 1, "c": 0}, "a") == 0.75


def test_a_lost_simulation_truncates_an_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    env = against({"rock": 1.0})()
    env.reset(seed=1)
    broken = _breaking(env, monkeypatch, "step", 1)
    *_, terminated, truncated, info = env.step(PAPER)
    assert (terminated, truncated) == (False, True)
    assert info["failure"] == "lost"
    assert SCORE in info
    assert len(rewards(env, PAPER)) == 4  # the next episode is complete
    broken.undo()
    _breaking(env, monkeypatch, "reset", 2)
    assert len(rewards(env, PAPER)) == 4
    assert env.losses.count == 3
    monkeypatch.undo()
    _breaking(env, monkeypatch, "reset", 3)
    with pytest.raises(SimulationError, match="lost"):
        env.reset()
    env.close()


def _breaking(
    env: BestResponseEnv, monkeypatch: pytest.MonkeyPatch, name: str, times: int
) -> pytest.MonkeyPatch:
    """Let calls of the game's environment fail, like those of a dead simulation."""
    inner: Callable[..., Any] = getattr(env._env, name)
    left = iter(range(times))

    def call(*arguments: Any, **named: Any) -> Any:
        if next(left, None) is not None:
            raise SimulationCrashed("lost")
        return inner(*arguments, **named)

    monkeypatch.setattr(env._env, name, call)
    return monkeypatch


def test_opponents_of_negligible_probability_are_not_sampled() -> None:
    """They are not looked up either, so none is loaded."""
    asked = []

    def find(name: str) -> Player:
        asked.append(name)
        return PLAYERS[name]

    names = {"player": ["rock", "paper", "scissors"]}
    opponents = Opponents.of(names, {"player": np.array([0.7, 0.0005, 0.2995])}, find)
    assert asked == ["rock", "scissors"]
    assert opponents.weights["player"] == pytest.approx((0.7 / 0.9995, 0.2995 / 0.9995))
    # Of many opponents with small probabilities, only the most probable are sampled.
    few = Opponents.of(names, {"player": np.array([0.4, 0.3, 0.3])}, find, least=0.9)
    assert few.weights["player"] == (1,)


# ---------------------------------------------------------------------- matches


def test_matches_have_the_payoffs_computed_by_hand() -> None:
    """Paper beats rock in both seats; two policies of one name earn the mean of both seats."""
    job = MatchJob(game(), (("rock", "paper"), ("rock", "rock")), PLAYERS, episodes=4, seed=1)
    first, second = job.run(lambda _event: None)["cells"]
    assert first["payoffs"]["paper"] == {"mean": 1, "n": 4, "standard_error": 0, "squares": 0}
    assert first["payoffs"]["rock"]["mean"] == -1
    assert first["scores"]["paper"]["mean"] == 1
    assert first["actions"] == {"rock": [16, 0, 0], "paper": [0, 16, 0]}
    assert second["payoffs"] == {"rock": {"mean": 0, "n": 4, "standard_error": 0, "squares": 0}}
    assert second["actions"] == {"rock": [32, 0, 0]}


def test_random_policies_draw_differently_in_each_seat() -> None:
    """Two random policies draw independently, and repeat with the same seed."""
    cells = [
        MatchJob(game(50), (("random", "random"),), PLAYERS, 20, seed).run(print)["cells"][0]
        for seed in (1, 1, 2)
    ]
    assert cells[0] == cells[1] != cells[2]
    env = game(50).open()
    job = MatchJob(game(50), (), PLAYERS, 1, 1)
    policies = job._seat(env, ("random", "random"), 0)
    agents = ("agent_0", "agent_1")
    taken = [[policies.act(agent, None, {}) for _ in range(300)] for agent in agents]
    env.close()
    assert np.mean(np.array(taken[0]) == np.array(taken[1])) < 0.5


# --------------------------------------------------------------------- learning


def make_trainer(library: str, mixture: dict[str, float], **changes: Any) -> Trainer:
    settings = {"hyperparameters": HYPERPARAMETERS[library], "simulations": 64, **changes}
    config = RunConfig(env=GAME, library=library, algorithm="PPO", **settings)
    make = against(mixture, rounds=10)
    return best_response_trainer(library).create(config, make)


def action_of(library: str, folder: Path) -> int:
    with open_signed(folder, trust=True) as copy:
        policy = best_response_trainer(library).open_policy(copy)
    policy.reset()
    return int(policy.act("agent_0", np.ones(1, np.float32), {}))


@pytest.mark.essential
@pytest.mark.parametrize("library", [pytest.param("rllib", marks=pytest.mark.long), "sb3"])
def test_a_best_response_is_learned_stored_and_continued(
    library: str, local_ray: None, tmp_path: Path
) -> None:
    """Scissors earn 1 against mostly paper, and 3 against paper only, from the first rounds."""
    one, again, other = (tmp_path / name for name in ("one", "again", "other"))
    for folder in (one, again, other):
        folder.mkdir()
    trainer = make_trainer(library, {"paper": 0.6, "rock": 0.4})
    try:
        iterations = [trainer.iterate() for _ in range(8)]
        assert iterations[-1].steps == 8 * 640
        assert iterations[-1].episodes == pytest.approx(8 * 64, abs=64)
        assert {"return/mean", SCORE, "length/mean"} <= iterations[-1].metrics.keys()
        assert iterations[-1].metrics["length/mean"] == 10
        assert iterations[-1].metrics["return/mean"] > 7
        trainer.save_policy(trainer.policy(), one)
        kept = trainer.policy()
        trainer.iterate()
        trainer.save_policy(kept, again)
    finally:
        trainer.close()
        trainer.close()
    assert action_of(library, one) == action_of(library, again) == SCISSORS
    assert _files(one) == _files(again)  # the stored files equal the saved ones

    later = make_trainer(library, {"paper": 1.0}, seed=2)
    try:
        with open_signed(one, trust=True) as copy:
            later.start_from(copy)
        later.save_policy(later.policy(), other)
        assert action_of(library, other) == SCISSORS
        assert later.iterate().metrics["return/mean"] > 20  # random: 10 (-1 + 0 + 3) / 3
    finally:
        later.close()


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("library", "larger"),
    [
        pytest.param("rllib", {"model_config": {"fcnet_hiddens": [8]}}, marks=pytest.mark.long),
        ("sb3", {"policy_kwargs": {"net_arch": [8]}}),
    ],
)
def test_a_policy_with_another_network_cannot_be_the_initial_one(
    library: str, larger: dict[str, Any], local_ray: None, tmp_path: Path
) -> None:
    trainer = make_trainer(library, {"rock": 1.0})
    trainer.save_policy(trainer.policy(), tmp_path)
    trainer.close()
    hyperparameters = {**HYPERPARAMETERS[library], **larger}
    trainer = make_trainer(library, {"rock": 1.0}, hyperparameters=hyperparameters)
    with (
        open_signed(tmp_path, trust=True) as copy,
        pytest.raises(ParameterError, match="other networks"),
    ):
        trainer.start_from(copy)
    trainer.close()


def test_a_library_without_best_responses_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from defiance_zoo.experiments.libraries import sb3

    changed = {**vars(sb3.SB3), "best_responses": False}
    monkeypatch.setattr(sb3, "SB3", type(sb3.SB3)(**changed))
    with pytest.raises(ParameterError, match=r"does not train best responses; \['rllib'\] do"):
        best_response_trainer("sb3")


# ------------------------------------------------------- games of one decision


def test_a_game_of_one_decision_changes_opponents_within_an_episode() -> None:
    """Each decision is an episode, all in simulations of four rounds; observations are zeros."""
    opponents = Opponents.of(
        {"player": ["rock", "paper", "scissors"]},
        {"player": np.array([0.5, 0.3, 0.2])},
        PLAYERS.__getitem__,
    )
    one_shot = Game.of(GAME, {"rounds": 4}, one_shot=True)
    env = MakeBestResponseEnv(one_shot, "player", opponents)()
    check_env(env, skip_render_check=True)
    begun = 0
    reset = env._env.reset

    def count(**arguments: Any) -> None:
        nonlocal begun
        begun += 1
        reset(**arguments)

    env._env.reset = count
    env.reset(seed=1)
    met: Counter[float] = Counter()
    seats = []
    for _ in range(800):
        seats.append(env._agent)
        observation, reward, terminated, truncated, info = env.step(ROCK)
        assert (terminated, truncated) == (True, False)
        assert info == {"payoff": reward, SCORE: {0: 0.5, -1: 0, 2: 1}[reward]}
        assert observation.tolist() == [0]
        met[reward] += 1
        env.reset()
    assert begun == 1 + 800 // 4
    assert Counter(seats) == {"agent_0": 400, "agent_1": 400}
    assert [met[each] / 800 for each in (0, -1, 2)] == pytest.approx([0.5, 0.3, 0.2], abs=0.05)
    env.close()


def test_a_lost_simulation_is_replaced_in_a_game_of_one_decision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opponents = Opponents.of({"player": ["rock"]}, {"player": np.ones(1)}, PLAYERS.__getitem__)
    env: Any = MakeBestResponseEnv(Game.of(GAME, one_shot=True), "player", opponents)()
    env.reset(seed=1)
    _breaking(env, monkeypatch, "step", 1)
    _, reward, terminated, truncated, info = env.step(PAPER)
    assert (reward, terminated, truncated, info["failure"]) == (0, False, True, "lost")
    env.reset()
    assert env.step(PAPER)[1] == 1
    assert env.losses.count == 1
    env.close()


def test_policies_observe_zeros_in_matches_of_one_decision() -> None:
    """Payoffs are means over decisions of policies that observe zeros."""
    seen = []

    class Watching:
        def reset(self) -> None:
            pass

        def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
            seen.append(observation.tolist())
            return PAPER

    class WatchingPlayer(Player):
        def make(self, *_arguments: Any) -> Any:
            return Watching()

    players = {**PLAYERS, "watching": WatchingPlayer("watching", NamedPolicy("random"))}
    one_shot = Game.of(GAME, {"rounds": 4}, one_shot=True)
    (cell,) = MatchJob(one_shot, (("rock", "watching"),), players, 2, 1).run(print)["cells"]
    assert cell["payoffs"]["watching"]["mean"] == 1
    assert seen == [[0]] * 8
