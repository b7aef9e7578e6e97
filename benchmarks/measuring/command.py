# SPDX-License-Identifier: GPL-2.0-only
"""The common part of benchmark commands."""

from __future__ import annotations

import argparse
import contextlib
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring.result_files import RESULTS, load, save
from benchmarks.measuring.timing import Effort, Results


@dataclass(frozen=True)
class Part:
    """A part that a command can measure separately.

    Attributes:
        measure: Yields results one by one.
        cases: Pattern of the part's case names, which differ from those of other parts.
    """

    measure: Callable[[Effort], Iterable[Results]]
    cases: str


def read_arguments(documentation: str | None, parts: Iterable[str] = ()) -> argparse.Namespace:
    """Return the arguments of a command that measures; `--help` prints its first line.

    Args:
        documentation: Docstring of the command.
        parts: Names of parts that it can measure separately.

    Returns:
        `quick` and `out`. With parts, also `only`: a list of names, or None for all parts.
    """
    parser = argparse.ArgumentParser(description=(documentation or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="measure briefly, to try the command")
    if names := list(parts):
        parser.add_argument("--only", choices=names, action="append", help="may be repeated")
    parser.add_argument("--out", type=Path, default=RESULTS)
    return parser.parse_args()


def measure_parts(documentation: str | None, name: str, parts: Mapping[str, Part]) -> None:
    """Measure all parts, or those in `--only`; print and save each result at once.

    Results of other parts are kept. If a part fails, the others are still measured.

    Args:
        documentation: Docstring of the command.
        name: Name of the results; with hyphens, the name of the `make` target.
        parts: Parts by name.

    Raises:
        SystemExit: A part has failed.
    """
    arguments = read_arguments(documentation, parts)
    failed = []
    for chosen in arguments.only or parts:
        results: Results = {}
        try:
            for found in parts[chosen].measure(Effort(quick=arguments.quick)):
                results |= found
                _print(found)
                _save(name, {**_known(name, arguments.out), **results}, arguments.out)
        except Exception:  # after any error, the other parts are still measured
            traceback.print_exc()
            failed.append(chosen)
            continue
        known = _known(name, arguments.out).items()
        others = {case: each for case, each in known if not re.fullmatch(parts[chosen].cases, case)}
        _save(name, {**others, **results}, arguments.out)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def _print(results: Results) -> None:
    for case, figures in results.items():
        words = ", ".join(f"{figure} {value:.3f}" for figure, value in figures.items())
        print(f"{case}: {words}", flush=True)


def _known(name: str, folder: Path) -> Results:
    """Return the existing results."""
    if not (folder / f"{name}.json").exists():
        return {}
    results: Results = load(name, folder)["results"]
    return results


def _save(name: str, results: Results, folder: Path) -> None:
    save(name, f"make {name.replace('_', '-')}", results, folder)


@contextlib.contextmanager
def local_ray(cores: int) -> Iterator[None]:
    """Run Ray with the requested number of cores, which simulations and runners share."""
    # Only trainings with RLlib need Ray.
    from defiance_zoo.experiments.workbench import ray_cluster

    with ray_cluster.local_ray(cores):
        yield
