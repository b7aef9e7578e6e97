# SPDX-License-Identifier: GPL-2.0-only
"""Policies of a population, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy


@dataclass(frozen=True)
class PolicyRecord:
    """A policy that does not change any more.

    Attributes:
        name: Unique name among all policies of the game.
        role: The role that it plays.
        generation: In which it joined; 0 of those that the population began with.
        kind: Kind of the policy, such as `initial`, `main` or `exploiter`.
        digest: Digest of its files in the store; empty if it is not there.
        baseline: Name of the policy that plays without training; empty of others.
        options: Options of the baseline.
        run: Folder of a run, whose best checkpoint plays; empty of others.
        parameters: Parameters of the scenario, which decides in the agent's place; empty of others.
        parent: Name of the policy with whose weights training began; empty if there was none.
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
        """Check that it is one policy.

        Raises:
            ParameterError: It is several, or none.
        """
        if sum(map(bool, (self.digest, self.baseline, self.run, self.parameters))) != 1:
            raise ParameterError(
                f"{self.name} is to have one of files in the store, a baseline, a run and "
                "parameters"
            )

    @property
    def built_in(self) -> NamedPolicy | None:
        """The policy that plays without training; None of others."""
        return NamedPolicy(self.baseline, self.options) if self.baseline else None

    def to_json(self) -> dict[str, Any]:
        """Return it for a file; `PolicyRecord(**values)` reads it."""
        return asdict(self)


class Population:
    """The policies of one role, in the order in which they joined.

    Attributes:
        role: Its name; in a symmetric game there is one role alone.
    """

    def __init__(self, role: str, records: Iterable[PolicyRecord] = ()) -> None:
        """Begin with some policies, or none."""
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
        """Let a policy join.

        Raises:
            ParameterError: It plays another role, or there is one of its name.
        """
        if record.role != self.role:
            raise ParameterError(f"{record.name} plays {record.role!r}, not {self.role!r}")
        if record.name in self._records:
            raise ParameterError(f"the population has a policy {record.name!r} already")
        self._records[record.name] = record

    def latest(self, kind: str | None = None) -> PolicyRecord | None:
        """Return the last policy that was trained, of a kind if one is named; None of none."""
        trained = [each for each in self if each.digest and kind in (None, each.kind)]
        return trained[-1] if trained else None
