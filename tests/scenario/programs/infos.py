# SPDX-License-Identifier: GPL-2.0-only
"""An agent whose infos change their form: texts, lists, types and keys."""

from typing import Any

import defiance_zoo.scenario as sc

sim = sc.Simulation("infos", duration="1s")
sim.parameter("mask", "no", choices=("no", "yes", "once"))


@sim.episode
def build(p: Any) -> None:
    """Place the agent."""
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    chance, count = sc.random_variable(), iter(range(1000))

    @agent.observe
    def look() -> Any:
        return [0.5]

    @agent.info
    def info() -> dict[str, Any]:
        form = int(4 * chance())
        infos: dict[str, Any] = {
            "form": form,
            "phase": ["idle", "busy", "idle", "stopped"][form],
            "queue": [1.5] * (form // 2),
            "share": 0 if form == 2 else form / 2,
            "mixed": [7, 3, "many", [1, 2]][form],
        }
        if form != 1:
            infos["loss"] = form / 4
        if p.mask == "yes" or (next(count) == 20 and p.mask == "once"):
            infos["action_mask"] = [1, 0]
        return infos

    @agent.on_action
    def act(action: Any) -> None:
        """Do nothing."""
