# SPDX-License-Identifier: GPL-2.0-only
"""Requests of clients and their responses, from infos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from defiance_zoo.bridge.system.reading import parse_json
from defiance_zoo.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class ClientRequest:
    """A request of a client; each client has one.

    Attributes:
        request: Number of the request, from 1 on.
        operation: `read`, `write` or `compare_and_swap`.
        key: Key of the register, `x` or `y`; a register holds 0 at first.
        arguments: No arguments for a read, the value for a write, the expected and the new value
            for a compare-and-swap.
        invoked: Time of its invocation, in simulated seconds.
        responded: Time of the answer; None without one. Without an answer, the request may have
            been executed, or not.
        result: The value of a read; whether a compare-and-swap has swapped; else None.
        replica: Number of the answering replica.
    """

    request: int
    operation: str
    key: str
    arguments: tuple[int, ...]
    invoked: float
    responded: float | None = None
    result: int | bool | None = None
    replica: int | None = None

    @property
    def client(self) -> int:
        """Number of the client, the same as the request's."""
        return self.request


def read_history(infos: Iterable[Mapping[str, Any]]) -> list[ClientRequest]:
    """Return the history of an episode, which `check_history(..., initial=0)` takes.

    Args:
        infos: Infos of its steps in order, with `histories=True`; with several agents, infos of one
            agent.

    Returns:
        Requests in the order of their submission.

    Raises:
        KeyError: Infos have no history.
        ParameterError: A history is damaged, for example in a recording.
    """
    try:
        return _read(info["history"] for info in infos)
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        if error.args == ("history",):
            raise
        raise ParameterError(f"no history: {type(error).__name__}: {error}") from error


def _read(histories: Iterable[str]) -> list[ClientRequest]:
    requests: dict[int, ClientRequest] = {}
    for history in histories:
        for event in parse_json(history):
            number, time = event["request"], event["time_ns"] / 1e9
            if event["event"] == "invoked":
                requests[number] = ClientRequest(
                    request=number,
                    operation=event["operation"],
                    key=event["key"],
                    arguments=tuple(event["arguments"]),
                    invoked=time,
                )
            else:
                asked = requests[number]
                results = {"read": event["result"], "compare_and_swap": bool(event["result"])}
                requests[number] = replace(
                    asked,
                    responded=time,
                    result=results.get(asked.operation),
                    replica=event["replica"],
                )
    return list(requests.values())
