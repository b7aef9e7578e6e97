# SPDX-License-Identifier: GPL-2.0-only
"""Policy files that would take all memory or time, read other files, or end the process."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from defiance_zoo.bridge.codec import space_to_json
from defiance_zoo.environments import lookup

HUGE = 2**40
_FLOAT, _INT = TensorProto.FLOAT, TensorProto.INT64


def constant(name: str, value: Any) -> NodeProto:
    """Return a node with a constant."""
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(value)))


def node(operation: str, inputs: str, output: str, **attributes: Any) -> NodeProto:
    """Return a node; the inputs are separated by blanks."""
    return helper.make_node(operation, inputs.split(), [output], **attributes)


END = (
    node("ReduceMax", "x", "top", keepdims=0),
    node("Cast", "top", "whole", to=_INT),
    constant("one_axis", [1]),
    node("Reshape", "whole one_axis", "action"),
)
"""Decides by the largest number of the tensor x."""


def model(nodes: Sequence[NodeProto], **more: Any) -> ModelProto:
    """Return a policy for cart_pole_v0 with these nodes; the rest are arguments of `make_graph`."""
    graph = helper.make_graph(
        list(nodes),
        "policy",
        [helper.make_tensor_value_info("observation", _FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("action", _INT, ["batch"])],
        **more,
    )
    opset = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=10)
    helper.set_model_props(made, _spaces())
    return made


@functools.cache
def _spaces() -> dict[str, str]:
    """Return the metadata of a policy for cart_pole_v0: its spaces."""
    env = lookup("cart_pole_v0").raw_env()
    agent = env.possible_agents[0]
    spaces = {"observation": env.observation_space(agent), "action": env.action_space(agent)}
    env.close()
    return {f"defiance.v1.{name}_space": space_to_json(each) for name, each in spaces.items()}


def _sized(operation: str, inputs: str, *constants: NodeProto, **attributes: Any) -> ModelProto:
    """Return a policy with one node that makes a tensor x, of constant size."""
    return model([*constants, node(operation, inputs, "x", **attributes), *END])


def _by_data(*nodes: NodeProto) -> ModelProto:
    """Return a policy whose sizes depend on the observation, as the integers n of shape [1]."""
    count = (
        node("ReduceSum", "observation", "sum", keepdims=0),
        constant("factor", np.float32(1e12)),
        node("Mul", "sum factor", "large"),
        node("Cast", "large", "count", to=_INT),
        constant("listed", [1]),
        node("Reshape", "count listed", "n"),
    )
    return model([*count, *nodes, *END])


def _body(*nodes: NodeProto, inputs: Sequence[tuple[str, int]] = (), output: str = "y") -> Any:
    infos = [helper.make_tensor_value_info(name, kind, []) for name, kind in inputs]
    return helper.make_graph(
        list(nodes), "body", infos, [helper.make_tensor_value_info(output, _FLOAT, None)]
    )


def _loop(rounds: int) -> ModelProto:
    body = helper.make_graph(
        [node("Identity", "c", "co"), node("Add", "v one", "w")],
        "body",
        [
            helper.make_tensor_value_info("i", _INT, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", _FLOAT, [1, 4]),
        ],
        [
            helper.make_tensor_value_info("co", TensorProto.BOOL, []),
            helper.make_tensor_value_info("w", _FLOAT, [1, 4]),
        ],
    )
    return model(
        [
            constant("n", rounds),
            constant("yes", True),
            constant("one", np.float32(1)),
            node("Loop", "n yes observation", "x", body=body),
            *END,
        ]
    )


def _nested_functions() -> ModelProto:
    made = _sized("f0", "observation", domain="local")
    for level in range(30):
        call = [
            helper.make_node(f"f{level + 1}", ["a"], ["b"], domain="local"),
            helper.make_node(f"f{level + 1}", ["b"], ["c"], domain="local"),
        ]
        made.functions.append(
            helper.make_function("local", f"f{level}", ["a"], ["c"], call, made.opset_import)
        )
    identity = [node("Identity", "a", "c")]
    made.functions.append(
        helper.make_function("local", "f30", ["a"], ["c"], identity, made.opset_import)
    )
    return made


def _external(where: str) -> ModelProto:
    tensor = numpy_helper.from_array(np.zeros(4, np.float32), "weights")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")
    if where == "initializer":
        return model([node("Add", "observation weights", "x"), *END], initializer=[tensor])
    held = helper.make_node("Constant", [], ["weights"], value=tensor)
    return model([held, node("Add", "observation weights", "x"), *END])


def _doubled(operation: str, rounds: int) -> ModelProto:
    nodes = [node("Identity", "observation", "x0")]
    for i in range(rounds):
        attributes = {"axis": 1} if operation == "Concat" else {}
        nodes.append(node(operation, f"x{i} x{i}", f"x{i + 1}", **attributes))
    return model([*nodes, node("Identity", f"x{rounds}", "x"), *END])


def _chain(operation: str, count: int) -> ModelProto:
    nodes = [node("Identity", "observation", "x0")]
    nodes += [node(operation, f"x{i}", f"x{i + 1}") for i in range(count)]
    return model([*nodes, node("Identity", f"x{count}", "x"), *END])


def _initializer(tensor: TensorProto) -> ModelProto:
    return model([node("Add", "observation weights", "x"), *END], initializer=[tensor])


def _weights(dims: Sequence[int], data: bytes, kind: int = _FLOAT) -> ModelProto:
    tensor = TensorProto(name="weights", data_type=kind, dims=dims, raw_data=data)
    return _initializer(tensor)


def _sparse() -> ModelProto:
    values = numpy_helper.from_array(np.ones(1, np.float32), "weights")
    indices = numpy_helper.from_array(np.zeros(1, np.int64), "places")
    return model(
        [node("Add", "observation weights", "x"), *END],
        sparse_initializer=[helper.make_sparse_tensor(values, indices, [HUGE])],
    )


def _divided(operation: str) -> ModelProto:
    return _by_data(
        node("Sub", "n n", "nothing"), node(operation, "n nothing", "many"),
        node("Cast", "many", "x", to=_FLOAT),
    )  # fmt: skip


def _input(shape: Sequence[Any]) -> ModelProto:
    made = model([node("Identity", "observation", "x"), *END])
    made.graph.input[0].CopyFrom(helper.make_tensor_value_info("observation", _FLOAT, shape))
    return made


def _wire(*fields: tuple[int, bytes], times: int = 1) -> bytes:
    """Return the bytes of length-delimited fields of a protobuf message, repeated."""
    encoded = b"".join(
        _varint(number << 3 | 2) + _varint(len(content)) + content for number, content in fields
    )
    return encoded * times


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(parts + bytes([value]))


def _nested_types(depth: int) -> bytes:
    inner = b""
    for _ in range(depth):
        inner = _wire((4, _wire((1, inner))))  # a sequence of a sequence ...
    return _wire((7, _wire((13, _wire((2, inner))))))


_IMAGE = (constant("square", [1, 1, 2, 2]), node("Reshape", "observation square", "image"))


def _range(begin: int, end: int, step: int) -> ModelProto:
    numbers = [constant(name, each) for name, each in zip("abc", (begin, end, step), strict=True)]
    return _sized("Range", "a b c", *numbers)


def _square(side: int, *, layers: int) -> ModelProto:
    """Return a policy that multiplies large matrices."""
    nodes = [constant("shape", [side, side]), node("ConstantOfShape", "shape", "m")]
    nodes += [node("MatMul", "m m", f"m{i}") for i in range(layers)]
    return model([*nodes, node("Identity", "m0", "x"), *END])


def _image(operation: str, *more: NodeProto, inputs: str = "image", **attributes: Any) -> Any:
    return model([*_IMAGE, *more, node(operation, inputs, "x", **attributes), *END])


_MAKERS: dict[str, Callable[[], ModelProto | bytes]] = {
    # --- control flow, functions, and operators of others
    "loop": lambda: _loop(2**62),
    "short loop": lambda: _loop(1),
    "if": lambda: model(
        [
            constant("yes", True),
            node(
                "If", "yes", "x",
                then_branch=_body(constant("y", np.float32(1))),
                else_branch=_body(constant("y", np.float32(1))),
            ),
            *END,
        ]
    ),
    "scan": lambda: _sized(
        "Scan", "observation", num_scan_inputs=1,
        body=_body(node("Identity", "v", "y"), inputs=[("v", _FLOAT)]),
    ),
    "subgraph of another operator": lambda: _sized("Relu", "observation", body=_body()),
    "functions": _nested_functions,
    "another domain": lambda: _sized("Gelu", "observation", domain="com.microsoft"),
    "resize": lambda: _image(
        "Resize", constant("empty", np.zeros(0, np.float32)),
        constant("scales", np.full(4, 1e6, np.float32)), inputs="image empty scales",
    ),
    "upsample": lambda: _image(
        "Upsample", constant("scales", np.full(4, 1e6, np.float32)), inputs="image scales"
    ),
    "random numbers": lambda: _sized("RandomNormal", "", shape=[HUGE]),
    "einsum": lambda: _sized("Einsum", "observation", equation="ab,cd,ef,gh->abcdefgh"),
    "nonzero": lambda: _sized("NonZero", "observation"),
    "unknown operator": lambda: _sized("Surprise", "observation"),
    "optional": lambda: _sized("Optional", "observation"),
    "sequence": lambda: _sized("SequenceConstruct", "observation observation"),
    # --- files, and other kinds of tensors
    "external initializer": lambda: _external("initializer"),
    "external constant": lambda: _external("constant"),
    "text": lambda: _initializer(
        TensorProto(name="weights", data_type=TensorProto.STRING, dims=[1], string_data=[b"x"])
    ),
    "texts of numbers": lambda: _sized("Cast", "observation", to=TensorProto.STRING),
    "text constant": lambda: _sized("Constant", "", value_string="x"),
    "sparse": _sparse,
    "quantized": lambda: _weights([4], bytes(2), TensorProto.INT4),
    "segment": lambda: _initializer(
        TensorProto(
            name="weights", data_type=_FLOAT, dims=[4], segment=TensorProto.Segment(begin=0, end=9)
        )
    ),
    # --- constants that contradict their data
    "huge constant": lambda: _weights([HUGE], b""),
    "huge constant without elements": lambda: _weights([0, HUGE], b""),
    "overflowing constant": lambda: _weights([2**32, 2**32], b""),
    "negative axis": lambda: _weights([-4], bytes(16)),
    "two negative axes": lambda: _weights([-2, -2], bytes(16)),
    "short data": lambda: _weights([4], bytes(15)),
    "long data": lambda: _weights([4], bytes(17)),
    "no data": lambda: _weights([4], b""),
    "unknown type": lambda: _weights([4], bytes(16), 99),
    "many axes": lambda: _weights([1] * 1000, bytes(4)),
    # --- sizes that are constant
    "fill": lambda: _sized("ConstantOfShape", "s", constant("s", [2**31])),
    "negative fill": lambda: _sized("ConstantOfShape", "s", constant("s", [-1])),
    "expand": lambda: _sized("Expand", "observation s", constant("s", [HUGE, 4])),
    "tile": lambda: _sized("Tile", "observation s", constant("s", [2**20, 2**20])),
    "pad": lambda: _sized("Pad", "observation s", constant("s", [0, 0, 2**30, 2**30])),
    "mirrored pad": lambda: _sized(
        "Pad", "observation s", constant("s", [0, 9, 0, 9]), mode="reflect"
    ),
    "negative pad": lambda: _sized("Pad", "observation s", constant("s", [0, -(2**62), 0, 0])),
    "range": lambda: _range(0, HUGE, 1),
    "range without step": lambda: _range(0, 9, 0),
    "one hot": lambda: model(
        [
            node("Cast", "observation", "i", to=_INT), constant("d", HUGE),
            constant("v", np.array([0, 1], np.float32)), node("OneHot", "i d v", "x"), *END,
        ]
    ),
    "outer product": lambda: _sized(
        "MatMul", "a b", constant("a", np.ones((2**13, 1), np.float32)),
        constant("b", np.ones((1, 2**13), np.float32)),
    ),
    "broadcast": lambda: _sized(
        "Add", "a b", constant("a", np.ones((2**13, 1), np.float32)),
        constant("b", np.ones((1, 2**13), np.float32)),
    ),
    "gather": lambda: model(
        [
            constant("a", np.zeros((1, 2**12), np.float32)),
            constant("i", np.zeros(2**13, np.int64)), node("Gather", "a i", "x"), *END,
        ]
    ),
    "doubled by concat": lambda: _doubled("Concat", 40),
    "doubled by sum": lambda: _doubled("Add", 1000),
    "long products": lambda: _square(2**11, layers=1),
    "many products": lambda: _square(2**9, layers=50),
    "large convolution": lambda: _image(
        "Conv", constant("w", np.ones((2, 1, 1, 1), np.float32)), inputs="image w",
        pads=[2**12] * 4,
    ),
    "convolution without stride": lambda: _image(
        "Conv", constant("w", np.ones((1, 1, 1, 1), np.float32)), inputs="image w", strides=[0, 0]
    ),
    "convolution without groups": lambda: _image(
        "Conv", constant("w", np.ones((1, 1, 1, 1), np.float32)), inputs="image w", group=0
    ),
    "pooling without window": lambda: _image("MaxPool", kernel_shape=[0, 0]),
    "padded pooling": lambda: _image("MaxPool", kernel_shape=[1, 1], pads=[2**30] * 4),
    "repeated sorting": lambda: model(
        [
            constant("s", [2**23]), node("ConstantOfShape", "s", "f"), constant("k", [1]),
            *(helper.make_node("TopK", ["f", "k"], [f"v{i}", f"p{i}"]) for i in range(99)),
            node("Identity", "v0", "x"), *END,
        ]
    ),
    "repeated reading": lambda: model(
        [
            constant("s", [2**23]), node("ConstantOfShape", "s", "f"),
            *(node("ReduceMax", "f", f"r{i}") for i in range(4000)),
            node("Identity", "r0", "x"), *END,
        ]
    ),
    "recurrent": lambda: model(
        [
            constant("s", [2**14, 1, 4]), node("ConstantOfShape", "s", "f"),
            constant("w", np.ones((1, 4 * 256, 4), np.float32)),
            constant("r", np.ones((1, 4 * 256, 256), np.float32)),
            node("LSTM", "f w r", "x", hidden_size=256), *END,
        ]
    ),
    # --- sizes and divisors that depend on the observation
    "fill by data": lambda: _by_data(node("ConstantOfShape", "n", "x")),
    "expand by data": lambda: _by_data(node("Expand", "sum n", "x")),
    "tile by data": lambda: _by_data(
        constant("flat", [-1]), node("Reshape", "observation flat", "line"),
        node("Tile", "line n", "x"),
    ),
    "range by data": lambda: _by_data(
        constant("zero", 0), constant("step", 1), node("Range", "zero count step", "r"),
        node("Cast", "r", "x", to=_FLOAT),
    ),
    "pad by data": lambda: _by_data(
        node("Concat", "n n n n", "p", axis=0), node("Pad", "observation p", "x")
    ),
    "one hot by data": lambda: _by_data(
        constant("v", np.array([0, 1], np.float32)), node("OneHot", "n count v", "x")
    ),
    "slice by data": lambda: _by_data(
        constant("zero", [0]), node("Slice", "observation zero n", "x")
    ),
    "division by zero": lambda: _divided("Div"),
    "remainder of zero": lambda: _divided("Mod"),
    # --- the graph
    "many nodes": lambda: _chain("Relu", 20_000),
    "most nodes": lambda: _chain("Relu", 4990),
    "most different nodes": lambda: _chain("Sin", 4990),
    "cycle": lambda: model([node("Add", "observation x", "y"), node("Relu", "y", "x"), *END]),
    "output twice": lambda: model(
        [node("Relu", "observation", "x"), node("Neg", "observation", "x"), *END]
    ),
    "input is an output": lambda: model(
        [node("Relu", "observation", "observation"), node("Relu", "observation", "x"), *END]
    ),
    "attribute twice": lambda: _twice(),
    "attribute of another type": lambda: _sized(
        "ReduceMax", "observation", keepdims=helper.make_tensor("t", _INT, [1], [1])
    ),
    "huge input": lambda: _input(["batch", HUGE]),
    "input of any length": lambda: _input(["batch", "length"]),
    "negative input": lambda: _input(["batch", -4]),
    "large batch": lambda: _input([2**31, 4]),
    # --- the bytes
    "a million empty nodes": lambda: _wire((7, _wire((1, b""), times=1_000_000))),
    "a million attributes": lambda: _wire((7, _wire((1, _wire((5, b""), times=1_000_000))))),
    "a million constants": lambda: _wire((7, _wire((5, b""), times=1_000_000))),
    "a million functions": lambda: _wire((25, b""), times=1_000_000),
    "a million entries": lambda: _wire((14, b""), times=1_000_000),
    "ten million integers": lambda: _wire((7, _wire((5, _wire((7, bytes(10_000_000))))))),
    "deep types": lambda: _nested_types(2000),
    "two graphs": lambda: 2 * _wire((7, _wire((2, b"graph")))),
    "endless length": lambda: b"\x3a" + b"\xff" * 9 + b"\x01",
    "group": lambda: b"\x3b" * 1_000_000,
}  # fmt: skip


def _twice() -> ModelProto:
    made = _sized("ReduceMax", "observation", keepdims=0)
    made.graph.node[0].attribute.add().CopyFrom(made.graph.node[0].attribute[0])
    return made


NAMES = tuple(_MAKERS)


def hostile_policies() -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of all hostile files."""
    for name, make in _MAKERS.items():
        made = make()
        yield name, made if isinstance(made, bytes) else made.SerializeToString()
