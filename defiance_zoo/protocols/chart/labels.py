# SPDX-License-Identifier: GPL-2.0-only
"""Short texts of a chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from defiance_zoo.bridge.system.reading import parse_json
from defiance_zoo.envs.partition.actions import Meaning
from defiance_zoo.envs.partition.states import Role

_ATTEMPTS = ("term", "height", "round", "view", "epoch", "ballot")
"""Fields by which protocols number their attempts."""

_LONGEST = 44  # characters of a message's text; the rest is in its tooltip


class Label(NamedTuple):
    """A change in a replica or its act.

    Kinds: `attempt`, `commit`, `crash`, `start`, `byzantine`, `clock` or `answer`.
    """

    kind: str
    text: str


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Label]:
    """Yield the changes in the state of a replica; a new replica has no old state.

    The function supports protocols whose fields have the usual names.
    """
    if old and old["active"] != new["active"]:
        yield Label("start", "restarted") if new["active"] else Label("crash", "stopped")
    if new["byzantine"] and not old.get("byzantine"):
        yield Label("byzantine", "Byzantine")
    error = new.get("clock_error_ns", 0)
    if error != old.get("clock_error_ns", 0):
        yield Label("clock", f"clock {error / 1e9:+.3f} s" if error else "clock right")
    named = [name for name in _ATTEMPTS if name in new]
    is_new = any(old.get(name, 0) != new[name] for name in named)
    roles = "state" in new and "term" in new  # of Raft
    if is_new or (roles and old.get("state", 0) != new["state"]):
        role = [Role(new["state"]).name.lower()] if roles and new["active"] else []
        yield Label("attempt", " ".join([*role, *(f"{name} {new[name]}" for name in named)]))
    yield from _commits(old, new)


def _commits(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Label]:
    """Yield the index or the entry that a replica has newly committed."""
    if "commit" in new:
        if new["commit"] > old.get("commit", 0):
            yield Label("commit", f"commits {new['commit']}")
    elif "index" not in new and len(new["log"]) > len(old.get("log", ())):
        _, request = new["log"][-1]
        yield Label("commit", f"decides {len(new['log'])}: {_say_request(request)}")


def _say_request(request: int) -> str:
    return f"request {request}" if request else "nothing"


def describe_deed(meaning: Meaning) -> str:
    """Return the text for an action of a tester."""
    if meaning.kind == "create":
        blocks: dict[int, list[str]] = {}
        for replica, block in enumerate(meaning.blocks, start=1):
            if block >= 0:
                blocks.setdefault(block, []).append(str(replica))
        return "partition " + " | ".join(" ".join(block) for block in blocks.values())
    if meaning.replica:
        return f"{meaning.kind} {meaning.replica}"
    return meaning.kind


def describe_clients(history: str) -> tuple[list[str], list[tuple[int, Label]]]:
    """Return the requests of clients in a step, and the answers with the replicas' numbers."""
    asked, answers = [], []
    for event in parse_json(history):
        number = event["request"]
        if event["event"] == "invoked":
            words = (event["operation"].replace("_", " "), event["key"], *event["arguments"])
            asked.append(f"request {number}: {' '.join(map(str, words))}")
        elif event["event"] == "responded":
            label = Label("answer", f"answers {number}: {event['result']}")
            answers.append((int(event["replica"]), label))
    return asked, answers


def describe_message(text: str) -> str:
    """Return the text for a message: its kind first, without sender and receiver."""
    words = [word for word in text.split() if not word.startswith(("from=", "to="))]
    label = " ".join(words)
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
