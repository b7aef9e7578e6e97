# SPDX-License-Identifier: GPL-2.0-only
"""Measures of episodes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, model_validator

from defiance_zoo.experiments.evaluation import PlayedEpisode
from defiance_zoo.experiments.evaluation.playing import number_of
from defiance_zoo.experiments.training.configuration import Description


class InfoMeasure(Description):
    """A number of each episode, from the scenario's infos."""

    info: str = Field(description="name of a numeric info")
    time: Literal["last", "mean"] = Field(
        default="last", description="the last value that an agent received, or the mean of all"
    )
    warm_up: float = Field(
        default=0, ge=0, lt=1, description="initial share of the episode that a mean leaves out"
    )
    agents: Literal["mean", "sum", "jain"] = Field(
        default="mean", description="combines the agents with the info; jain: Jain's fairness index"
    )

    @property
    def key(self) -> dict[str, Any]:
        """The fields for keys of cells, without default values, so a new field changes no key."""
        return self.model_dump(exclude_defaults=True)

    @model_validator(mode="after")
    def _check_warm_up(self) -> InfoMeasure:
        if self.warm_up and self.time != "mean":
            raise ValueError("warm_up needs time: mean")
        return self


Measures = dict[str, float | None]
"""Values by column; None if nothing could be measured."""

_TOTALS = ("messages", "bytes", "bytes_per_s")
_KINDS = ("observation", "action")
_OF_KIND = ("messages", "bytes_per_s", "mean_latency_s", "max_latency_s", "undelivered")
_UNCOUNTED = "reward"  # for training only: not part of a deployment

COLUMNS = (
    "seed",
    "return",
    "return_per_unit",
    "decisions",
    "length_s",
    *_TOTALS,
    *(f"{kind}_{measure}" for kind in _KINDS for measure in _OF_KIND),
)
"""Columns of every episode; other kinds of messages add columns."""


def is_measure(column: str) -> bool:
    """Return whether an episode may have such a column."""
    return column in COLUMNS[1:] or column.endswith(tuple(f"_{each}" for each in _OF_KIND))


@dataclass(frozen=True)
class _Flow:
    """Messages of one kind between two applications, from the beginning until a time."""

    kind: str
    seconds: float
    counters: Mapping[str, float]


def measure(
    episode: PlayedEpisode,
    units: Mapping[str, int],
    further: Mapping[str, InfoMeasure] = MappingProxyType({}),
) -> Measures:
    """Return the measures of an episode, which watched infos with `time: mean`.

    `units` has the number of units of agents that are not one; `further`, measures from infos.
    """
    total = sum(episode.returns.values())
    return {
        "seed": episode.seed,
        "return": episode.mean_return,
        "return_per_unit": total / sum(units.get(agent, 1) for agent in episode.returns),
        "decisions": episode.decisions,
        "length_s": episode.sim_time_s,
        **_communication(_flows(episode.infos.values())),
        **{name: measure_infos(episode, each) for name, each in further.items()},
    }


def watched(further: Mapping[str, InfoMeasure]) -> set[str]:
    """Return the names of infos whose values over time are needed."""
    return {each.info for each in further.values() if each.time == "mean"}


def measure_infos(episode: PlayedEpisode, further: InfoMeasure) -> float | None:
    """Return a measure from infos; None if no agent received the infos."""
    name = further.info
    if further.time == "last":
        values = [number_of(each, name) for each in episode.infos.values() if name in each]
    else:
        series = [each[name] for each in episode.info_series.values() if name in each]
        values = [statistics.fmean(each[int(further.warm_up * len(each)) :]) for each in series]
    if not values:
        return None
    return _OVER_AGENTS[further.agents](values)


def jain_index(values: Sequence[float]) -> float | None:
    """Return Jain's fairness index (Jain, Chiu and Hawe, 1984): 1 if all are equal, at least 1/n.

    The result is None if all values are 0.
    """
    squares = sum(value**2 for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


_OVER_AGENTS: Mapping[str, Callable[[Sequence[float]], float | None]] = {
    "mean": statistics.fmean,
    "sum": sum,
    "jain": jain_index,
}


def _flows(infos: Iterable[Mapping[str, Any]]) -> list[_Flow]:
    """Return all flows; if two agents report a flow, the later report counts."""
    found: dict[str, _Flow] = {}
    for info in sorted(infos, key=lambda each: int(each["sim_time_ns"])):
        counters: dict[str, dict[str, float]] = {}
        for name, value in info.items():
            flow, _, counter = name.rpartition("/")
            if flow.startswith("communication/"):
                counters.setdefault(flow, {})[counter] = float(value)
        for flow, counted in counters.items():
            kind = flow.split("/", 3)[3].replace(" ", "_").replace("/", "_")
            found[flow] = _Flow(kind, info["sim_time_ns"] / 1e9, counted)
    return list(found.values())


def _communication(flows: list[_Flow]) -> Measures:
    kinds = sorted({flow.kind for flow in flows} - set(_KINDS))
    counted = [flow for flow in flows if flow.kind != _UNCOUNTED]
    measures: Measures = {
        "messages": _sum(counted, "tx_messages"),
        "bytes": _sum(counted, "tx_bytes"),
        "bytes_per_s": _rate(counted),
    }
    for kind in (*_KINDS, *kinds):
        these = [flow for flow in flows if flow.kind == kind]
        for name, value in zip(_OF_KIND, _of_kind(these), strict=True):
            measures[f"{kind}_{name}"] = value
    return measures


def _of_kind(flows: list[_Flow]) -> tuple[float | None, ...]:
    sent, arrived = _sum(flows, "tx_messages"), _sum(flows, "rx_messages")
    waited = sum(f.counters["mean_latency"] * f.counters["rx_messages"] for f in flows)
    return (
        sent,
        _rate(flows),
        waited / arrived if arrived else None,
        max(flow.counters["max_latency"] for flow in flows) if arrived else None,
        1 - arrived / sent if sent and arrived is not None else None,
    )


def _sum(flows: list[_Flow], counter: str) -> float | None:
    return sum(flow.counters[counter] for flow in flows) if flows else None


def _rate(flows: list[_Flow]) -> float | None:
    """Return bytes per second, summed over flows; each flow has its own duration."""
    lasting = [flow for flow in flows if flow.seconds > 0]
    return sum(f.counters["tx_bytes"] / f.seconds for f in lasting) if lasting else None
