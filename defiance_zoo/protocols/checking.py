# SPDX-License-Identifier: GPL-2.0-only
"""Playing protocols with consecutive seeds, and recording their violations: `check_protocol()`."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import ParameterError, RealTimeLost
from defiance_zoo.experiments.evaluation import NamedPolicy, open_env, play
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.protocols.repeating import find_divergence
from defiance_zoo.protocols.violations import first_violation, is_undecided
from defiance_zoo.recording import Record, Recording, read_recording


def check_protocol(
    env: str | Path,
    *,
    seeds: int = 200,
    first_seed: int = 1,
    policy: str = "random",
    options: Mapping[str, Any] | None = None,
    folder: str | Path = "violations",
    **parameters: Any,
) -> None:
    """Play a protocol with consecutive seeds, and fail with the first violation; for tests.

    Args:
        env: Environment that tests a protocol, or its program.
        seeds: Number of episodes.
        first_seed: Seed of the first episode and of the policy; each episode adds 1.
        policy: Policy that tests: `random`, or another baseline of the environment.
        options: Options of the policy.
        folder: Folder that gets the recording of the violation.
        **parameters: Arguments of the environment.

    Raises:
        AssertionError: A guarantee was violated. The message has the seed, the violation, and how
            to play it again.
        ParameterError: The environment checks no guarantees, an argument is not allowed, or all
            episodes lagged behind real time.
    """
    from defiance_zoo.envs.partition.partition_v0 import chart_arguments

    checks = False

    def keeps(recording: Recording) -> bool:
        nonlocal checks
        checks = checks or any("violations" in info for _, _, info in recording.infos())
        return first_violation(recording) is not None

    def require_checks(_event: Mapping[str, Any]) -> None:
        if not checks:
            raise ParameterError(f"{spec.name} checks no guarantees: its infos have no violations")

    if seeds < 1:
        raise ParameterError(f"seeds={seeds} is not a positive number")
    spec = lookup(str(env) if isinstance(env, Path) else env)
    arguments = chart_arguments(spec.scenario, parameters)
    arguments = {**arguments, "record": Record(Path(folder), keep=keeps)}
    named, chosen = NamedPolicy(policy, dict(options or {})), range(first_seed, first_seed + seeds)
    found = play_recorded(spec, arguments, named, chosen, require_checks, stops=True)
    if not found["played"]:
        raise ParameterError(f"all episodes of {spec.name} lagged behind real time")
    for row in found["episodes"]:
        unlike = f"\nIt does not repeat itself: {row['diverged']}" if row["diverged"] else ""
        raise AssertionError(
            f"{spec.name} with seed {row['seed']}, step {row['step']}: {row['violation']}{unlike}\n"
            f"defiance-zoo partition replay {row['file']} --env {env}\n"
            f"defiance-zoo partition shrink {row['file']} --env {env}"
        )


def play_recorded(
    spec: EnvironmentSpec,
    arguments: dict[str, Any],
    policy: NamedPolicy,
    seeds: range,
    report: EventCallback = lambda _event: None,
    *,
    stops: bool,
) -> dict[str, Any]:
    """Return the numbers of played and lagging episodes, and the facts of the written episodes.

    Args:
        spec: Specification of the environment.
        arguments: Its arguments, with `record`.
        policy: The policy that tests.
        seeds: Seeds of the episodes.
        report: Called with an event for each episode.
        stops: Whether a violation ends the episodes.
    """
    rows: list[dict[str, Any]] = []
    played = lagged = seen = 0
    record: Record = arguments["record"]
    with contextlib.closing(open_env(spec, arguments)) as env:
        decider = policy.make(spec, env, seeds[0])
        while left := seeds[played + lagged :]:
            episodes = play(
                env, decider, episodes=len(left), seed=left[0], name=policy.name, report=report
            )
            try:
                for _ in episodes:
                    played += 1
                    rows += [_facts_of(spec, path) for path in record.written[seen:]]
                    seen = len(record.written)
                    if stops and rows and rows[-1]["violation"]:
                        return {"played": played, "lagged": lagged, "episodes": rows}
            except RealTimeLost:  # the lag may have caused whatever was observed
                lagged += 1
                seen = len(record.written)
    return {"played": played, "lagged": lagged, "episodes": rows}


def _facts_of(spec: EnvironmentSpec, path: Path) -> dict[str, Any]:
    recording = read_recording(path)
    violation = first_violation(recording)
    return {
        "file": str(path),
        "seed": recording.seed,
        "steps": len(recording.decisions),
        "step": violation[0] if violation else None,
        "violation": violation[1] if violation else "",
        "undecided": is_undecided(recording),
        "diverged": find_divergence(recording, spec) if violation else "",
    }
