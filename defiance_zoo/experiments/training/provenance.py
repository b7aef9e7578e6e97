# SPDX-License-Identifier: GPL-2.0-only
"""The software and hardware of a run, without names of users and places."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import Scenario, require_equal
from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.libraries import find_library
from defiance_zoo.experiments.libraries.library import own_libraries

VERSIONS = "versions.json"
"""The file of `versions()` in a folder of results."""
PACKAGES = (
    "defiance-zoo",
    "gymnasium",
    "numpy",
    "pettingzoo",
    "protobuf",
    "pyzmq",
)
"""Distributions that every run depends on."""


def versions(env: str, parameters: dict[str, Any], *libraries: str) -> dict[str, Any]:
    """Return the versions of all software that affects results, and facts of the machine.

    The result includes all parameters of the scenario, with their initial values.
    """
    return {
        "python": platform.python_version(),
        "packages": packages(*libraries),
        "scenario": _scenario(lookup(env).scenario, parameters),
        "machine": {
            "system": f"{platform.system()} {platform.release()}",
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        },
    }


def find_program(env: str, parameters: Mapping[str, Any]) -> tuple[Path, str]:
    """Return the program of an environment with these parameters, and its digest."""
    scenario = lookup(env).scenario
    program = scenario.locate({**scenario.defaults, **parameters})
    return program, scenario.digest(parameters)


def recorded_digests(folder: Path) -> tuple[str | None, dict[str, str]]:
    """Return the digests with which the work of a folder began: of the program, and of files.

    That of the program is None if it is unknown; files are named by their parameters.
    """
    file = folder / VERSIONS
    if not file.is_file():
        return None, {}
    with naming(file, also=(AttributeError,)):
        scenario = read_json(file).get("scenario", {})
        files = {name: str(each) for name, each in scenario.get("files_sha256", {}).items()}
    digest = scenario.get("program_sha256")
    return None if digest is None else str(digest), files


def require_same_program(
    folder: Path, env: str, parameters: Mapping[str, Any], *, remedy: str
) -> None:
    """Refuse to continue the work of a folder with another program, or with changed files."""
    program, now = find_program(env, parameters)
    begun, files = recorded_digests(folder)
    require_equal(program, begun or now, now, remedy)
    present = lookup(env).scenario.file_digests(parameters)
    for name, digest in files.items():
        require_equal(f"{name}={parameters.get(name)}", digest, present.get(name, "none"), remedy)


def packages(*libraries: str) -> dict[str, str]:
    """Return the versions of the installed packages that affect results."""
    known = [*own_libraries(), *(find_library(name) for name in libraries)]
    names = {*PACKAGES, *(package for library in known for package in library.packages)}
    return {name: found for name in sorted(names) if (found := _version(name))}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _scenario(scenario: Scenario, parameters: dict[str, Any]) -> dict[str, Any]:
    chosen = {**scenario.defaults, **parameters}
    facts: dict[str, Any] = {
        "name": scenario.name,
        "program_sha256": scenario.digest(parameters),
    }
    if files := scenario.file_digests(parameters):
        facts["files_sha256"] = files
    declared = scenario.declaration(parameters)
    if declared is None:
        return {**facts, "parameters": chosen}
    in_effect = {name: chosen.get(name, each.default) for name, each in declared.parameters.items()}
    return {**facts, "ns3": declared.ns3_version, "parameters": in_effect}


def _processor() -> str:
    """Return the name of the processor, as Linux knows it."""
    for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor()
