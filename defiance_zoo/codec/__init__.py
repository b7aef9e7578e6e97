# SPDX-License-Identifier: GPL-2.0-only
"""Between the wire (`proto/defiance/v1/environment.proto`) and Gymnasium's spaces and values."""

from defiance_zoo.codec.containers import Decoder, Encoder, decoder_for, encoder_for
from defiance_zoo.codec.infos import decode_infos
from defiance_zoo.codec.spaces import decode_space, encode_space

__all__ = [
    "Decoder",
    "Encoder",
    "decode_infos",
    "decode_space",
    "decoder_for",
    "encode_space",
    "encoder_for",
]
