# SPDX-License-Identifier: GPL-2.0-only
"""Coverage of states."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from defiance_zoo.errors import ParameterError


def coverage_key(info: Mapping[str, Any]) -> int:
    """Return a number for the multiset of all replicas' colours.

    It does not depend on the partition of the network. Equal multisets have equal numbers;
    different ones have equal numbers with probability 2^-64.

    Raises:
        ParameterError: The info has no `colors`.
    """
    try:
        colors = info["colors"]  # in the order of slots, so equal multisets have equal texts
    except KeyError:
        raise ParameterError("coverage needs the info 'colors': infos='all'") from None
    return int.from_bytes(hashlib.blake2b(colors.encode(), digest_size=8).digest(), "big")
