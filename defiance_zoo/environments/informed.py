# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, and know more than agents observe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any


class InformedPolicy(ABC):
    """A baseline that decides by infos, too, which tell what agents cannot observe."""

    @abstractmethod
    def act(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return an action of the agent's space."""
