# SPDX-License-Identifier: GPL-2.0-only
"""The policies of a population: their records, their files, and players that load them."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.codec.spaces import Space, placeholder_observation
from defiance_zoo.bridge.system.reading import list_files, naming, read_bytes
from defiance_zoo.bridge.system.whole_files import flush, writing
from defiance_zoo.environments import EnvironmentSpec, Policy, SimulationAECEnv
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import ConstantPolicy, NamedPolicy, constant_action
from defiance_zoo.experiments.training.checkpoints import find_checkpoint, read_checkpoint
from defiance_zoo.experiments.training.trainer import (
    SavedPolicy,
    best_response_trainer,
    damaged,
    trainer_class,
)
from defiance_zoo.experiments.workbench.origin import SIGNATURE, require_signature, sign


@dataclass(frozen=True)
class PolicyRecord:
    """A frozen policy.

    Attributes:
        name: Unique name among all policies of the game.
        role: The role that it plays.
        generation: Generation in which it joined; 0 for the first policies.
        kind: Kind of the policy, such as `initial`, `main` or `exploiter`.
        digest: Digest of its files in the store; empty without files.
        baseline: Name of a policy without training; otherwise empty.
        options: Options of the baseline.
        run: Folder of a run, whose best checkpoint plays; otherwise empty.
        parameters: Parameters of the scenario, which decides for the agent; otherwise empty.
        parent: Name of the policy with whose weights training began; empty without one.
        facts: Facts of its training, such as steps and seconds.
    """

    name: str
    role: str
    generation: int = 0
    kind: str = "initial"
    digest: str = ""
    baseline: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    run: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if sum(map(bool, (self.digest, self.baseline, self.run, self.parameters))) != 1:
            raise ParameterError(
                f"{self.name} needs exactly one of files in the store, a baseline, a run and "
                "parameters"
            )

    @property
    def built_in(self) -> NamedPolicy | None:
        """The policy that needs no training; None for other policies."""
        return NamedPolicy(self.baseline, self.options) if self.baseline else None

    def to_json(self) -> dict[str, Any]:
        """Return the record for a file; `PolicyRecord(**values)` reads it."""
        return asdict(self)


class Population:
    """The policies of one role, in the order in which they joined.

    Attributes:
        role: Name of the role; a symmetric game has one role.
    """

    def __init__(self, role: str, records: Iterable[PolicyRecord] = ()) -> None:
        self.role = role
        self._records: dict[str, PolicyRecord] = {}
        for record in records:
            self.add(record)

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[PolicyRecord]:
        return iter(self._records.values())

    def __getitem__(self, name: str) -> PolicyRecord:
        return self._records[name]

    def __contains__(self, name: object) -> bool:
        return name in self._records

    @property
    def names(self) -> list[str]:
        """Names of the policies."""
        return list(self._records)

    def add(self, record: PolicyRecord) -> None:
        """Add a policy.

        Raises:
            ParameterError: The policy plays another role, or its name is taken.
        """
        if record.role != self.role:
            raise ParameterError(f"{record.name} plays {record.role!r}, not {self.role!r}")
        if record.name in self._records:
            raise ParameterError(f"the population has a policy {record.name!r} already")
        self._records[record.name] = record

    def latest(self, kind: str | None = None) -> PolicyRecord | None:
        """Return the last trained policy, optionally of a kind; None without one."""
        trained = [each for each in self if each.digest and kind in (None, each.kind)]
        return trained[-1] if trained else None


_INCOMPLETE = ".incomplete-"
_LENGTH = 32
"""Hexadecimal digits of a name: 128 bits of SHA-256."""
_DIGEST = re.compile(r"[0-9a-f]+")
_MOST_BYTES = 2**32


class PolicyStore:
    """Frozen policies; equal policies are stored once, and policies are loaded on demand.

    Attributes:
        folder: Folder of the store.
        trust: Whether policies, also those of runs, are loaded regardless of their origin.
    """

    def __init__(self, folder: Path | str, *, trust: bool = False) -> None:
        """Take a folder; the first stored policy creates it."""
        self.folder, self.trust = Path(folder), trust

    def __contains__(self, digest: object) -> bool:
        known = isinstance(digest, str) and _DIGEST.fullmatch(digest)
        return bool(known) and (self.folder / str(digest)).is_dir()

    def __iter__(self) -> Iterator[str]:
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        yield from sorted(each.name for each in folders if not each.name.startswith("."))

    def put(self, write: Callable[[Path], None]) -> str:
        """Store a policy; its folder is named when all files are on disk.

        Args:
            write: Function that writes the files into an empty folder.

        Returns:
            Digest of the files, which identifies the policy.

        Raises:
            NotWritten: The policy cannot be written.
        """
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            aside = Path(tempfile.mkdtemp(prefix=_INCOMPLETE, dir=self.folder))
            try:
                write(aside)
                digest = digest_of(aside)
                if digest in self:
                    return digest
                sign(aside)
                aside.chmod(0o755)
                flush(aside)
                aside.rename(self.folder / digest)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
            return digest

    def find(self, digest: str) -> Path:
        """Return the folder of a policy.

        Raises:
            ParameterError: There is no such policy, or its files have changed.
        """
        folder = self.folder / digest
        if digest not in self:
            raise ParameterError(
                f"{self.folder} has no policy {digest}: copy the whole folder of the population"
            )
        found = digest_of(folder)
        if found != digest:
            raise ParameterError(f"{folder} has changed: its files have the digest {found}")
        return folder

    def require_signatures(self, digests: Iterable[str] = ()) -> None:
        """Refuse untrusted and missing policies before any work; loading checks them again.

        `digests`: the policies that the work needs.
        """
        for digest in digests:
            self.find(digest)
        for digest in self:
            require_signature(self.folder / digest, trust=self.trust)

    def remove_incomplete(self) -> None:
        """Delete incomplete policies of a killed process."""
        for folder in self.folder.glob(f"{_INCOMPLETE}*"):
            shutil.rmtree(folder, ignore_errors=True)


def digest_of(folder: Path) -> str:
    """Return the digest of the names and contents of a folder's files, without its signature."""
    digest = hashlib.sha256()
    with naming(folder):
        for name, path in sorted((os.fsencode(name), path) for name, path in list_files(folder)):
            if name != SIGNATURE.encode():
                digest.update(hashlib.sha256(name).digest())
                digest.update(hashlib.sha256(read_bytes(path, _MOST_BYTES)).digest())
    return digest.hexdigest()[:_LENGTH]


_LOADED = 32
"""Maximum number of policies in a process's memory."""


@dataclass(frozen=True)
class ScenarioPolicy:
    """A policy inside the simulation that replaces agents, such as an ns-3 algorithm."""

    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Player:
    """A policy of any source."""

    name: str
    source: SavedPolicy | NamedPolicy | ScenarioPolicy

    @classmethod
    def of(cls, record: PolicyRecord, store: PolicyStore) -> Player:
        """Return the player of a record."""
        named = record.built_in
        if named is not None:
            return cls(record.name, named)
        if record.parameters:
            return cls(record.name, ScenarioPolicy(record.parameters))
        if record.run:
            folder = find_checkpoint(Path(record.run)).folder
            return cls(record.name, SavedPolicy(folder, trust=store.trust))
        library, folder = str(record.facts.get("library")), store.find(record.digest)
        return cls(record.name, SavedPolicy(folder, library, store.trust))

    def packed(self) -> Player:
        """Return the same player for a machine without this machine's files."""
        if isinstance(self.source, NamedPolicy | ScenarioPolicy):
            return self
        return replace(self, source=self.source.packed())

    def make(self, spec: EnvironmentSpec, env: SimulationAECEnv, agent: str, seed: int) -> Policy:
        """Return the policy for one agent."""
        if isinstance(self.source, NamedPolicy):
            if _is_constant(self.source):  # other agents may have other actions
                return ConstantPolicy(env.action_space, self.source.options["action"])
            return self.source.make(spec, env, seed)
        if isinstance(self.source, ScenarioPolicy):
            action = placeholder_observation(env.action_space(agent))
            return ConstantPolicy(env.action_space, action)
        return _load(self.source)


def check_action(named: NamedPolicy, space: Space) -> None:
    """Refuse a constant action that an agent does not have."""
    if _is_constant(named):
        constant_action(space, named.options["action"])


def _is_constant(named: NamedPolicy) -> bool:
    return named.name == "constant" and "action" in named.options


@functools.lru_cache(maxsize=_LOADED)
def _load(source: SavedPolicy) -> Policy:
    """Return a policy; all its players in this process share its networks."""
    with source.open() as copy, damaged(source.folder):
        if source.library is not None:
            return best_response_trainer(source.library).open_policy(copy)
        found = read_checkpoint(copy)
        return trainer_class(found.config.library).load_policy(found.config, found.trainer)


def forget_loaded() -> None:
    """Release all policies that this process has loaded."""
    _load.cache_clear()


def options_of(players: Mapping[str, Player]) -> dict[str, dict[str, Any]]:
    """Return the `reset()` options that make the scenario decide for some agents, by parameter."""
    options: dict[str, dict[str, Any]] = {}
    for agent, player in players.items():
        if isinstance(player.source, ScenarioPolicy):
            for name, value in player.source.parameters.items():
                options.setdefault(name, {})[agent] = value
    return options
