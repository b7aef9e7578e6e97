# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios that use the shared deployment: placement, transport, access networks and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any

from defiance_zoo.scenario.applications import Agent
from defiance_zoo.scenario.events import after
from defiance_zoo.scenario.native import core, load_wifi
from defiance_zoo.scenario.network import Node
from defiance_zoo.scenario.spaces import Box, Discrete, MultiDiscrete, repeat_spaces

_DEFINE = "define {}(): each deployment has its own"


class Deployment:
    """The scenario's part of the shared deployment: its devices, and applications for them.

    Decorate a subclass with `Simulation.deployment`; each episode makes a new object. Its methods
    are called in the order of their definitions here.

    Attributes:
        device: Name of a device, in the singular.
        interval: Time between two samples; devices start at a multiple of it.
        accesses: Access networks that may be chosen: "point-to-point", "csma", "wifi".
        p: The parameters, of the scenario and `placement`, `transport` and `access`.
    """

    device: str = "device"
    interval: Any = "0s"
    accesses: Sequence[str] = ("point-to-point", "csma")

    def __init__(self, p: Any) -> None:
        """Begin an episode with these parameters."""
        self.p = p

    @property
    def is_central(self) -> bool:
        """Whether one agent decides for all devices."""
        return bool(self.p.placement == "central")

    def find_contradiction(self) -> str:
        """Return the contradiction between the parameters; empty if there is none."""
        return ""

    def count_devices(self) -> int:
        """Return the number of devices."""
        raise NotImplementedError(_DEFINE.format("count_devices"))

    def build_devices(self) -> Sequence[Any]:
        """Build the simulated network, and return the nodes of the devices."""
        raise NotImplementedError(_DEFINE.format("build_devices"))

    def start_devices(self) -> None:
        """Begin the traffic: the network carries packets from now on."""

    def make_applications(self, device: int) -> tuple[Any, Any, Any]:
        """Return the applications of a device that observe, reward and act, with `None` as node.

        None stands for a missing application.
        """
        raise NotImplementedError(_DEFINE.format("make_applications"))

    def make_agent(self, number: int) -> Any:
        """Return the agent of a device, or of all devices (0), made with `None` as node."""
        raise NotImplementedError(_DEFINE.format("make_agent"))

    def make_device_agent(self, number: int, observations: Box, actions: Discrete | Box) -> Agent:
        """Return an agent for `make_agent()` that decides on each observation of its devices.

        A device observes by `send(value)` or `every()` of its `Observation`. With
        `placement="central"`, one agent observes all devices, one after the other, and chooses an
        action for each. Observations of several devices that arrive at one instant cause one
        decision; the device whose observation has not arrived yet is observed as zeros.

        Args:
            number: The argument of `make_agent()`.
            observations: Observation space of one device: a vector. If one agent observes all
                devices, the names of elements end with the number of the device.
            actions: Action space of one device: a choice, or a vector.

        Raises:
            TypeError: `observations` is not a `Box` of one axis, or `actions` is neither a
                `Discrete` nor such a `Box`.
        """
        devices = range(self.count_devices())
        spaces = repeat_spaces(observations, actions, len(devices))
        if not self.is_central:
            return Agent(None, observations, actions)
        agent = Agent(None, *spaces)
        size = len(spaces[0].low) // len(devices)
        is_choice = isinstance(spaces[1], MultiDiscrete)
        state = [0.0] * (size * len(devices))
        decisions: list[Any] = []

        @agent.on_observation
        def receive(sender: int, message: Any) -> None:
            state[size * sender : size * (sender + 1)] = message["observation"]
            agent.observation = state
            if not decisions or not decisions[-1].pending:
                decisions[:] = [after(0, agent.decide)]

        @agent.on_action
        def act(action: Any) -> None:
            for device, part in enumerate(action.reshape(len(devices), -1)):
                agent.send_action(int(part[0]) if is_choice else part, device)

        return agent


def hooks_of(current: Callable[[], Deployment]) -> list[Callable[..., Any]]:
    """Return the functions of this episode's deployment, in the order of the simulation's calls."""
    return [
        lambda: _find_contradiction(current()),
        lambda: _count_devices(current()),
        lambda: _build_devices(current()),
        lambda: current().start_devices(),
        lambda device: _make_applications(current(), device),
        lambda number: _make_agent(current(), number),
    ]


def _find_contradiction(deployment: Deployment) -> str:
    found: Any = deployment.find_contradiction()
    if not isinstance(found, str):
        raise _refusal(deployment, "find_contradiction", "a text", found)
    return found


def _count_devices(deployment: Deployment) -> int:
    count: Any = deployment.count_devices()
    if not isinstance(count, Integral) or count < 1:
        raise _refusal(deployment, "count_devices", "a positive whole number", count)
    return int(count)


def _build_devices(deployment: Deployment) -> list[Node]:
    count = _count_devices(deployment)
    built: Any = deployment.build_devices()
    nodes = list(built) if isinstance(built, Iterable) else []
    if len(nodes) != count or not all(isinstance(each, Node) for each in nodes):
        raise _refusal(deployment, "build_devices", f"nodes of its {count} devices", built)
    return nodes


def _make_applications(deployment: Deployment, device: int) -> Any:
    made: Any = deployment.make_applications(device)
    are_three = isinstance(made, Sequence) and len(made) == 3
    if not are_three or not all(each is None or isinstance(each, core.Object) for each in made):
        needed = "an Observation, a Reward and an Action, each of which may be None"
        raise _refusal(deployment, "make_applications", needed, made)
    return made


def _make_agent(deployment: Deployment, number: int) -> Any:
    agent: Any = deployment.make_agent(number)
    if not isinstance(agent, core.Object):
        raise _refusal(deployment, "make_agent", "an Agent", agent)
    return agent


def _refusal(deployment: Deployment, method: str, needed: str, returned: Any) -> TypeError:
    code = getattr(getattr(type(deployment), method), "__code__", None)
    place = f" ({code.co_filename}, line {code.co_firstlineno})" if code else ""
    name = f"{type(deployment).__name__}.{method}()"
    return TypeError(f"{name} must return {needed}, not {returned!r}{place}")


def load_accesses(accesses: Sequence[str]) -> None:
    """Load the modules that access networks need."""
    known = ("point-to-point", "csma", "wifi")
    if unknown := [each for each in accesses if each not in known]:
        raise ValueError(f"access networks {unknown} are not among {list(known)}")
    if "wifi" in accesses:
        load_wifi()
