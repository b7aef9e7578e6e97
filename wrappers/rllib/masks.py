# SPDX-License-Identifier: GPL-2.0-only
"""PPO's networks for observations with an action mask."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.wrappers.rllib.spaces import OBSERVATIONS


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """Uses only `observations`; actions with the mask 0 have the probability 0."""

    def __init__(self, *, observation_space: Any, **arguments: Any) -> None:
        inner = observation_space[OBSERVATIONS]
        super().__init__(observation_space=inner, **arguments)  # type: ignore[no-untyped-call] # RLlib's
        self.observation_space = observation_space  # RLlib rebuilds the module from this value

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        return super().compute_values(_without_mask(batch), embeddings)

    def _forward(self, batch: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        return _masked(super()._forward(_without_mask(batch), **arguments), batch)

    def _forward_train(self, batch: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        return _masked(super()._forward_train(_without_mask(batch), **arguments), batch)


def _without_mask(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, Columns.OBS: batch[Columns.OBS][OBSERVATIONS]}


def _masked(answer: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    logits = answer[Columns.ACTION_DIST_INPUTS]
    forbidden = batch[Columns.OBS][MASK] == 0
    # The smallest number, because -inf would make the entropy NaN.
    logits = logits.masked_fill(forbidden, torch.finfo(logits.dtype).min)
    return {**answer, Columns.ACTION_DIST_INPUTS: logits}
