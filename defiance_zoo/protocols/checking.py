# SPDX-License-Identifier: GPL-2.0-only
"""Playing protocols with consecutive seeds, and recording their violations: `check_protocol()`."""

from __future__ import annotations

import contextlib
import linecache
import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice, pairwise, zip_longest
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.bridge.system.directories import private_folder
from defiance_zoo.bridge.system.plain_values import whole_number
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import NobodyAnswered, ParameterError, RealTimeLost, ReplayDiverged
from defiance_zoo.experiments.evaluation import NamedPolicy, open_env, play
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.wording import shell_command
from defiance_zoo.protocols.histories.operation import ClientCounts
from defiance_zoo.protocols.violations import first_violation, is_undecided
from defiance_zoo.recording import Record, Recording, read_recording, replay
from defiance_zoo.recording.replaying import is_in_real_time, open_recorded

_VARIABLE = "DEFIANCE_REPLICA_LINES"
"""The variable that `scenario/replicas/binding.py` reads; that folder can be removed."""


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
        ProgramChanged: The program has changed meanwhile.

    Warns:
        NobodyAnswered: Histories have no answer to a write.
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

    spec = lookup(str(env) if isinstance(env, Path) else env)
    arguments = chart_arguments(spec.scenario, parameters)
    arguments = dict(**arguments, record=Record(Path(folder), keep=keeps))
    named, first = NamedPolicy(policy, options or {}), whole_number("first_seed", first_seed, 0)
    chosen = range(first, first + whole_number("seeds", seeds))
    found = play_recorded(spec, arguments, named, chosen, require_checks, stops=True)
    if not found["played"]:
        raise ParameterError(f"all episodes of {spec.name} lagged behind real time")
    if found["episodes"]:
        row = found["episodes"][0]
        unlike = f"\nIt does not repeat itself: {row['diverged']}" if row["diverged"] else ""
        raise AssertionError(
            f"{spec.name} with seed {row['seed']}, step {row['step']}: {row['violation']}{unlike}\n"
            f"{shell_command('replay', row['file'], '--env', env)}\n"
            f"{shell_command('partition', 'shrink', row['file'], '--env', env)}"
        )


def play_recorded(
    spec: EnvironmentSpec,
    arguments: dict[str, Any],
    policy: NamedPolicy,
    seeds: range,
    report: EventCallback,
    *,
    stops: bool,
) -> dict[str, Any]:
    """Return counts of the played episodes, and the facts of the written episodes.

    Counts of clients' requests and answers are None without histories. With `stops`, a violation
    ends the episodes.

    Warns:
        NobodyAnswered: Histories have no answer to a write.
    """
    rows: list[dict[str, Any]] = []
    record: Record = arguments["record"]
    counts: dict[str, Any] = dict.fromkeys(("played", "lagged", "undecided"), 0)
    clients = ClientCounts()

    def note(recording: Recording) -> None:
        counts["undecided"] += is_undecided(recording)
        for each in recording.rounds:
            for _, message in islice(each.messages, 1):  # histories of all agents are equal
                clients.add(message.info)

    def keeps(recording: Recording) -> bool:
        note(recording)
        return record.keep is None or record.keep(recording)

    if record.keep is not None:
        arguments = {**arguments, "record": replace(record, keep=keeps)}
    with keep_programs(), contextlib.closing(open_env(spec, arguments)) as env:
        decider = policy.make(spec, env, seeds[0])
        seen = 0
        while left := seeds[counts["played"] + counts["lagged"] :]:
            episodes = play(
                env, decider, episodes=len(left), seed=left[0], name=policy.name, report=report
            )
            try:
                for _ in episodes:
                    counts["played"] += 1
                    for path in record.written[seen:]:
                        recording = read_recording(path)
                        if record.keep is None:
                            note(recording)
                        rows.append(_facts_of(spec, path, recording))
                    seen = len(record.written)
                    if stops and rows and rows[-1]["violation"]:
                        return {**counts, **clients.counts, "episodes": rows}
            except RealTimeLost:  # the lag may have caused whatever was observed
                counts["lagged"] += 1
                seen = len(record.written)
    if clients.counts["answered_writes"] == 0 and not any(row["violation"] for row in rows):
        warn_of_silence(spec.name)
    return {**counts, **clients.counts, "episodes": rows}


def warn_of_silence(system: str) -> None:
    """Warn that no write of a client was answered."""
    warn_caller(
        f"{system} has answered no write of a client, so that histories tested nothing. Does it "
        "answer without faults (with_crashes=False, max_blocks=1)? Does a step last several times "
        "as long as a reconnect (ticks_between_partition)? `replay` shows what replicas print",
        NobodyAnswered,
    )


def _facts_of(spec: EnvironmentSpec, path: Path, recording: Recording) -> dict[str, Any]:
    violation = first_violation(recording)
    return {
        "file": str(path),
        "seed": recording.seed,
        "steps": len(recording.decisions),
        "step": violation[0] if violation else None,
        "violation": violation[1] if violation else "",
        "undecided": is_undecided(recording),
        "diverged": _find_divergence(recording, spec) if violation else "",
    }


def _find_divergence(recording: Recording, spec: EnvironmentSpec) -> str:
    """Return how an episode differs when it is played again; empty if it is equal, or cannot be."""
    if is_in_real_time(recording):
        return ""
    try:
        _play_again(recording, spec)
    except ReplayDiverged as error:
        line = _find_line(recording, spec)
        return f"{error}{f'; the first line that does not repeat is {line}' if line else ''}"
    return ""


def _play_again(recording: Recording, spec: EnvironmentSpec, log: str = "") -> None:
    """Play an episode again, in another process, where objects have other addresses."""
    os.environ[_VARIABLE] = log  # fork servers have the variables with which they started
    try:
        with contextlib.closing(open_recorded(recording, spec)) as episodes:
            replay(recording, episodes)
    finally:
        del os.environ[_VARIABLE]


def _find_line(recording: Recording, spec: EnvironmentSpec) -> str:
    """Play an episode twice, and return the last line before its replicas differ."""
    with private_folder() as folder:
        logs = [folder / "1", folder / "2"]
        for log in logs:
            with contextlib.suppress(ReplayDiverged):
                _play_again(recording, spec, str(log))
        if not all(log.exists() for log in logs):
            return ""  # a protocol in C++
        with logs[0].open() as one, logs[1].open() as other:
            for (before, _), (mine, its) in pairwise(zip_longest(one, other)):
                if mine != its and mine and its:
                    place, _, number = before.split(" ")[0].rpartition(":")
                    text = linecache.getline(place, int(number)).strip()
                    return f"{Path(place).name}:{number}: {text}"
    return ""
