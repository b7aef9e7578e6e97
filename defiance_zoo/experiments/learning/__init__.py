# SPDX-License-Identifier: GPL-2.0-only
"""Learning over the simulated network: transfers of policies and experience."""

from defiance_zoo.experiments.learning.delivery import (
    Experience,
    ExperienceCollection,
    PendingTransfers,
    PolicyDelivery,
)
from defiance_zoo.experiments.learning.encodings import (
    Compressed,
    Delta,
    Encoding,
    Full,
    Half,
    Weights,
    as_weights,
    get_weights,
    set_weights,
)
from defiance_zoo.experiments.learning.federation import Federation, federated_average

__all__ = [
    "Compressed",
    "Delta",
    "Encoding",
    "Experience",
    "ExperienceCollection",
    "Federation",
    "Full",
    "Half",
    "PendingTransfers",
    "PolicyDelivery",
    "Weights",
    "as_weights",
    "federated_average",
    "get_weights",
    "set_weights",
]
