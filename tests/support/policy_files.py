# SPDX-License-Identifier: GPL-2.0-only
"""Policies as ONNX files, for scenario programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_policy(
    file: Path,
    gains: list[float],
    *,
    inputs: str = "observation",
    output: int = TensorProto.INT64,
    batch: int | str = "batch",
    axes: list[int] | None = None,
    metadata: dict[str, str] | None = None,
) -> Path:
    """Write a policy that acts 1 if the gains give a positive sum, and otherwise 0."""
    size = len(gains)
    gain = numpy_helper.from_array(np.array([gains], np.float32).T, "gains")
    zero = numpy_helper.from_array(np.array(0, np.float32), "zero")
    axis = numpy_helper.from_array(np.array([1]), "axis")
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", [inputs, "gains"], ["sum"]),
            helper.make_node("Squeeze", ["sum", "axis"], ["flat"]),
            helper.make_node("Greater", ["flat", "zero"], ["right"]),
            helper.make_node("Cast", ["right"], ["action"], to=output),
        ],
        "policy",
        [helper.make_tensor_value_info(inputs, TensorProto.FLOAT, [batch, *(axes or [size])])],
        [helper.make_tensor_value_info("action", output, [batch])],
        [gain, zero, axis],
    )
    opset = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=10)
    helper.set_model_props(model, metadata or {})
    onnx.save(model, file)
    return file
