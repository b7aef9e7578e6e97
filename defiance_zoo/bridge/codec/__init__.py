# SPDX-License-Identifier: GPL-2.0-only
"""Conversion between messages (`environment.proto`) and Gymnasium's spaces and values."""

from defiance_zoo.bridge.codec.nested_values import codec_for
from defiance_zoo.bridge.codec.spaces import (
    Space,
    decode_space,
    element_names,
    encode_space,
    space_from_json,
    space_to_json,
)
from defiance_zoo.bridge.codec.tensors import MAX_MESSAGE_BYTES, decode_infos
from defiance_zoo.bridge.codec.values import Buffer, ValueCodec

__all__ = [
    "MAX_MESSAGE_BYTES",
    "Buffer",
    "Space",
    "ValueCodec",
    "codec_for",
    "decode_infos",
    "decode_space",
    "element_names",
    "encode_space",
    "space_from_json",
    "space_to_json",
]
