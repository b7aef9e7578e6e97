# SPDX-License-Identifier: GPL-2.0-only
"""Policy files: ONNX models with the spaces of their agents (docs/training/export.md)."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import torch
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim

import defiance_zoo
from defiance_zoo.bridge.codec import space_to_json
from defiance_zoo.errors import ParameterError

Space = spaces.Space[Any]

OPSET = 18
"""The lowest opset of PyTorch's exporter; ONNX Runtime runs it from version 1.14."""


def write_policy_file(
    network: torch.nn.Module,
    observation_space: Space,
    action_space: Space,
    file: Path,
    metadata: Mapping[str, str],
) -> None:
    """Write a network as a policy file.

    Args:
        network: Maps flat observations, float32 (batch, flatdim(observation_space)), to actions of
            the action space, (batch, ...). If its attribute `state_size` is greater than 0, it also
            takes states, float32 (batch, state_size), which are zeros at an episode's first
            decision, and returns actions and the states for the next decisions.
        observation_space: Observation space of the agents.
        action_space: Action space of the agents.
        file: File to write; an existing file is replaced.
        metadata: Further metadata of the file, for people.
    """
    model = make_model(network, observation_space, action_space, metadata)
    file.write_bytes(model.SerializeToString())


def make_model(
    network: torch.nn.Module,
    observation_space: Space,
    action_space: Space,
    metadata: Mapping[str, str],
    noise: int = 0,
) -> onnx.ModelProto:
    """Return the model that `write_policy_file()` writes.

    With `noise`, the network takes noise as a second argument: float32 (batch, noise). Its
    parameters are then initializers with the parameters' names.
    """
    if _holds_text(observation_space):
        raise ParameterError(f"observations of {observation_space} cannot be exported: a text")
    network = network.eval()
    state = int(getattr(network, "state_size", 0))
    sizes = {"observation": flatdim(observation_space), "state": state, "noise": noise}
    widths = {name: size for name, size in sizes.items() if size or name == "observation"}
    batch = {0: torch.export.Dim("batch")}  # independent of the names of `forward`'s arguments
    with _quiet_exporter():
        try:
            program = torch.onnx.export(
                network,
                tuple(torch.ones(2, width) for width in widths.values()),
                input_names=list(widths),
                output_names=["action", *(["next_state"] if state else [])],
                opset_version=OPSET,
                dynamic_shapes=tuple(batch for _ in widths),
                dynamo=True,
                optimize=not noise,
                verbose=False,
            )
        except torch.onnx.OnnxExporterError as error:
            why = error.__cause__ or error
            raise ParameterError(f"PyTorch cannot export the policy's network: {why}") from error
    assert program is not None
    model = program.model_proto
    for node in model.graph.node:
        del node.metadata_props[:]  # where PyTorch's exporter was called, with paths
    model.producer_name, model.producer_version = "defiance-zoo", defiance_zoo.__version__
    for name, space in (("observation_space", observation_space), ("action_space", action_space)):
        # The first is for people; simulations compare the second with their agents' spaces.
        metadata = {
            **metadata,
            name: str(space),
            f"defiance.v1.{name}": space_to_json(space),
        }
    onnx.helper.set_model_props(model, dict(metadata))
    return model


def _holds_text(space: Space) -> bool:
    if isinstance(space, spaces.Dict | spaces.Tuple):
        parts = space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces
        return any(_holds_text(part) for part in parts)
    return isinstance(space, spaces.Text)


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """Suppress the exporter's messages about PyTorch and missing packages."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
