# SPDX-License-Identifier: GPL-2.0-only
"""Libraries that train: what each of them can do, known without importing them.

A library is described by an object of `Library`, to which an entry point of the group
`defiance_zoo.libraries` leads; the entry point's name is that of the library in a run. Training
imports the trainer that the description names. See docs/training/training.md for an example.
"""

from defiance_zoo.experiments.libraries.library import OPTIONS, Library
from defiance_zoo.experiments.libraries.name_checks import parameters_of_class, require_known
from defiance_zoo.experiments.libraries.registry import GROUP, find_library, library_names

__all__ = [
    "GROUP",
    "OPTIONS",
    "Library",
    "find_library",
    "library_names",
    "parameters_of_class",
    "require_known",
]
