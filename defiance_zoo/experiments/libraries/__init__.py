# SPDX-License-Identifier: GPL-2.0-only
"""Training libraries, and their descriptions, which are read without importing the libraries.

An entry point of the group `defiance_zoo.libraries` refers to an object of `Library`, which
describes a library. The name of the entry point is the name of the library in a run. Training
imports the trainer in the description. See docs/training/training.md for an example.
"""

from defiance_zoo.experiments.libraries.library import (
    GROUP,
    OPTIONS,
    Library,
    find_library,
    library_names,
    parameters_of_class,
    require_known,
)

__all__ = [
    "GROUP",
    "OPTIONS",
    "Library",
    "find_library",
    "library_names",
    "parameters_of_class",
    "require_known",
]
