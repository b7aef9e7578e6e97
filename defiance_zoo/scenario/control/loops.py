# SPDX-License-Identifier: GPL-2.0-only
"""Control loops: a plant that steps in simulated time, and the agents that control it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from defiance_zoo.scenario.applications import Action, Agent, Observation, connect
from defiance_zoo.scenario.control.plants import Outcome, Plant, neutral_action
from defiance_zoo.scenario.control.windows import Newest, Window
from defiance_zoo.scenario.events import Time, after, now, stop
from defiance_zoo.scenario.network import Node

_BEFORE = Time("1ns")
"""Time by which messages without a network arrive earlier: before a step at the same instant."""


class Controller:
    """An agent on its node, and its sensor and actuator on the node of the plant.

    Attributes:
        agent: The agent.
        is_over: Whether the plant has ended the agent's episode.
    """

    def __init__(
        self, spaces: tuple[Any, Any], node: Node, edge: Node, p: Any, start: Time
    ) -> None:
        observations, actions = spaces
        self._seen = Newest(observations) if p.window == 1 else Window(observations, p.window)
        self._first, self._tick = (start + p.tick).nanoseconds, p.tick.nanoseconds
        self._decides_on_arrival = p.decide == "arrival"
        self._neutral = self._action = neutral_action(actions)
        self._uses = 0
        self._most_uses = {"hold": None, "zero": 1, "repeat": 1 + p.repeats}[p.hold]
        self._terminated: bool | None = None
        self.is_over = False
        self._sensor, actuator = Observation(node), Action(node)
        self.agent = Agent(edge, self._seen.space, actions, ActionDelay=p.compute)
        self.agent.on_observation(self._receive)
        self.agent.info(self._describe)
        actuator.on_action(self._act)
        channel: dict[str, Any] = {"over": p.over, "at": start}
        if p.over == "simple":
            channel = {"delay": max(p.delay - _BEFORE, Time(0)), "loss": p.loss}
        connect(self._sensor, self.agent, **channel)
        connect(actuator, self.agent, **channel)

    def take_action(self) -> Any:
        """Return the action of the next step of the plant."""
        if self._most_uses is not None and self._uses >= self._most_uses:
            return self._neutral
        self._uses += 1
        return self._action

    def report(self, tick: int, outcome: Outcome | None) -> None:
        """Send the observation of a step to the agent; the reward needs no network."""
        if outcome is None:  # the agent has left
            self.is_over = True
            return
        self.agent.reward += outcome.reward
        self._terminated = outcome.terminated
        self.is_over = outcome.terminated is not None
        value = outcome.observation
        if getattr(value, "shape", None) == ():  # a number of NumPy's, which is not a message
            value = value.item()
        self._sensor.send(observation=value, tick=tick)

    def finish(self) -> None:
        """End the agent, if the plant has ended its episode."""
        if not self.is_over or self.agent.ended:
            return
        if self._seen.tick >= 0:
            self.agent.observation = self._observe()
        (self.agent.terminate if self._terminated else self.agent.truncate)()

    def decide(self) -> None:
        """Let the agent decide, if it has an observation."""
        if self._seen.tick >= 0 and not self.is_over:
            self.agent.decide(self._observe())

    def _receive(self, sender: int, message: Any) -> None:
        is_newer = self._seen.add(message["tick"], message["observation"])
        if is_newer and self._decides_on_arrival:
            self.decide()

    def _observe(self) -> Any:
        return self._seen.value(self._age(), self._tick * 1e-9)

    def _age(self) -> float:
        """Return the age of the newest observation in seconds; before the first one, the time."""
        sent = self._first + self._seen.tick * self._tick if self._seen.tick >= 0 else 0
        return (now().nanoseconds - sent) * 1e-9

    def _describe(self) -> dict[str, Any]:
        return {"age": self._age(), "tick": self._seen.tick}

    def _act(self, sender: int, action: Any) -> None:
        self._action, self._uses = action, 0


class Loop:
    """A plant that steps at an interval, and its controllers.

    Attributes:
        is_over: Whether all agents of the plant have ended.
    """

    def __init__(
        self,
        plant: Plant,
        seed: int,
        places: Sequence[tuple[Node, Node]],
        p: Any,
        start: Time,
        on_end: Callable[[], None],
    ) -> None:
        self._plant, self._seed, self._interval, self._on_end = plant, seed, p.tick, on_end
        self._has_clock = p.decide == "clock"
        self._controllers = [
            Controller(spaces, *each, p, start)
            for spaces, each in zip(plant.spaces, places, strict=True)
        ]
        self._tick = 0
        self.is_over = False
        after(start + p.tick, self._step)

    def _step(self) -> None:
        if self._tick == 0:
            outcomes = self._plant.reset(self._seed)
        else:
            outcomes = self._plant.step([each.take_action() for each in self._controllers])
        for each, outcome in zip(self._controllers, outcomes, strict=True):
            each.report(self._tick, outcome)
        self._tick += 1
        after(0, self._follow)  # after messages without delay

    def _follow(self) -> None:
        for each in self._controllers:
            each.finish()
        if all(each.is_over for each in self._controllers):
            self.is_over = True
            self._on_end()
            return
        after(self._interval, self._step)
        if self._has_clock:
            for each in self._controllers:
                each.decide()


def run_loops(
    plants: Sequence[tuple[Plant, int]], nodes: Sequence[Node], edge: Node, p: Any, start: Time
) -> None:
    """Let plants with their seeds step from a time on; the episode ends with the last of them.

    Each agent of each plant has one of the nodes for its sensor and actuator.
    """
    loops: list[Loop] = []

    def end() -> None:
        if all(each.is_over for each in loops):
            stop()

    left = iter(nodes)
    for plant, seed in plants:
        places = [(next(left), edge) for _ in plant.spaces]
        loops.append(Loop(plant, seed, places, p, start, end))
