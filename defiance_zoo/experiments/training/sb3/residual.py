# SPDX-License-Identifier: GPL-2.0-only
"""Policies of SB3 that start as a hand-written policy and learn a correction of its choices.

The choice of the hand-written policy follows the features in the observation of SB3's policy. The
last layer of the actor adds the learned correction to it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim, flatten
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import CombinedExtractor
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.environments import lookup
from defiance_zoo.environments.vector.batches import take_rows
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import Policy, Spaces, maker_of
from defiance_zoo.experiments.training.configuration import RunConfig
from defiance_zoo.experiments.training.features import FeaturePolicy, RunFeatures
from defiance_zoo.experiments.training.sb3.imitation import ALGORITHMS
from defiance_zoo.experiments.workbench.origin import opened
from defiance_zoo.wrappers.features import FeatureView
from defiance_zoo.wrappers.features.view import OBSERVATIONS
from defiance_zoo.wrappers.sb3 import FeatureVecEnv
from defiance_zoo.wrappers.sb3.base import SB3VecEnvBase
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of

_FILE = "residual.json"
_FIXED = {"features_extractor_class", "features_extractor_kwargs", "use_sde"}
"""Keys of `policy_kwargs` that the policy of a residual does not have."""


def require_correctable(config: RunConfig) -> None:
    """Refuse a run whose policy cannot correct a hand-written one."""
    assert config.residual is not None
    what = f"residual={config.residual.policy!r}"
    if config.algorithm not in ALGORITHMS:
        raise ParameterError(
            f"{what} cannot be used with algorithm={config.algorithm!r}: {list(ALGORITHMS)} can"
        )
    arguments = config.hyperparameters.get("policy_kwargs") or {}
    fixed = {"policy", "use_sde"} & config.hyperparameters.keys() | _FIXED & arguments.keys()
    if fixed:
        raise ParameterError(f"{what} has its own policy, and cannot be used with {min(fixed)}")


class _AgentSpaces:
    """Names and spaces of agents, as a hand-written policy reads them from its environment."""

    def __init__(self, agents: list[str], both: Spaces, name: str) -> None:
        self.possible_agents, self._both, self._name = agents, both, name

    def observation_space(self, _agent: str) -> Any:
        return self._both[0]

    def action_space(self, _agent: str) -> Any:
        return self._both[1]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise ParameterError(
            f"residual={self._name!r} reads {name!r} of the environment: a residual needs a policy "
            "that decides by observations, infos and spaces"
        )


@dataclass(frozen=True)
class Base:
    """The hand-written policy of a run, for agents with equal spaces."""

    config: RunConfig
    agents: list[str]
    spaces: Spaces

    @classmethod
    def of_training(cls, config: RunConfig, simulations: Any) -> Base:
        """Return the policy for the agents of a vector; refuse actions that cannot be corrected."""
        acts = origin_of(simulations.action_space)
        floating = np.issubdtype(acts.dtype, np.floating)
        if isinstance(acts, spaces.Box) and not (floating and acts.is_bounded()):
            raise ParameterError(
                f"residual: actions of {acts} cannot be corrected: they are integers or unbounded"
            )
        names = [each for each in dict.fromkeys(simulations.agents) if each]
        base = cls(config, names, (simulations.observation_space, acts))
        base.make(config.seed)  # may refuse the spaces
        return base

    @classmethod
    def load(cls, config: RunConfig, folder: Path, both: Spaces) -> Base:
        """Return the policy of a folder that `save()` wrote; refuse changed code."""
        saved = read_json(opened(folder / _FILE))
        base = cls(config, list(saved["agents"]), both)
        if saved["code"] != base._code():
            raise ParameterError(
                f"residual={base._residual.policy!r}: the module of the hand-written policy has "
                "changed since the policy was saved: restore it"
            )
        return base

    def save(self, folder: Path) -> None:
        """Write the agents of the training, and the digest of the policy's code."""
        facts = {"agents": self.agents, "code": self._code()}
        (folder / _FILE).write_text(json.dumps(facts), encoding="utf-8")

    def make(self, seed: int) -> Policy:
        """Return the policy at the beginning of an episode."""
        env: Any = _AgentSpaces(self.agents, self.spaces, self._residual.policy)
        policy: Policy = self._residual.named.make(lookup(self.config.env), env, seed)
        policy.reset()
        return policy

    def choose(self, policy: Policy, agent: str, *seen: Any) -> NDArray[np.float32]:
        """Return the action of a policy, which may write into what it gets, for the network."""
        action = policy.act(agent, *deepcopy(seen))
        try:
            return np.asarray(flatten(self.spaces[1], action), np.float32)
        except (IndexError, TypeError, ValueError) as error:
            raise ParameterError(
                f"residual={self._residual.policy!r} has chosen {action!r}, which is not in "
                f"{self.spaces[1]}"
            ) from error

    def graph(self, view: FeatureView) -> Any:
        """Return the view with the choice of this policy as operators for a policy file."""
        spec, residual = lookup(self.config.env), self._residual
        place = spec.graphs.get(residual.policy)
        if place is None:
            raise ParameterError(
                f"residual={residual.policy!r} cannot be exported: {spec.name} has this policy "
                f"only in Python, and {sorted(spec.graphs) or 'no policy'} as operators"
            )
        make = import_attribute(place)
        chosen = make(*self.spaces, self.config.parameters, **residual.options)
        return _ViewWithChoice(view, chosen)

    @property
    def _residual(self) -> Any:
        return self.config.residual

    def _code(self) -> str | None:
        """Return the digest of the policy's module; None for the package's own policies."""
        spec, named = lookup(self.config.env), self._residual.named
        own = maker_of(spec, named).module.startswith("defiance_zoo.")
        return None if own else named.facts(spec)["code"]


class _ViewWithChoice(torch.nn.Module):
    """Features and a hand-written policy's choice, with both states; see `FeatureView`."""

    def __init__(self, view: FeatureView, chosen: Any) -> None:
        super().__init__()
        self._view, self._chosen = view, chosen
        self.state_size = view.state_size + chosen.state_size

    def forward(self, observation: torch.Tensor, state: torch.Tensor) -> Any:
        width = self._view.state_size
        features, after = self._view(observation, state[:, :width])
        choice, following = self._chosen(observation, state[:, width:])
        return torch.cat([features, choice], dim=1), torch.cat([after, following], dim=1)


def _join(features: Any, choices: NDArray[np.float32]) -> Any:
    """Return features, or their Dict with a mask, followed by choices; of one row or several."""
    if isinstance(features, dict):
        return {**features, OBSERVATIONS: _join(features[OBSERVATIONS], choices)}
    return np.concatenate([features, choices], axis=-1)


class ResidualPolicy(FeaturePolicy):
    """A policy that corrects a hand-written one; see `FeaturePolicy`."""

    def __init__(
        self, policy: Policy, features: RunFeatures, name_of: Callable[[str], str], base: Base
    ) -> None:
        super().__init__(policy, features, name_of)
        self.base = base
        self.reset()

    def reset(self) -> None:
        super().reset()
        self._chooser = self.base.make(self.base.config.seed)

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        choice = self.base.choose(self._chooser, agent, observation, info)
        observed = _join(self.observe(agent, observation), choice)
        return self.policy.act(agent, observed, info)


@dataclass
class _Player:
    """The hand-written policy of an episode, its first infos, and all that it has seen."""

    policy: Policy
    seed: int
    first: dict[str, Any]
    seen: list[tuple[str, Any, dict[str, Any]]] = field(default_factory=list)


class ResidualVecEnv(VecEnvWrapper):
    """Adds the choices of a hand-written policy to the features of a vector.

    Each episode has a new policy. The choice of a row changes when its agent decides.
    """

    def __init__(self, venv: VecEnv, base: Base) -> None:
        simulations = venv.unwrapped
        assert isinstance(venv, FeatureVecEnv)
        assert isinstance(simulations, SB3VecEnvBase)
        self._features, self._simulations, self._base = venv, simulations, base
        width = flatdim(base.spaces[1])
        self._choices = np.zeros((venv.num_envs, width), np.float32)
        self._begun = 0
        self._players: list[_Player | None] = [None] * (venv.num_envs // simulations.rows)
        space: spaces.Space[Any] = venv.observation_space
        if isinstance(space, spaces.Dict):
            space = spaces.Dict({**space.spaces, OBSERVATIONS: _widen(space[OBSERVATIONS], width)})
        else:
            space = _widen(space, width)
        super().__init__(venv, observation_space=space)

    def reset(self) -> Any:
        features = self.venv.reset()
        self._choose(self._simulations.reset_infos)
        return _join(features, self._choices)

    def step_wait(self) -> Any:
        """Wait for every simulation; a final observation has the last choice of its row."""
        features, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            last = infos[row]["terminal_observation"]
            infos[row]["terminal_observation"] = _join(last, self._choices[row])
        self._choose(infos)
        return _join(features, self._choices), rewards, dones, infos

    def state_dict(self) -> dict[str, Any]:
        """Return the choices, and what the policies have seen in the running episodes."""
        seen = [(each.seed, list(each.seen)) for each in self._players if each is not None]
        return {"begun": self._begun, "seen": seen, "choices": self._choices.copy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict()`: policies decide again in the running episodes."""
        self._begun, self._choices[:] = state["begun"], state["choices"]
        firsts = self._simulations.reset_infos[:: self._simulations.rows]
        for member, (seed, seen) in enumerate(state["seen"]):
            player = _Player(self._base.make(seed), seed, firsts[member], list(seen))
            for each in seen:
                self._base.choose(player.policy, *each)
            self._players[member] = player

    def _choose(self, infos: list[dict[str, Any]]) -> None:
        """Let the policies choose for the rows that decide next."""
        simulations, count = self._simulations, self._simulations.rows
        deciding, firsts = simulations.deciding(), simulations.reset_infos
        for member, first in enumerate(firsts[::count]):
            player, known = self._players[member], infos
            if player is None or player.first is not first:  # a new object in each episode
                seed = self._base.config.seed + self._begun
                player = self._players[member] = _Player(self._base.make(seed), seed, first)
                known, self._begun = firsts, self._begun + 1
            for row in range(member * count, (member + 1) * count):
                if deciding[row]:
                    observation = take_rows(self._features.observations, row)
                    news = deepcopy((simulations.agents[row], observation, known[row]))
                    player.seen.append(news)
                    self._choices[row] = self._base.choose(player.policy, *news)


def _widen(space: Any, width: int) -> spaces.Box:
    return spaces.Box(-np.inf, np.inf, (space.shape[0] + width,), np.float32)


# ---------------------------------------------------------------------------- networks


def residual_policy(config: RunConfig, env: ResidualVecEnv, given: Any) -> dict[str, Any]:
    """Return the arguments of an algorithm for its policy."""
    assert config.residual is not None
    masked = config.algorithm == "MaskablePPO"
    arguments = {**(given or {}), "correction": (config.residual.confidence, config.residual.scale)}
    if isinstance(env.observation_space, spaces.Dict):
        arguments["features_extractor_class"] = CombinedExtractor  # the features come last
    chosen = MaskableResidualActorCriticPolicy if masked else ResidualActorCriticPolicy
    return {"policy": chosen, "policy_kwargs": arguments}


def set_log_std(policy: Any, value: float) -> None:
    """Set the logarithm of the deviation of a policy's noise, which is then not learned."""
    if not hasattr(policy, "log_std"):
        raise ParameterError(
            f"policy_kwargs.log_std_init: actions of {policy.action_space} are not real numbers"
        )
    policy.log_std.requires_grad_(False)
    with torch.no_grad():
        policy.log_std.copy_(value + getattr(policy, "log_unit", torch.zeros(())))


class _WithChoice(torch.nn.Module):
    """SB3's extractor of an actor and a critic; the choice follows the actor's numbers."""

    def __init__(self, inner: Any, width: int) -> None:
        super().__init__()
        self.inner, self._width = inner, width
        self.latent_dim_pi, self.latent_dim_vf = inner.latent_dim_pi, inner.latent_dim_vf

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.inner.forward_actor(features), features[:, -self._width :]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        learned: torch.Tensor = self.inner.forward_critic(features)
        return learned


class _Corrected(torch.nn.Module):
    """The last layer of an actor: a choice, as mean or logits, and the learned correction."""

    gain: torch.Tensor
    shift: torch.Tensor
    unit: torch.Tensor

    def __init__(self, learned: torch.nn.Linear, space: spaces.Space[Any], correction: Any) -> None:
        super().__init__()
        torch.nn.init.zeros_(learned.weight)
        torch.nn.init.zeros_(learned.bias)
        self.learned, self._width = learned, learned.out_features
        gain, shift, unit = _scales(space, *correction)
        for name, value in (("gain", gain), ("shift", shift), ("unit", unit)):
            self.register_buffer(name, torch.tensor(value, dtype=torch.float32))

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        learned: torch.Tensor = self.learned(latent[:, : -self._width])
        return self.gain * latent[:, -self._width :] + self.shift + self.unit * learned


def _scales(space: Any, confidence: float, scale: float) -> tuple[Any, Any, Any]:
    """Return factors of choices, offsets, and factors of corrections, one for each output.

    A choice, which is a 1 among zeros, has the probability `confidence`.
    """
    odds = math.log(confidence / (1 - confidence))
    if isinstance(space, spaces.Box):
        return 1.0, 0.0, (scale * np.maximum(space.high - space.low, 1e-6) / 2).ravel()
    if isinstance(space, spaces.MultiBinary):
        return 2 * odds, -odds, 1.0
    counts = [space.n] if isinstance(space, spaces.Discrete) else space.nvec.ravel().tolist()
    gains = [odds + math.log(max(count - 1, 1)) for count in counts for _ in range(count)]
    return gains, 0.0, 1.0


class _Correcting:
    """Makes a policy of SB3 correct the choice at the end of its observation."""

    def __init__(self, *arguments: Any, correction: Any, **settings: Any) -> None:
        self._correction = correction
        super().__init__(*arguments, **settings)

    def _build_mlp_extractor(self: Any) -> None:
        super()._build_mlp_extractor()  # type: ignore[misc]
        self.mlp_extractor = _WithChoice(self.mlp_extractor, flatdim(self.action_space))

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]
        self.action_net = _Corrected(self.action_net, self.action_space, self._correction)
        if isinstance(self.action_space, spaces.Box):
            self.register_buffer("log_unit", self.action_net.unit.log(), persistent=False)
            self.log_std.data += self.log_unit


class ResidualActorCriticPolicy(_Correcting, ActorCriticPolicy):  # type: ignore[misc]
    """For PPO, A2C and TRPO."""


class MaskableResidualActorCriticPolicy(_Correcting, MaskableActorCriticPolicy):  # type: ignore[misc]
    """For MaskablePPO."""
