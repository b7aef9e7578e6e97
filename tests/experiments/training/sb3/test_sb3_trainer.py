# SPDX-License-Identifier: GPL-2.0-only
"""Training with SB3: equal to `learn()`, interrupted and resumed, and with lost simulations."""

from __future__ import annotations

import itertools
import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import odd_plants
import psutil
import pytest
import torch
from conftest import fork_servers, resources, simulations
from gymnasium.spaces import Discrete
from gymnasium.spaces.utils import flatten
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.utils import LinearSchedule

from defiance_zoo.environments import lookup
from defiance_zoo.errors import NotSingleAgent, ParameterError, ReplayDiverged
from defiance_zoo.experiments.training import (
    Aborted,
    Iteration,
    RunConfig,
    create_trainer,
    load_policy,
    resume,
    train,
)
from defiance_zoo.experiments.training.checkpoints import LAST, find_checkpoint
from defiance_zoo.experiments.training.configuration import Evaluation
from defiance_zoo.experiments.training.metrics import read_metrics
from defiance_zoo.experiments.training.sb3.algorithms import hyperparameters
from defiance_zoo.experiments.training.sb3.trainer import SB3Trainer
from defiance_zoo.experiments.workbench.origin import open_signed
from defiance_zoo.population import PolicyStore
from defiance_zoo.wrappers.sb3 import make_vec_env

torch.set_num_threads(1)  # more threads only wait for each other

PPO_SETTINGS = {"n_steps": 32, "batch_size": 32, "gamma": 0.5}
OFF_POLICY = {"learning_starts": 30, "batch_size": 32, "buffer_size": 150}
EXPLORING = {
    **OFF_POLICY,
    "exploration_fraction": 0.3,  # ends before the run is interrupted
    "exploration_final_eps": 0.9,
    "target_update_interval": 25,
}
MIXED = {"agents": 3, "uneven": True, "leaving": True}
Make = Callable[..., SB3Trainer]


@pytest.fixture
def make(targets: str) -> Iterator[Make]:
    """Return a function that makes trainers, closed after the test."""
    made: list[SB3Trainer] = []

    def make_one(config: RunConfig | None = None, **settings: Any) -> SB3Trainer:
        trainer = create_trainer(config or configure(targets, **settings))
        assert isinstance(trainer, SB3Trainer)
        made.append(trainer)
        return trainer

    yield make_one
    for trainer in made:
        trainer.close()


def configure(env: str, **settings: Any) -> RunConfig:
    return RunConfig(env=env, **{"steps": 200, "hyperparameters": PPO_SETTINGS, **settings})


def weights(trainer: SB3Trainer) -> dict[str, torch.Tensor]:
    return {name: part.clone() for name, part in trainer._model.policy.state_dict().items()}


def assert_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, part in one.items():
        assert torch.equal(part, other[name]), name


def run(trainer: SB3Trainer, steps: int) -> list[Iteration]:
    reported = [trainer.iterate()]
    while reported[-1].steps < steps:
        reported.append(trainer.iterate())
    return reported


# ------------------------------------------------------------------ equal to SB3


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_iterations_learn_the_same_as_learn(make: Make, targets: str, algorithm: Any) -> None:
    settings = PPO_SETTINGS if algorithm is PPO else OFF_POLICY
    settings = {**settings, "learning_rate": LinearSchedule(0.01, 0.001, 1.0)}
    trainer = make(algorithm=algorithm.__name__, hyperparameters=settings, simulations=2, steps=512)
    run(trainer, 512)
    env = make_vec_env(targets, n_envs=2, seed=1)
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **settings).learn(512)
    env.close()
    assert_equal(weights(trainer), model.policy.state_dict())


@pytest.mark.essential
def test_an_iteration_reports_its_metrics(
    own_temporary_folder: Path, make: Make, capfd: Any
) -> None:
    trainer = make(parameters=MIXED, simulations=2)
    reported = run(trainer, 150)
    last = reported[-1]
    for agent, decisions in enumerate((2, 4, 4)):  # the time limit ends agent_2 before its 6
        assert 0 <= last.metrics[f"return/agent_{agent}"] <= decisions
        assert 0 < last.metrics[f"info/agent_{agent}/decisions"] <= decisions
    assert 2 < last.metrics["length/mean"] < 4
    returns = [last.metrics[f"return/agent_{agent}"] for agent in range(3)]
    assert min(returns) <= last.metrics["return/mean"] <= max(returns)
    assert last.metrics["failures"] == 0
    assert 0 < last.metrics["simulation_share"] < 1
    assert last.metrics["simulated_s_per_s"] > 0
    assert {"loss/value_loss", "loss/policy_gradient_loss"} <= last.metrics.keys()
    assert [each.steps for each in reported] == sorted({each.steps for each in reported})
    assert capfd.readouterr() == ("", "")
    assert list(own_temporary_folder.glob("SB3-*")) == []


def test_steps_count_decisions(make: Make) -> None:
    """An episode has seven rounds, and agents have two, four and four decisions."""
    trainer = make(parameters=MIXED, hyperparameters={"n_steps": 28, "batch_size": 21})
    reported = trainer.iterate()
    assert reported.steps == 200
    assert reported.episodes == 20
    assert reported.metrics["length/mean"] == pytest.approx(10 / 3)


# ------------------------------------------------------------------ interrupted and resumed

RESUMED = [
    ("PPO", PPO_SETTINGS, {}, {}),
    ("PPO", PPO_SETTINGS, {}, {"simulations": 2, "normalize": True}),
    ("PPO", PPO_SETTINGS, MIXED, {"simulations": 2, "normalize": True}),
    ("A2C", {}, {}, {}),
    ("A2C", {}, {}, {"simulations": 2}),
    ("MaskablePPO", PPO_SETTINGS, {"masks": "info", **MIXED}, {"simulations": 2}),
    ("DQN", EXPLORING, {}, {}),
    ("DQN", EXPLORING, MIXED, {"simulations": 2, "normalize": True}),
    ("SAC", OFF_POLICY, {"continuous": True}, {}),
    ("SAC", OFF_POLICY, {"continuous": True}, {"simulations": 2, "normalize": True}),
    ("TD3", {**OFF_POLICY, "action_noise": {"normal": 0.1}}, {"continuous": True}, {}),
    (
        "PPO",
        {
            **PPO_SETTINGS,
            "learning_rate": {"linear": [1e-3, 1e-5]},
            "ent_coef": {"linear": [0.1, 0]},
            "policy_kwargs": {"activation_fn": "ELU"},
        },
        {},
        {},
    ),
    ("QRDQN", EXPLORING, {}, {}),
    ("TQC", {**OFF_POLICY, "train_freq": 4}, {"continuous": True}, {}),
    ("CrossQ", {**OFF_POLICY, "train_freq": 8}, {"continuous": True}, {}),
    ("TRPO", PPO_SETTINGS, {}, {}),
    ("RecurrentPPO", PPO_SETTINGS, {}, {"simulations": 2, "normalize": True}),
]


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "settings", "parameters", "more"), RESUMED)
def test_a_resumed_run_equals_an_uninterrupted_one(
    make: Make,
    targets: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    algorithm: str,
    settings: dict[str, Any],
    parameters: dict[str, Any],
    more: dict[str, Any],
) -> None:
    """Weights, counters and metrics are equal, bit for bit, despite other random draws."""
    monkeypatch.setattr("defiance_zoo.experiments.training.sb3.trainer._DECISIONS", 60)
    config = configure(
        targets, algorithm=algorithm, hyperparameters=settings, parameters=parameters, **more
    )
    one = make(config)
    one.iterate()
    one.save(tmp_path)
    expected = run(one, 200)
    np.random.seed(7)
    other = make(config)
    with open_signed(tmp_path, trust=True) as copy:
        other.restore(copy)
    torch.rand(3)
    got = run(other, 200)
    assert_equal(weights(one), weights(other))
    for before, after in zip(expected, got, strict=True):
        for timed in ("simulation_share", "simulated_s_per_s"):
            before.metrics.pop(timed)
            after.metrics.pop(timed)
        assert before == after


QUICK_DQN: dict[str, Any] = {
    "env": "cart_pole_v0",
    "algorithm": "DQN",
    "hyperparameters": OFF_POLICY,
    "steps": 600,
    "simulations": 1,
    "checkpoint_every": 200,
}


@pytest.mark.parametrize("every", [None, pytest.param(250, marks=pytest.mark.long)])
def test_checkpoints_do_not_depend_on_the_speed_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int | None
) -> None:
    """Iterations have equal numbers of decisions, so best returns and evaluations are equal."""
    config = RunConfig(**QUICK_DQN, evaluation=Evaluation(every=every, episodes=1))
    train(config, tmp_path / "fast")
    ticks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: 60.0 * next(ticks))
    train(config, tmp_path / "slow")
    fast, slow = (what_was_saved(tmp_path / name) for name in ("fast", "slow"))
    assert fast == slow
    assert [steps for steps, _ in fast[0]] == [256, 512, 600]


def what_was_saved(folder: Path) -> tuple[list[Any], list[Any], int]:
    """Return the decisions and returns in metrics, the checkpoints, and the best one."""
    rows = read_metrics(folder / "metrics.csv")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    saved = [(each["steps"], each["best"]) for each in events if each["event"] == "checkpoint"]
    best = find_checkpoint(folder).counters.steps
    return [(row["steps"], row["return/mean"]) for row in rows], saved, best


def test_an_interruption_ends_the_run_within_an_iteration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run ends after the current rollout; a resumed run ends iterations at the usual steps."""
    config = RunConfig(**QUICK_DQN, evaluation=Evaluation(episodes=1))
    train(config, tmp_path / "whole")
    learn, calls = SB3Trainer._learn_off_policy, itertools.count(1)

    def learn_and_interrupt(trainer: SB3Trainer) -> None:
        learn(trainer)
        if next(calls) == 70:
            signal.raise_signal(signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(SB3Trainer, "_learn_off_policy", learn_and_interrupt)
        with pytest.raises(Aborted, match=r"SIGTERM: resume\('.*parts'\) continues") as ended:
            train(config, tmp_path / "parts")
    assert ended.value.signal == signal.SIGTERM
    assert find_checkpoint(tmp_path / "parts", LAST).counters.steps == 280  # rollouts of four
    resume(tmp_path / "parts")
    whole, parts = (what_was_saved(tmp_path / name)[0] for name in ("whole", "parts"))
    assert [steps for steps, _ in whole] == [256, 512, 600]
    assert whole == parts


def test_a_run_with_a_packet_network_is_resumed_exactly(make: Make, tmp_path: Path) -> None:
    settings = {"n_steps": 64, "batch_size": 64, "n_epochs": 2}
    parameters = {"transport": "udp", "delay": "10ms", "loss": 0.05}
    config = configure("cart_pole_v0", hyperparameters=settings, parameters=parameters, steps=256)
    one = make(config)
    run(one, 1)
    one.save(tmp_path)
    run(one, 1)
    other = make(config)
    with open_signed(tmp_path, trust=True) as copy:
        other.restore(copy)
    run(other, 1)
    assert_equal(weights(one), weights(other))


def test_more_steps_stretch_the_schedules(make: Make, targets: str, tmp_path: Path) -> None:
    settings = {**OFF_POLICY, "exploration_fraction": 1.0, "exploration_final_eps": 0.0}
    one = make(algorithm="DQN", hyperparameters=settings, steps=256)
    reported = run(one, 256)
    assert reported[-1].metrics["loss/exploration_rate"] == 0
    one.save(tmp_path)
    other = make(algorithm="DQN", hyperparameters=settings, steps=1024)
    with open_signed(tmp_path, trust=True) as copy:
        other.restore(copy)
    reported = run(other, 512)
    assert reported[-1].steps == 512
    assert reported[-1].metrics["loss/exploration_rate"] == pytest.approx(0.5)


def test_a_changed_scenario_is_not_resumed(make: Make, tmp_path: Path) -> None:
    one = make()
    one.iterate()
    one.save(tmp_path)
    other = make(parameters={"interval": "7ms"})
    with pytest.raises(ReplayDiverged), open_signed(tmp_path, trust=True) as copy:
        other.restore(copy)


# ------------------------------------------------------------------ policies


@pytest.mark.parametrize("normalize", [False, True])
def test_a_saved_policy_acts_like_the_trained_one(
    make: Make, targets: str, tmp_path: Path, *, normalize: bool
) -> None:
    trainer = make(normalize=normalize)
    run(trainer, 60)
    trainer.save(tmp_path)
    policy = trainer.policy()
    before = resources()
    loaded = load_policy(configure(targets, normalize=normalize), tmp_path, trust=True)
    assert resources() == before
    space = lookup(targets).parallel_env()
    agent_space = space.observation_space("agent_0")
    actions = space.action_space("agent_0")
    space.close()
    agent_space.seed(1)
    observations = [agent_space.sample() for _ in range(50)]
    chosen = [policy.act("agent_0", each, {}) for each in observations]
    assert chosen == [loaded.act("agent_0", each, {}) for each in observations]
    assert all(actions.contains(each) for each in chosen)
    run(trainer, 200)
    assert chosen == [policy.act("agent_0", each, {}) for each in observations]


def observing(space: str, **settings: Any) -> RunConfig:
    """Return a run in which an agent observes elements of a space."""
    parameters = {"over": "simple", "plant_arguments": json.dumps({"space": space})}
    return configure("networked:odd_plants:Sampling", parameters=parameters, **settings)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("space", ["picture", "pictures"])
def test_a_policy_decides_by_pictures_that_sb3_transposes(
    make: Make, tmp_path: Path, space: str, *, normalize: bool
) -> None:
    config = observing(space, normalize=normalize, steps=64)
    trainer = make(config)
    run(trainer, 64)
    trainer.save(tmp_path)
    loaded: Any = load_policy(config, tmp_path, trust=True)
    seen = odd_plants.Sampling.spaces[space]
    ((observed, acts),) = SB3Trainer.spaces(loaded)
    assert (observed, acts) == (seen, Discrete(3))
    samples = [seen.sample() for _ in range(5)]
    for each in samples:
        assert trainer.policy().act("agent_0", each, {}) == loaded.act("agent_0", each, {})
    scale = loaded.normalizer.normalize_obs if normalize else lambda each: each
    policy: Any = loaded.network
    tensors = [policy.obs_to_tensor(scale(each))[0] for each in samples]
    expected = torch.cat([policy.get_distribution(each).distribution.logits for each in tensors])
    flat = torch.from_numpy(np.array([flatten(seen, each) for each in samples], np.float32))
    outputs = SB3Trainer.network(config, loaded, "agent_0", (seen, acts)).output(flat)
    assert len(torch.unique(expected)) == expected.numel()
    torch.testing.assert_close(torch.log_softmax(outputs, dim=1), expected)


@pytest.mark.parametrize(
    ("space", "fault"),
    [
        *((each, "features=") for each in ("nothing", "number", "pair", "shifted", "table")),
        ("text", "features="),
        ("small picture", "Kernel size"),
    ],
)
def test_observations_that_sb3_does_not_take_are_refused(space: str, fault: str) -> None:
    before = resources()
    with pytest.raises(ParameterError, match=fault):
        create_trainer(observing(space))
    assert resources() == before


@pytest.mark.parametrize("space", ["number", "pair", "shifted", "table", "text"])
def test_features_flatten_observations_that_sb3_does_not_take(make: Make, space: str) -> None:
    trainer = make(observing(space, features="Symlog", steps=32))
    run(trainer, 32)
    observed = SB3Trainer.spaces(trainer.policy())[0][0]
    assert observed == odd_plants.Sampling.spaces[space]


LSTM = {"lstm_hidden_size": 8, "n_lstm_layers": 2, "enable_critic_lstm": False, "net_arch": [8]}
OTHER_NORMS = {"batch_norm_eps": 0.5, "net_arch": [16]}


@pytest.mark.parametrize(
    ("algorithm", "settings", "parameters", "arguments"),
    [
        ("RecurrentPPO", PPO_SETTINGS, {}, {**LSTM, "shared_lstm": True}),
        ("RecurrentPPO", PPO_SETTINGS, {}, {**LSTM, "share_features_extractor": False}),
        ("CrossQ", OFF_POLICY, {"continuous": True}, OTHER_NORMS),
        ("SAC", OFF_POLICY, {"continuous": True}, {"share_features_extractor": True}),
    ],
)
def test_a_copied_policy_has_all_arguments_of_the_trained_one(
    make: Make,
    tmp_path: Path,
    algorithm: str,
    settings: dict[str, Any],
    parameters: dict[str, Any],
    arguments: dict[str, Any],
) -> None:
    """SB3's `save()` of a policy leaves out those of an LSTM, and of normalisation."""
    hyperparameters = {**settings, "policy_kwargs": arguments}
    trainer = make(algorithm=algorithm, hyperparameters=hyperparameters, parameters=parameters)
    run(trainer, 40)
    policy, trained = trainer.policy(), trainer._model.policy
    store = PolicyStore(tmp_path)
    digest = store.put(lambda folder: trainer.save_policy(policy, folder))
    with open_signed(store.find(digest), trust=False) as copy:
        kept = trainer.open_policy(copy)
    trained.set_training_mode(False)
    for observation in np.linspace([-1, -1], [1, 1], 20, dtype=np.float32):
        expected, _ = trained.predict(observation, deterministic=True)
        for other in (policy, kept):
            other.reset()
            assert np.array_equal(other.act("agent_0", observation, {}), expected)


def test_a_recurrent_policy_keeps_its_state_for_an_episode(make: Make) -> None:
    trainer = make(algorithm="RecurrentPPO")
    trainer.iterate()
    policy: Any = trainer.policy()
    with torch.no_grad():  # so that only the memory decides
        policy.network.lstm_actor.weight_hh_l0.normal_(std=3.0)
        policy.network.action_net.weight.normal_(std=3.0)
    observation = np.zeros(2, np.float32)

    def episode(*agents: str) -> list[Any]:
        return [policy.act(agent, observation, {}) for agent in agents for _ in range(20)]

    policy.reset()
    alone = episode("agent_0")
    assert len(set(alone)) > 1
    assert episode("agent_1") == alone
    assert episode("agent_0") != alone
    policy.reset()
    assert episode("agent_0") == alone


def test_a_recurrent_policy_for_several_agents_is_refused(make: Make) -> None:
    with pytest.raises(ParameterError, match=r"RecurrentPPO is for one agent.*FrameStack"):
        make(algorithm="RecurrentPPO", parameters=MIXED)


def test_a_policy_obeys_masks(make: Make) -> None:
    trainer = make(algorithm="MaskablePPO", parameters={"masks": "info"})
    trainer.iterate()
    policy = trainer.policy()
    observation = np.zeros(2, np.float32)
    for allowed in range(4):
        mask = np.eye(4, dtype=np.int8)[allowed]
        assert policy.act("agent_0", observation, {"action_mask": mask}) == allowed


# ------------------------------------------------------------------ faults


def test_a_run_whose_episodes_differ_in_agents_is_trained_and_evaluated(tmp_path: Path) -> None:
    config = RunConfig(
        env="cart_pole_v0",
        parameters={"carts": {"choice": [1, 3]}},
        max_agents=3,
        steps=200,
        hyperparameters=PPO_SETTINGS,
        evaluation=Evaluation(episodes=2),
    )
    train(config, tmp_path / "run")
    report = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert len(report["policies"]["trained"]["returns"]) == 2
    with pytest.raises(NotSingleAgent, match="a run needs max_agents"):
        train(config.model_copy(update={"max_agents": None}), tmp_path / "without")


@pytest.mark.long
@pytest.mark.parametrize("parameters", [{}, MIXED], ids=["single", "shared"])
@pytest.mark.parametrize("victim", ["simulation", "fork server"])
def test_training_survives_kill(make: Make, victim: str, parameters: dict[str, Any]) -> None:
    before = resources()
    trainer = make(parameters=parameters, simulations=2, steps=400)
    trainer.iterate()
    killed: psutil.Process = (simulations() if victim == "simulation" else fork_servers())[0]
    killed.kill()
    reported = run(trainer, 400)
    assert reported[-1].steps >= 400
    if victim == "simulation":  # others may or may not survive their fork server
        assert reported[-1].metrics["failures"] == 1
        (message,) = [message for each in reported for message in each.lost]
        assert "SIGKILL" in message
    assert np.isfinite(list(reported[-1].metrics.values())).all()
    assert len(simulations()) == 2
    trainer.close()
    assert resources() == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"algorithm": "PP0"}, "did you mean 'PPO'"),
        ({"hyperparameters": {"learning_rat": 1}}, "did you mean 'learning_rate'"),
        ({"hyperparameters": {"seed": 1}}, "the run sets"),
        ({"policies": "individual"}, "library='rllib'"),
        ({"policies": {"*": "a"}}, "library='rllib'"),
        ({"runners": 2}, "simulations="),
        ({"algorithm": "SAC", "hyperparameters": {}}, "Box"),
        ({"hyperparameters": {**PPO_SETTINGS, "batch_size": "many"}}, "is not of type int"),
        ({"parameters": {"agens": 2}}, "agents"),
    ],
)
def test_options_unsupported_by_sb3_are_refused(
    targets: str, settings: dict[str, Any], words: str
) -> None:
    before = resources()
    with pytest.raises(ParameterError, match=words):
        create_trainer(configure(targets, **settings))
    assert resources() == before


def test_maskable_ppo_without_masks_is_refused(make: Make) -> None:
    trainer = make(algorithm="MaskablePPO")
    with pytest.raises(ParameterError, match="use PPO"):
        trainer.iterate()


@pytest.mark.parametrize("policy", ["no_module:Policy", "torch:NoPolicy", ":Policy", ".module:P"])
def test_policies_that_cannot_be_imported_are_refused(policy: str) -> None:
    with pytest.raises(ParameterError, match=r"policy=.*(no module|torch has no 'NoPolicy')"):
        hyperparameters(configure("cart_pole_v0", hyperparameters={"policy": policy}))


@pytest.mark.parametrize("policy", ["os:system", "torch.nn:Linear"])
def test_a_policy_that_is_no_policy_class_is_refused(policy: str) -> None:
    with pytest.raises(ParameterError, match=r"is not of type str . type"):
        hyperparameters(configure("cart_pole_v0", hyperparameters={"policy": policy}))


@pytest.mark.parametrize("path", ["gym.py", "gym/notes.py"])
def test_a_file_that_sb3_takes_for_a_package_is_refused(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ParameterError, match=r"/gym(\.py)? has the name of a package that SB3"):
        hyperparameters(RunConfig(env="cart_pole_v0"))
