# SPDX-License-Identifier: GPL-2.0-only
"""The actions of a tester by number: their effects and appearances."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from defiance_zoo.errors import ParameterError

ClockKind = Literal["clock_ahead", "clock_back", "clock_right"]
_OtherKind = Literal[
    "keep", "create", "stop", "start", "request", "byzantine", "delay", "release", "heal"
]
Kind = _OtherKind | ClockKind
Role = Literal["tester", "client", "crasher", "partitioner"]


@dataclass(frozen=True)
class Action:
    """An action of a tester.

    Attributes:
        kind: Do nothing, partition the network, stop or start a replica, submit a request, make a
            replica Byzantine, delay the messages for a replica, release them, or heal all replicas
            and links. Or set a clock: it jumps ahead or back, or is right again.
        blocks: Block of each slot, for `create`.
        slot: First slot of the replica's colour, for actions on replicas.
    """

    kind: Kind
    blocks: tuple[int, ...] = ()
    slot: int = -1


MOST_REPLICAS = 10
"""The maximum number of replicas, as all partitions are listed."""


class Actions:
    """All actions for a number of replicas: `Discrete(len(actions))`.

    0 does nothing. Actions for each partition of the slots follow, in lexicographic order of
    restricted-growth strings. Next come a stop for each slot, a start for each slot, and the
    request. If replicas may be Byzantine, an action for each slot makes its replica Byzantine. If
    messages may be delayed, an action for each slot delays its messages, and another releases them.
    With healing phases, one action heals. If clocks jump, an action for each slot puts the clock of
    its replica ahead, another one puts it back, and another one sets it right. With `roles=True`,
    each role has 0, followed by its actions.
    """

    def __init__(
        self,
        num_replicas: int = 3,
        max_blocks: int = 0,
        *,
        with_byzantine: bool = False,
        with_delays: bool = False,
        with_healing: bool = False,
        with_jumps: bool = False,
        role: Role = "tester",
    ) -> None:
        """List the actions of an environment with these parameters."""
        if not 1 <= num_replicas <= MOST_REPLICAS:
            raise ParameterError(
                f"num_replicas={num_replicas} must be from 1 to {MOST_REPLICAS}: the number of "
                "partitions grows faster than exponentially"
            )
        slots = range(num_replicas)
        partitions = _restricted_growth((), 0, num_replicas, max_blocks or num_replicas)
        self._actions = [Action("keep")]
        if role in ("tester", "partitioner"):
            self._actions += [Action("create", blocks=blocks) for blocks in partitions]
        if role in ("tester", "crasher"):
            self._actions += [Action("stop", slot=slot) for slot in slots]
            self._actions += [Action("start", slot=slot) for slot in slots]
        if role in ("tester", "client"):
            self._actions += [Action("request")]
        if role in ("tester", "crasher") and with_byzantine:
            self._actions += [Action("byzantine", slot=slot) for slot in slots]
        if role in ("tester", "partitioner") and with_delays:
            self._actions += [Action("delay", slot=slot) for slot in slots]
            self._actions += [Action("release", slot=slot) for slot in slots]
        if role in ("tester", "partitioner") and with_healing:
            self._actions += [Action("heal")]
        if role in ("tester", "crasher") and with_jumps:
            kinds = get_args(ClockKind)
            self._actions += [Action(kind, slot=slot) for kind in kinds for slot in slots]

    def __len__(self) -> int:
        return len(self._actions)

    def __getitem__(self, index: int) -> Action:
        return self._actions[index]

    def look(self, index: int, info: Mapping[str, Any]) -> str:
        """Return the appearance of an action, as JSON: equal for indistinguishable actions."""
        return look_of(self[index], info)

    def find(self, kind: Kind) -> list[int]:
        """Return the numbers of the actions of a kind."""
        return [number for number, action in enumerate(self._actions) if action.kind == kind]

    def hash(self, index: int, info: Mapping[str, Any]) -> str:
        """Return the SHA-256 of an action's appearance, in hexadecimal digits."""
        return hashlib.sha256(self.look(index, info).encode()).hexdigest()


def look_of(action: Action, info: Mapping[str, Any]) -> str:
    """Return the appearance of an action, also without a number; see `Actions.look`."""
    colors, active = _read_slots(info["colors"])
    if action.kind == "create":
        blocks: dict[int, list[str]] = {}
        for slot, block in enumerate(action.blocks):
            if active[slot]:
                blocks.setdefault(block, []).append(colors[slot])
        return _as_json({"create": sorted(sorted(block) for block in blocks.values())})
    return _as_json({action.kind: colors[action.slot] if action.slot >= 0 else True})


class Meaning(NamedTuple):
    """The effect of an action on replicas. Numbers of actions refer to slots, which change.

    Attributes:
        kind: Kind of the action.
        replica: Number of the replica that is stopped, started or made Byzantine, whose
            messages are delayed or released, or whose clock is set; 0: none.
        blocks: Block of each replica in a created partition, -1 if it is stopped.
    """

    kind: Kind
    replica: int = 0
    blocks: tuple[int, ...] = ()


def meaning_of(action: Action, info: Mapping[str, Any]) -> Meaning:
    """Return the meaning of an action, which may be taken on a replica of the same colour."""
    slots = [int(replica) for replica in info["slots"]]
    if action.kind == "create":
        block = dict(zip(slots, action.blocks, strict=True))
        numbers: dict[int, int] = {}  # in the order of replicas, which does not change
        running = [(replica, int(now) >= 0) for replica, now in enumerate(info["partition"], 1)]
        blocks = [numbers.setdefault(block[n], len(numbers)) if on else -1 for n, on in running]
        return Meaning("create", blocks=tuple(blocks))
    return Meaning(action.kind, slots[action.slot] if action.slot >= 0 else 0)


def find_action(
    meaning: Meaning, actions: Actions, allowed: Sequence[int], info: Mapping[str, Any]
) -> int | None:
    """Return the allowed action with a meaning, up to equal colours; None if there is none."""
    slots = [int(replica) for replica in info["slots"]]
    if meaning.replica not in (0, *slots) or len(meaning.blocks) not in (0, len(slots)):
        return None  # it was an action on other replicas
    if meaning.kind == "create":
        wanted = Action("create", blocks=_to_slots(slots, meaning.blocks, info))
    elif meaning.replica:
        wanted = Action(meaning.kind, slot=slots.index(meaning.replica))
    else:
        wanted = Action(meaning.kind)
    look = look_of(wanted, info)
    same = (index for index in allowed if actions[index].kind == meaning.kind)
    return next((index for index in same if actions.look(index, info) == look), None)


def _to_slots(
    slots: Sequence[int], blocks: Sequence[int], info: Mapping[str, Any]
) -> tuple[int, ...]:
    """Return the blocks of slots, numbered as they appear.

    A replica that was stopped is alone; a replica that is stopped now comes after all others.
    """
    found: dict[object, int] = {}
    named = []
    for replica in slots:
        block = blocks[replica - 1]
        stopped = int(info["partition"][replica - 1]) < 0
        name: object = "stopped" if stopped else block if block >= 0 else (replica,)
        named.append(found.setdefault(name, len(found)))
    return tuple(named)


BYZANTINE = "remaining_byzantine"
"""The info of environments whose testers can make replicas Byzantine."""
HEALING = "healing_ticks"
"""The info of environments with healing phases, whose testers can heal."""
DELAYS = "delayed_messages"
"""The info of environments with delays, whose testers can delay messages."""
JUMPS = "wrong_clocks"
"""The info of environments whose testers can let clocks jump."""


def find_actions(info: Mapping[str, Any]) -> Actions:
    """Return the actions of the tester, or of the role, of an info with a mask."""
    if missing := {"partition", "action_mask"} - info.keys():
        raise ParameterError(
            f"the info lacks {', '.join(sorted(missing))}, which testers have with infos='all' and "
            "illegal_actions='refuse'"
        )
    return _find_actions(
        len(info["partition"]),
        len(info["action_mask"]),
        info.get("role", "tester"),
        with_byzantine=BYZANTINE in info,
        with_delays=DELAYS in info,
        with_healing=HEALING in info,
        with_jumps=JUMPS in info,
    )


@lru_cache(maxsize=8)
def _find_actions(replicas: int, count: int, role: Role, **kinds: bool) -> Actions:
    # Each further block allows further partitions, so their number tells the maximum of blocks.
    for blocks in (0, *range(1, replicas)):
        actions = Actions(replicas, blocks, role=role, **kinds)
        if len(actions) == count:
            return actions
    raise ParameterError(f"a {role} of {replicas} replicas cannot have {count} actions")


@lru_cache(maxsize=8)  # all actions of a step have the same colours
def _read_slots(color_text: str) -> tuple[list[str], list[bool]]:
    """Return the hash of the colour in each slot, and whether its replica runs."""
    color_list = json.loads(color_text)
    texts = [_as_json(color) for color in color_list]
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    return hashes, ["inactive" not in color for color in color_list]


def _as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _restricted_growth(
    begin: tuple[int, ...], blocks: int, slots: int, most: int
) -> Iterator[tuple[int, ...]]:
    if len(begin) == slots:
        yield begin
        return
    for block in range(min(blocks + 1, most)):
        yield from _restricted_growth((*begin, block), max(blocks, block + 1), slots, most)
