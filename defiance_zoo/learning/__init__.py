# SPDX-License-Identifier: GPL-2.0-only
"""Learning over the simulated network: policies and experience that take their time to arrive."""

from defiance_zoo.learning.distribution import PolicyDistribution
from defiance_zoo.learning.encodings import Compressed, Delta, Encoding, Full, Half
from defiance_zoo.learning.experience import Experience, ExperienceCollection
from defiance_zoo.learning.federation import Federation, federated_average
from defiance_zoo.learning.shipments import Carrier, Shipments
from defiance_zoo.learning.versions import PolicyVersionsAEC, PolicyVersionsParallel
from defiance_zoo.learning.weights import Weights, as_weights, get_weights, set_weights

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
    "PolicyDistribution",
    "PolicyVersionsAEC",
    "PolicyVersionsParallel",
    "Shipments",
    "Weights",
    "as_weights",
    "federated_average",
    "get_weights",
    "set_weights",
]
