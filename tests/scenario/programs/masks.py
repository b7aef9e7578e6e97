# SPDX-License-Identifier: GPL-2.0-only
"""Agents whose mask changes with each decision, and that count the forbidden actions they took."""

from typing import Any

import defiance_zoo.scenario as sc

sim = sc.Simulation("masks", duration="200ms")
sim.parameter("agents", 1, range=(1, 4))
sim.parameter("kind", "discrete", choices=("discrete", "start", "multi", "multi_start", "binary"))
sim.parameter("where", "info", choices=("info", "observation", "both", "nowhere"))
sim.parameter("written", "list", choices=("list", "tuple", "bools"))
sim.parameter(
    "fault", "none", choices=("none", "short", "negative", "two", "zeros", "reals", "other")
)
sim.parameter("faulty_from", 3, range=(0, 1000))
sim.parameter("refuse", "yes", choices=("yes", "no"))
sim.parameter("interval", 10, range=(1, 1000))

ACTIONS = {
    "discrete": lambda: sc.Discrete(7),
    "start": lambda: sc.Discrete(7, start=-3),
    "multi": lambda: sc.MultiDiscrete([3, 4]),
    "multi_start": lambda: sc.MultiDiscrete([3, 4], start=[-1, 5]),
    "binary": lambda: sc.MultiBinary(3),
}


def mask_of(kind: str, number: int) -> list[int]:
    """Return the mask of a decision."""
    if kind == "binary":
        bits: list[int] = []
        for place in range(3):
            bits += [1, 0] if (number + place) % 2 else [0, 1]
        return bits
    mask = [0] * 7
    if kind.startswith("multi"):
        mask[number % 3] = mask[3 + number % 4] = 1
    else:
        mask[number % 7] = mask[(number + 3) % 7] = 1
    return mask


def allows(kind: str, mask: list[int], action: Any) -> bool:
    """Return whether a mask allows an action."""
    if kind == "binary":
        return all(mask[2 * place + action[place]] for place in range(3))
    if kind == "multi":
        return bool(mask[action[0]] and mask[3 + action[1]])
    if kind == "multi_start":
        return bool(mask[action[0] + 1] and mask[3 + action[1] - 5])
    return bool(mask[action + (3 if kind == "start" else 0)])


def spoil(fault: str, mask: list[int]) -> Any:
    """Return an invalid replacement of a mask."""
    if fault == "short":
        return mask[:-1]
    if fault == "reals":
        return [float(bit) for bit in mask]
    if fault == "zeros":
        return [0] * len(mask)
    return [{"negative": -1, "two": 2}[fault] if bit else 0 for bit in mask]


@sim.episode
def build(p: Any) -> None:
    """Place agents that decide at different intervals."""
    for place, node in enumerate(sc.nodes(p.agents)):
        add_agent(p, place, node)


def add_agent(p: Any, place: int, node: Any) -> None:
    """Add an agent."""
    size = 6 if p.kind == "binary" else 7
    seen: Any = sc.Box(-10, 1e6, (2,))
    if p.where in ("observation", "both"):
        seen = sc.Dict({"action_mask": sc.Box(-1, 2, (size,), "int8"), "observation": seen})
    agent = sc.Agent(
        node, seen, ACTIONS[p.kind](), StepInterval=f"{p.interval + p.interval // 2 * place}ms"
    )
    count = {"decisions": 0, "illegal": 0}

    def told() -> Any:
        mask = mask_of(p.kind, count["decisions"])
        if p.fault not in ("none", "other") and count["decisions"] >= p.faulty_from:
            return spoil(p.fault, mask)
        if p.written == "bools":
            return [bool(bit) for bit in mask]
        return tuple(mask) if p.written == "tuple" else mask

    @agent.observe
    def look() -> Any:
        features = [count["decisions"], count["illegal"]]
        if p.where in ("observation", "both"):
            return {"action_mask": told(), "observation": features}
        return features

    @agent.info
    def info() -> dict[str, Any]:
        infos: dict[str, Any] = {"illegal": count["illegal"]}
        if p.where in ("info", "both"):
            infos["action_mask"] = told()
            if p.fault == "other" and count["decisions"] >= p.faulty_from:
                infos["action_mask"] = mask_of(p.kind, count["decisions"] + 1)
        return infos

    @agent.on_action
    def act(action: Any) -> None:
        mask = mask_of(p.kind, count["decisions"])
        count["illegal"] += not allows(p.kind, mask, action)
        count["decisions"] += 1
