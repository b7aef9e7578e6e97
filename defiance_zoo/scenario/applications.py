# SPDX-License-Identifier: GPL-2.0-only
"""Applications that observe, reward, act and decide, and how they are connected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, Literal, TypeVar, get_args

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.scenario.native import Sealed, core
from defiance_zoo.scenario.network import require_probability
from defiance_zoo.scenario.spaces import has_arrays, make_space
from defiance_zoo.scenario.wiring import (
    Part,
    is_being_built,
    make_part,
    note_agent,
    note_connection,
    note_interval,
    note_part,
    require_parameters,
)

F = TypeVar("F", bound=Callable[..., Any])
_NOTHING: Any = object()


class _Collector(Sealed):
    """The common part of observation and reward applications."""

    wiring: Part

    def __init__(self, node: Any, **attributes: Any) -> None:
        core_class: Any = super()
        core_class.__init__(node, **attributes)
        self.wiring = make_part()
        note_part(self)

    def send(self, value: Any = _NOTHING, **entries: Any) -> None:
        """Send a message to all connected agents, if the application runs.

        In a function that a trace source calls, the message leaves at the end of the trace source's
        event: a device that is about to send a packet cannot take another one.

        Args:
            value: Value to send, under the key `observation` or `reward`.
            **entries: Alternatively, the entries of the message, by key.
        """
        if value is None:
            raise TypeError(
                "send(None): None is not a message; to send nothing, do not call send()"
            )
        if (value is _NOTHING) != bool(entries):
            raise TypeError("send() takes either a value or entries by key")
        core_class: Any = super()
        core_class.send(entries if value is _NOTHING else value)

    def every(self, interval: Any) -> Callable[[F], F]:
        """Decorate a function that is called at an interval, and returns the value to send.

        The function is called while the application runs, first an interval after its start. If the
        function returns None, nothing is sent.

        Args:
            interval: A time, such as "100ms".
        """
        note_interval("every", interval)

        def decorate(function: F) -> F:
            core_class: Any = super(_Collector, self)
            core_class.sample(interval, function)
            self.wiring.functions["sample"] = function
            return function

        return decorate


class Observation(_Collector, core.Observation):
    """Observes on a node, and sends observations to agents: see `send()` and `every()`.

    `Observation(node, **attributes)` creates it, with attributes of ns3::ObservationApplication.
    """


class Reward(_Collector, core.Reward):
    """Sends rewards to agents, which add them up: see `send()` and `every()`.

    `Reward(node, **attributes)` creates it, with attributes of ns3::RewardApplication.
    """


class Action(Sealed, core.Action):
    """Executes actions on a node.

    `Action(node, **attributes)` creates it, with attributes of ns3::ActionApplication.
    """

    def __init__(self, node: Any, **attributes: Any) -> None:
        """Create the application on a node, with attributes of its ns-3 class; None: none yet."""
        super().__init__(node, **attributes)
        self.wiring = make_part()
        note_part(self)

    def on_action(self, function: F) -> F:
        """Decorate a function that executes an action.

        It takes the number of the sending agent, and the action: an int, or an array of NumPy.

        Raises:
            TypeError: The function has other parameters.
        """
        require_parameters(function, "on_action", "sender", "action")
        self.execute(function)
        self.wiring.functions["execute"] = function
        return function


class Agent(Sealed, core.Agent):
    """Decides on its node.

    Without hooks, an agent decides on each observation that it receives, or by `StepInterval`, adds
    up its rewards and sends actions to all connected action applications.

    `agent.reward` is the reward since its last decision, and `agent.observation` its observation;
    both can be set. `decide(observation=None, number=None)` asks for an action, for all action
    applications or for one, and `request(observation=None)` returns an action, without events in
    between. `terminate()` and `truncate()` end the agent; `ended` states whether it has ended. An
    agent may be created while the episode runs, and may end before it has decided.

    With `agent.arrays = True`, messages of observations have NumPy's arrays instead of lists.
    The observation has the shape of its space; a number stands for an array of one element, and
    nothing is reshaped. A reward is a finite number. Rewards that arrive after the agent's end do
    not count; Python warns of them (`LateRewardWarning`).

    `send_action(action, number=None)` sends an action to all action applications or to one, and
    `send(message, number=None)` a message to other agents.
    """

    def __init__(self, node: Any, observations: Any, actions: Any, **attributes: Any) -> None:
        """Create an agent.

        Args:
            node: The node.
            observations: Observation space.
            actions: Action space.
            **attributes: Attributes of ns3::AgentApplication, such as `StepInterval="10ms"`.
        """
        super().__init__(node, **attributes)
        self.set_spaces(make_space(observations), make_space(actions))
        if has_arrays(actions):
            import numpy  # noqa: F401 (once, before the simulation is copied for each episode)
        self.wiring = make_part()
        if node is None:
            return
        note_agent(self)
        if not is_being_built():
            core.configure()  # while the episode is built, its end configures

    def on_observation(self, function: F) -> F:
        """Decorate a function that gets each observation: number of the sender, and message."""
        return self._hook("observation", function)

    def on_reward(self, function: F) -> F:
        """Decorate a function that gets each reward: number of the sender, and message."""
        return self._hook("reward", function)

    def on_message(self, function: F) -> F:
        """Decorate a function that gets messages of agents: number of the sender, and message."""
        return self._hook("message", function)

    def on_action(self, function: F) -> F:
        """Decorate a function that takes each action, and sends it."""
        return self._hook("action", function)

    def observe(self, function: F) -> F:
        """Decorate a function that observes before each step by `StepInterval`.

        The function returns an observation in the agent's space, or None to leave the step out.
        """
        return self._hook("observe", function)

    def info(self, function: F) -> F:
        """Decorate a function that returns a dict, the info of the observation."""
        return self._hook("info", function)

    def _hook(self, name: str, function: F) -> F:
        require_parameters(function, *_PARAMETERS[name])
        self.hook(name, function)
        self.wiring.functions[name] = function
        return function


_PARAMETERS = {
    "observation": ("on_observation", "sender", "message"),
    "reward": ("on_reward", "sender", "message"),
    "message": ("on_message", "sender", "message"),
    "action": ("on_action", "action"),
    "observe": ("observe",),
    "info": ("info",),
}
"""The decorator of each hook of an agent, and the parameters of the function."""

Over = Literal["direct", "udp", "tcp"]


def connect(
    clients: Any,
    servers: Any,
    over: Over = "direct",
    *,
    delay: Any = 0,
    loss: float = 0.0,
    jitter: Any = None,
    synchronous: bool = False,
    at: Any = 0,
) -> None:
    """Connect applications: pairwise, one with all, or all with one.

    Args:
        clients: An application or several; with packets, they open the connection.
        servers: An application or several.
        over: "direct", which needs no network, or "udp" or "tcp", which send packets.
        delay: Delay of direct messages, a time.
        loss: Probability of the loss of a direct message.
        jitter: Random variable of further seconds of delay for direct messages.
        synchronous: Direct messages arrive before the sender continues.
        at: Time at which a connection through the network is opened.

    Raises:
        TypeError: An object is not an RL application, or neither of them is an agent; or the jitter
            is not a random variable.
        ValueError: `over` is unknown, the delay or the loss is out of range, the numbers of
            applications do not match, or a node has no address for packets.
    """
    left, right = _several(clients), _several(servers)
    require_probability("loss", loss)
    note_interval("connect", delay, "delay")
    if jitter is not None and not isinstance(jitter, core.RandomVariable):
        raise TypeError(f"jitter={jitter!r} is not of sc.random_variable()")
    require_choice("over", over, get_args(Over))
    if len(left) != len(right) and 1 not in (len(left), len(right)):
        raise ValueError(f"{len(left)} applications cannot be connected with {len(right)}")
    for each in (*left, *right):
        if not isinstance(each, core.Application) or not core.is_a(each, "ns3::RlApplication"):
            raise TypeError(
                f"{each!r} is not an Observation, Reward, Action or Agent, and cannot be connected"
            )
    pairs = zip(left, right, strict=True) if len(left) == len(right) else product(left, right)
    for one, other in pairs:
        if over != "direct":
            _require_address(one, other)
            _require_address(other, one)
        if not any(core.is_a(each, "ns3::AgentApplication") for each in (one, other)):
            names = [type(each).__name__ for each in (one, other)]
            raise TypeError(
                f"{names[0]} and {names[1]} cannot be connected: one of them must be an Agent"
            )
        note_connection(one, other)
    if over == "direct":
        core.connect_simple(left, right, delay, loss, jitter, synchronous)
    elif delay or loss or jitter is not None or synchronous:
        raise ValueError(f"delay, loss, jitter and synchronous need over='direct', not {over!r}")
    else:
        core.connect_sockets(left, right, over == "tcp", at)


def _require_address(application: Any, peer: Any) -> None:
    node = application.node
    if node is None:
        raise ValueError(f"{application!r} has no node, and cannot send packets")
    if node == peer.node and core.has_internet(node):
        return  # by the loopback address
    try:
        node.address()
    except ValueError:
        node.address(6)


def _several(applications: Any) -> list[Any]:
    return list(applications) if isinstance(applications, Iterable) else [applications]
