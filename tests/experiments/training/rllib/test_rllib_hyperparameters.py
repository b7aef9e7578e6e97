# SPDX-License-Identifier: GPL-2.0-only
"""Classes and schedules as hyperparameters of RLlib, and the checks of names and types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.rllib.algorithms import (
    apply_hyperparameters,
    read_hyperparameters,
)
from defiance_zoo.wrappers.rllib.config import ALGORITHMS
from defiance_zoo.wrappers.rllib.masks import MaskedPPOModule

OWN = """
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule

class Calls(RLlibCallback):
    pass

class Learner(PPOTorchLearner):
    pass

class Module(DefaultPPOTorchRLModule):
    pass
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of a user, which is in the current folder."""
    path = tmp_path / "own.py"
    path.write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return path


def rllib(**values: Any) -> RunConfig:
    return RunConfig(env="cart_pole_v0", library="rllib", hyperparameters=values, steps=500)


def configuration() -> Any:
    built: Any = ALGORITHMS["PPO"].config()
    module = MultiRLModuleSpec(rl_module_specs={"shared": RLModuleSpec()})
    return built.rl_module(rl_module_spec=module)


def test_classes_and_schedules_of_rllib_are_made(own: Path) -> None:
    built = configuration()
    config = rllib(
        lr={"linear": [1e-3, 1e-5]},
        entropy_coeff={"linear": [0.1, 0]},
        rl_module_spec="own.py:Module",
        learner_class="own.py:Learner",
        callbacks="own.py:Calls",
        train_batch_size_per_learner=64,
        model_config={"fcnet_hiddens": [8]},
    )
    apply_hyperparameters(built, config)
    assert built.lr == [[0, 1e-3], [500, 1e-5]]
    assert built.entropy_coeff == [[0, 0.1], [500, 0.0]]
    assert built.rl_module_spec.rl_module_specs["shared"].module_class.__name__ == "Module"
    masked = configuration()
    masked._rl_module_spec.rl_module_specs["shared"].module_class = MaskedPPOModule
    with pytest.raises(ParameterError, match=r"has to be a subclass of .*MaskedPPOModule"):
        apply_hyperparameters(masked, rllib(rl_module_spec="own.py:Module"))
    assert built.learner_class.__name__ == "Learner"
    assert [each.__name__ for each in built.callbacks_class][-1] == "Calls"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lr": "fast"}, "lr='fast' is not of type float"),
        ({"train_batch_size_per_learner": "many"}, "train_batch_size_per_learner='many' is not"),
        ({"use_critic": "no"}, "use_critic='no' is not of type bool"),
        ({"clip_param": {"linear": [0.2, 0.1]}}, "clip_param=.* is not of type float"),
        ({"lr": {"linera": [0.2, 0.1]}}, "did you mean 'linear'"),
        ({"lernaer_class": "own.py:Learner"}, "did you mean 'learner_class'"),
        ({"learner_class": "own.py:Module"}, "learner_class='.*Module' is not a subclass"),
        ({"learner_class": "subprocess:Popen"}, "is not a subclass of Learner"),
        ({"learner_class": 3}, "is not a class, as module:Class"),
        ({"rl_module_spec": "own.py:Moduule"}, "did you mean 'Module'"),
        ({"callbacks": "own:Calls"}, "there is no module 'own'"),
        ({"model_config": {"fcnet_hidden": [8]}}, "did you mean 'fcnet_hiddens'"),
    ],
    ids=str,
)
def test_faults_of_rllib_hyperparameters_are_refused(
    own: Path, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        read_hyperparameters(ALGORITHMS["PPO"].config(), rllib(**values))
