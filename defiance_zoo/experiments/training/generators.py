# SPDX-License-Identifier: GPL-2.0-only
"""Random generators of a training, which other code must not change."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch


class Generators:
    """The state of training's random generators; code between iterations does not change it."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.keep()

    def use(self) -> None:
        """Restore the state of the process's random generators."""
        random.setstate(self.state["python"])
        np.random.set_state(self.state["numpy"])
        torch.set_rng_state(self.state["torch"])
        if self.state["cuda"]:
            torch.cuda.set_rng_state_all(self.state["cuda"])

    def keep(self) -> None:
        """Store the state of the process's random generators."""
        self.state = {
            "python": random.getstate(),
            "numpy": np.random.get_state(),
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }
