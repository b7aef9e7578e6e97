# SPDX-License-Identifier: GPL-2.0-only
"""SB3's trained policies, without further training, and their networks for policy files."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecNormalize

from defiance_zoo.bridge.codec.masks import read_mask
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.network import ActionHead, unflatten
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, to_agent


class SB3Policy:
    """One policy for every agent; it takes the most probable action, or the mean."""

    def __init__(self, network: BasePolicy, normalizer: VecNormalize | None) -> None:
        network.set_training_mode(False)
        self.network, self.normalizer = network, normalizer
        self._states: dict[str, Any] = {}

    @classmethod
    def copy_of(cls, network: BasePolicy, normalizer: VecNormalize | None) -> SB3Policy:
        """Return a copy of the policy that further training does not change.

        SB3's `save()` leaves out arguments of policies, such as those of an LSTM.
        """
        left_out: dict[int, Any] = {}
        for module in network.modules():
            left_out[id(getattr(module, "optimizer", None))] = None
            last = getattr(module, "action_dist", None)
            left_out[id(last)] = distribution = copy(last)
            if distribution is not None:
                distribution.distribution = None  # of the last decision, with its gradients
        # Pickling leaves the simulations out.
        kept = None if normalizer is None else pickle.loads(pickle.dumps(normalizer))
        return cls(deepcopy(network, left_out).to("cpu"), kept)

    def reset(self) -> None:
        self._states = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return an action in the agent's action space; MaskablePPO uses an `action_mask`."""
        masks: dict[str, Any] = {}
        if isinstance(self.network, MaskableActorCriticPolicy):
            space = origin_of(self.network.action_space)
            masks["action_masks"] = read_mask(agent, space, observation, info)
        observation = deepcopy(observation)  # PyTorch warns of tensors that share read-only arrays
        if self.normalizer is not None:
            observation = self.normalizer.normalize_obs(observation)
        chosen, self._states[agent] = self.network.predict(
            observation, self._states.get(agent), deterministic=True, **masks
        )
        action = to_agent(self.network.action_space, chosen)
        return int(action) if isinstance(self.network.action_space, spaces.Discrete) else action


class SB3Network(torch.nn.Module):
    """The computation of `predict(observation, deterministic=True)`, normalisation included.

    Its state has an LSTM's hidden and cell states; its size is 0 without an LSTM.
    """

    def __init__(self, policy: BasePolicy, normalization: VecNormalize | None = None) -> None:
        super().__init__()
        self._space = policy.observation_space
        self._normalize_images = policy.normalize_images
        self._extractor, self._network = _parts(policy)
        self._lstm: Any = getattr(policy, "lstm_actor", None)
        self._layers = self._lstm.num_layers if self._lstm else 0
        self.state_size = 2 * self._layers * self._lstm.hidden_size if self._lstm else 0
        self._head = ActionHead(origin_of(policy.action_space), unsquash=policy.squash_output)
        self._scales = torch.nn.ModuleDict()
        if normalization is not None and normalization.norm_obs:
            self._scales = _scales(normalization)

    def forward(self, observation: torch.Tensor, state: torch.Tensor | None = None) -> Any:
        """Return actions, (batch, ...), and with an LSTM the next states, (batch, state_size).

        Observations are float32 of shape (batch, n).
        """
        if state is None:
            return self._head(self.output(observation))
        rows = state.shape[0]
        hidden, cell = state.reshape(rows, 2, self._layers, -1).permute(1, 2, 0, 3).contiguous()
        features = self._extract(observation).unsqueeze(0)  # a sequence of one decision
        latent, following = self._lstm(features, (hidden, cell))
        actions = self._head(self._network(latent.squeeze(0)))
        return actions, torch.stack(following).permute(2, 0, 1, 3).reshape(rows, -1)

    def output(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the outputs for flat observations, without an LSTM; see `ActionHead`."""
        outputs: torch.Tensor = self._network(self._extract(observation))
        return outputs

    def _extract(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the features of the policy's extractor for flat observations."""
        parts = unflatten(origin_of(self._space), observation)
        if isinstance(self._space, spaces.Dict):
            prepared: Any = {
                key: self._prepare(part, parts[key], key)
                for key, part in self._space.spaces.items()
            }
        else:
            prepared = self._prepare(self._space, parts, "all")
        extracted: torch.Tensor = self._extractor(prepared)
        return extracted

    def _prepare(self, space: spaces.Space[Any], part: torch.Tensor, key: str) -> torch.Tensor:
        if key in self._scales:
            part = self._scales[key](part)
        if not is_image_space(space):
            return part
        if part.shape[1:] != space.shape:  # SB3 transposes pictures
            part = part.permute(0, 3, 1, 2)
        if self._normalize_images:
            part = part / 255.0
        return part


class _Scale(torch.nn.Module):
    """Normalises by statistics, in float64 like SB3."""

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self, mean: Any, variance: Any, epsilon: float, limit: float) -> None:
        super().__init__()
        self.register_buffer("mean", torch.as_tensor(np.asarray(mean, np.float64)))
        deviation = np.sqrt(np.asarray(variance, np.float64) + epsilon)
        self.register_buffer("deviation", torch.as_tensor(deviation))
        self._limit = limit

    def forward(self, part: torch.Tensor) -> torch.Tensor:
        scaled = (part.to(torch.float64) - self.mean) / self.deviation
        return torch.clamp(scaled, -self._limit, self._limit).to(torch.float32)


def _scales(normalization: VecNormalize) -> torch.nn.ModuleDict:
    """Return the scale of each key of a dict observation; without a dict, of the key `all`."""
    statistics: Any = normalization.obs_rms
    if not isinstance(statistics, dict):
        statistics = {"all": statistics}
    return torch.nn.ModuleDict(
        {
            key: _Scale(each.mean, each.var, normalization.epsilon, normalization.clip_obs)
            for key, each in statistics.items()
        }
    )


def _parts(policy: Any) -> tuple[torch.nn.Module, torch.nn.Module]:
    """Return the part that extracts features from observations, and the part that decides."""
    if isinstance(policy, ActorCriticPolicy):
        return policy.pi_features_extractor, _ActorCritic(policy)
    if hasattr(policy, "q_net"):
        return policy.q_net.features_extractor, policy.q_net.q_net
    if hasattr(policy, "quantile_net"):
        net = policy.quantile_net
        return net.features_extractor, _MeanOfQuantiles(net.quantile_net, net.n_quantiles)
    actor: Any = getattr(policy, "actor", None)
    if hasattr(actor, "latent_pi"):
        squash = torch.nn.Tanh()
        return actor.features_extractor, torch.nn.Sequential(actor.latent_pi, actor.mu, squash)
    if hasattr(actor, "mu"):
        return actor.features_extractor, actor.mu
    raise ParameterError(
        f"{type(policy).__name__} cannot be exported: a policy file has no action masks, and only "
        "policies of the algorithms that docs/training/export.md lists"
    )


class _ActorCritic(torch.nn.Module):
    """The actor of PPO and A2C."""

    def __init__(self, policy: ActorCriticPolicy) -> None:
        super().__init__()
        self._extractor = policy.mlp_extractor
        self._action_net = policy.action_net
        self._squash = policy.squash_output

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self._action_net(self._extractor.forward_actor(features))
        return torch.tanh(outputs) if self._squash else outputs


class _MeanOfQuantiles(torch.nn.Module):
    """The values of QR-DQN's actions."""

    def __init__(self, network: torch.nn.Module, quantiles: int) -> None:
        super().__init__()
        self._network = network
        self._quantiles = quantiles

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self._network(features)
        return outputs.reshape(outputs.shape[0], self._quantiles, -1).mean(dim=1)
