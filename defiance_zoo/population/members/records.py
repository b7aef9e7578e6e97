# SPDX-License-Identifier: GPL-2.0-only
"""Records of the policies of a population."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy


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
        """Check that the record describes one policy."""
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
        """Begin with the given policies."""
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
