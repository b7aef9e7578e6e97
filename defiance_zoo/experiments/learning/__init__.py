# SPDX-License-Identifier: GPL-2.0-only
"""Learning over the simulated network: transfers of policies and experience."""

from defiance_zoo.experiments.learning.delivery import PolicyDelivery
from defiance_zoo.experiments.learning.encodings import Compressed, Delta, Encoding, Full, Half
from defiance_zoo.experiments.learning.experience import Experience, ExperienceCollection
from defiance_zoo.experiments.learning.federation import Federation, federated_average
from defiance_zoo.experiments.learning.pending_transfers import Carrier, PendingTransfers
from defiance_zoo.experiments.learning.policy_versions import (
    PolicyVersionsAEC,
    PolicyVersionsParallel,
)
from defiance_zoo.experiments.learning.weights import Weights, as_weights, get_weights, set_weights

__all__ = [
    "Carrier",
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
    "PolicyVersionsAEC",
    "PolicyVersionsParallel",
    "Weights",
    "as_weights",
    "federated_average",
    "get_weights",
    "set_weights",
]
