# SPDX-License-Identifier: GPL-2.0-only
"""Control loops: a plant that steps in simulated time, and the agents that control it.

An observation that an agent decides to send costs its bytes times `byte_price`, which this agent
and the agent that controls both pay.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from defiance_zoo.scenario.applications import Action, Agent, Observation, connect
from defiance_zoo.scenario.control.plants import (
    Outcome,
    Plant,
    as_message,
    copied,
    count_bytes,
    flattened,
    neutral_value,
)
from defiance_zoo.scenario.control.windows import FARTHEST, Newest, Window, lengthen, shorten
from defiance_zoo.scenario.events import Time, after, now, random_variable, stop
from defiance_zoo.scenario.native import core
from defiance_zoo.scenario.network import Node
from defiance_zoo.scenario.spaces import Box, Dict, Discrete

Message = dict[str, Any]
_BEFORE = Time("1ns")
"""Time by which observations of whole ticks arrive earlier: actions that cross no network then
reach the step of this instant."""
_STARTING = Time("1ms")
"""Time in which applications start, for plants without an interval."""
_MASK = "action_mask"
"""The info of a plant that says which actions it allows; it travels with the observation."""


class Controller:
    """An agent on its node, and its sensor and actuator on the nodes of the plant.

    Attributes:
        terminated: Whether it was terminated, not truncated; None before the end.
    """

    def __init__(self, spaces: tuple[Any, Any], places: Sequence[Node], loop: Loop) -> None:
        self.observations, actions = spaces
        p, seen = loop.options, self.observations
        self._seen = Newest(seen) if p.window == 1 else Window(seen, p.window)
        self._loop, self._decides_on_arrival = loop, p.decide == "arrival"
        self._neutral = self._action = neutral_value(actions)
        self._uses = 0
        self._most_uses = {"hold": None, "zero": 1, "repeat": 1 + p.repeats}[p.hold]
        self.terminated: bool | None = None
        self._mask: Any = None
        self._info: Mapping[str, Any] = {}
        self._has_rewards_in_messages = p.rewards == "messages"
        self._earned = self._credited = 0.0
        self.is_over = self.has_action = False
        node, edge, acting = places
        self.sensor, actuator = Observation(node), Action(acting)
        self.agent = Agent(edge, self._seen.space, actions, ActionDelay=p.compute)
        self.agent.arrays = True
        self.agent.on_observation(self._receive)
        self.agent.info(self._describe)
        actuator.on_action(self._act)
        connect(self.sensor, self.agent, **loop.channel)
        connect(actuator, self.agent, **({} if p.actions == "direct" else loop.channel))

    def take_action(self) -> Any:
        """Return the action of the next step of the plant."""
        self.has_action = False
        if self._most_uses is not None and self._uses >= self._most_uses:
            return copied(self._neutral)
        self._uses += 1
        return copied(self._action)

    def report(self, outcome: Outcome) -> dict[str, Any] | None:
        """Take the news of a step; return the message for the agent, if there is one."""
        self.terminated = outcome.terminated
        self.is_over = outcome.terminated is not None
        self._info = outcome.info
        value = as_message(outcome.observation)
        message = {"observation": value, "tick": self._loop.tick}
        if _MASK in outcome.info:
            message["mask"] = as_message(outcome.info[_MASK])
        if self._has_rewards_in_messages:
            self._earned += outcome.reward
            message["earned"] = self._earned  # a lost message loses no reward
        else:
            self.agent.reward += outcome.reward
        return None if value is None else message

    def finish(self) -> None:
        """End the agent with its remaining reward, if the plant has ended its episode."""
        if not self.is_over or self.agent.ended:
            return
        self._credit(self._earned)
        if self._seen.tick >= 0:
            self.agent.observation = self._observe()
        (self.agent.terminate if self.terminated else self.agent.truncate)()

    def decide(self) -> None:
        """Let the agent decide, if it has an observation, as soon as a worker is free."""
        if self._seen.tick >= 0 and not self.is_over:
            if self._loop.workers is None:
                self.agent.decide(self._observe())
            else:
                self._loop.workers.serve(self)

    def decide_within(self, compute: float) -> None:
        """Let the agent decide on its newest observation, in a time in seconds."""
        self.agent["ActionDelay"] = Time(compute)
        self.agent.decide(self._observe())

    @property
    def age(self) -> float:
        """Age of the newest observation in seconds; before the first one, the time."""
        return self._loop.age(self._seen.tick) if self._seen.tick >= 0 else now().seconds

    def read(self, message: Message) -> Any:
        """Return the observation of a message, whose numbers may have fewer bits."""
        value = message["observation"]
        return lengthen(value, message["bits"], self.observations) if "bits" in message else value

    def _receive(self, sender: int, message: Any) -> None:
        if not self._seen.add(message["tick"], self.read(message)):
            return
        self._mask = message.get("mask")
        if "earned" in message:
            self._credit(message["earned"][0])
        if self._decides_on_arrival:
            self.decide()

    def _credit(self, earned: float) -> None:
        """Reward the agent with the part of its earnings that it has not had."""
        self.agent.reward += earned - self._credited
        self._credited = earned

    def _observe(self) -> Any:
        return self._seen.value(self._loop.age)

    def _describe(self) -> dict[str, Any]:
        info: dict[str, Any] = {"age": self.age, "tick": self._seen.tick}
        if self._mask is not None:
            info[_MASK] = self._mask
        if self._loop.options.plant_infos:
            info |= flattened("plant", {k: v for k, v in self._info.items() if k != _MASK})
        if self._loop.options.pictures:
            info["picture"] = self._loop.plant.picture()
        return info

    def _act(self, sender: int, action: Any) -> None:
        self._action, self._uses, self.has_action = action, 0, True
        self._loop.note_action()


class Workers:
    """The workers of the edge: others wait in order, each to decide on its newest observation."""

    def __init__(self, count: float, options: Any) -> None:
        self._free, self._waiting = count, list[Controller]()
        is_constant = options.compute_times == "constant"
        name, key = ("Constant", "Constant") if is_constant else ("Exponential", "Mean")
        mean = {key: options.compute.seconds}
        self._draw = random_variable(f"ns3::{name}RandomVariable", **mean)

    def serve(self, controller: Controller) -> None:
        """Let an agent decide now or when a worker is free, once for all calls until then."""
        if controller not in self._waiting:
            self._waiting.append(controller)
        self._begin()

    def _begin(self) -> None:
        while self._free and self._waiting:
            controller = self._waiting.pop(0)
            if not controller.is_over:
                self._free -= 1
                compute = self._draw()
                controller.decide_within(compute)
                after(Time(compute), self._end)

    def _end(self) -> None:
        self._free += 1
        self._begin()


class Sender:
    """Sends each observation at once.

    Attributes:
        controller: The controller whose sensor sends.
    """

    def __init__(self, controller: Controller, price: float = 0.0) -> None:
        self.controller, self._price = controller, price

    def take(self, message: Message | None, reward: float) -> None:
        """Take the news of a step: the message, if there is one, and the reward."""
        if message is not None:
            self.controller.sensor.send(**message)

    def follow(self) -> None:
        """Continue after a step, or end with the controller's agent."""

    def _sell(self, message: Message, chooser: Agent, share: float = 1.0) -> None:
        """Send a message at a share of the price, which chooser and controller both pay."""
        for each in (chooser, self.controller.agent):
            each.reward -= share * self._price
        self.controller.sensor.send(**message)


class ChoosingSender(Sender):
    """An agent on the sensor's node that decides whether, and with how many bits, it sends.

    It observes the new observation, the last one that it has sent, and the seconds since then.
    Action 0 sends nothing, the last action all bits of each number, and others `bits`.
    """

    def __init__(self, controller: Controller, price: float, bits: Sequence[int]) -> None:
        super().__init__(controller, price)
        space, self._bits = controller.observations, bits
        seen = {"observation": space, "sent": space, "since": Box(0, FARTHEST, (1,))}
        self._sent, self._sent_s = neutral_value(space), 0.0
        self.agent = Agent(controller.sensor.node, Dict(seen), Discrete(2 + len(bits)))
        self.agent.on_action(self._act)
        self._message: Message = {}

    def take(self, message: Message | None, reward: float) -> None:
        self.agent.reward += reward
        if message is None or self.controller.is_over:
            return
        self._message = message
        since = [now().seconds - self._sent_s]
        self.agent.decide(
            {"observation": message["observation"], "sent": self._sent, "since": since}
        )

    def follow(self) -> None:
        if self.controller.agent.ended and not self.agent.ended:
            (self.agent.terminate if self.controller.terminated else self.agent.truncate)()

    def _act(self, action: Any) -> None:
        if not action or self.controller.is_over:
            return
        message, share = self._message, 1.0
        if action <= len(self._bits):
            bits = self._bits[int(action) - 1]
            short = shorten(message["observation"], bits)
            message = {**message, "observation": as_message(short), "bits": bits}
            share = bits / 8 / self.controller.observations.dtype.itemsize
        self._sent, self._sent_s = self.controller.read(message), now().seconds
        self._sell(message, self.agent, share)


class ScheduledSender(Sender):
    """Sends its newest observation when the scheduler asks for it."""

    def __init__(self, controller: Controller, scheduler: Scheduler, price: float) -> None:
        super().__init__(controller, price)
        self._scheduler = scheduler
        self._message: Message | None = None
        self.order = Action(controller.sensor.node)
        self.order.on_action(self._obey)

    def take(self, message: Message | None, reward: float) -> None:
        self._scheduler.agent.reward += reward
        self._message = message

    def follow(self) -> None:
        self._scheduler.follow()

    def _obey(self, sender: int, action: Any) -> None:
        if self._message is not None and not self.controller.is_over:
            self._sell(self._message, self._scheduler.agent)
            self._message = None


class Scheduler:
    """An agent that decides at each step which sensor may send: none, or one of them.

    It observes the age of the newest observation of each sensor, and its decisions cross the
    network. Its reward is the sum of all rewards.
    """

    def __init__(self, node: Node, count: int) -> None:
        self.agent = Agent(node, Box(0, FARTHEST, (count,)), Discrete(count + 1))
        self.agent.on_action(self._act)
        self._senders: list[ScheduledSender] = []
        self._decided = now()

    def schedule(self, senders: Sequence[ScheduledSender], channel: dict[str, Any]) -> None:
        """Connect the agent with senders."""
        self._senders += senders
        connect([each.order for each in senders], self.agent, **channel)

    def follow(self) -> None:
        """Decide after a step of the plants, which step together, or end with the last of them."""
        controlled = [each.controller for each in self._senders]
        if all(each.is_over for each in controlled):
            if not self.agent.ended:
                is_truncated = not all(each.terminated for each in controlled)
                (self.agent.truncate if is_truncated else self.agent.terminate)()
        elif now() != self._decided:
            self._decided = now()
            self.agent.decide([each.age for each in controlled])

    def _act(self, action: Any) -> None:
        if action:
            self.agent.send_action(1, self._senders[int(action) - 1].order.number)


class Loop:
    """A plant that steps at an interval or as actions arrive, and its controllers.

    Attributes:
        channel: Arguments of `connect()` between an agent and its sensor or actuator.
        workers: The workers that decide; None: decisions do not wait, and take equal times.
        tick: Number of the current step of the plant.
    """

    def __init__(
        self,
        plant: Plant,
        reset: Mapping[str, Any],
        places: Sequence[Sequence[Node]],
        options: Any,
        workers: Workers | None,
        on_end: Callable[[], None],
    ) -> None:
        self.plant, self.options, self.workers = plant, options, workers
        self.channel: dict[str, Any] = {"over": options.over, "at": options.start}
        if options.over == "simple":
            delay, tick = options.delay, options.tick
            if tick > Time(0) < delay and delay.nanoseconds % tick.nanoseconds == 0:
                delay -= _BEFORE
            self.channel = {"delay": delay, "loss": options.loss}
        self.tick, self.is_over = 0, False
        self._on_end, self._reset, self._interval = on_end, reset, options.tick
        self._follows_actions = options.tick == Time(0)
        self._times = array("q")  # 8 bytes a step
        pairs = zip(plant.spaces, places, strict=True)
        self.controllers = [Controller(spaces, each, self) for spaces, each in pairs]
        self.senders: Sequence[Sender] = ()
        self._always_follows = options.decide == "clock" or options.send == "scheduler"
        first = options.start + max(options.tick, _STARTING)
        step = partial(after, 0, self._step)  # after messages that arrive at the same instant
        self._clock = core.schedule(first, options.tick, step)

    def age(self, tick: int) -> float:
        """Return the age of an observation in seconds; steps before the first one count, too."""
        sent = self._times[max(tick, 0)] + min(tick, 0) * self._interval.nanoseconds
        return float(now().nanoseconds - sent) * 1e-9

    def note_action(self) -> None:
        """Step, if actions drive the plant and all have arrived."""
        if self._follows_actions and all(
            self.controllers[number].has_action for number in self.plant.acting
        ):
            after(0, self._step)

    def _step(self) -> None:
        if self._times:
            self.tick += 1
            outcomes = self.plant.step([each.take_action() for each in self.controllers])
        else:
            outcomes = self.plant.reset(**self._reset)
        self._times.append(now().nanoseconds)
        follows = self._always_follows
        for each, sender, outcome in zip(self.controllers, self.senders, outcomes, strict=True):
            if outcome is not None:
                sender.take(each.report(outcome), outcome.reward)
                follows |= each.is_over
        if follows:
            after(0, self._follow)  # after messages without delay

    def _follow(self) -> None:
        for each in self.controllers:
            each.finish()
        self.is_over = all(each.is_over for each in self.controllers)
        for sender in self.senders:
            sender.follow()
        if self.is_over:
            self._clock.cancel()
            self._on_end()
        elif self.options.decide == "clock":
            for each in self.controllers:
                each.decide()


def run_loops(
    plants: Sequence[tuple[Plant, Mapping[str, Any]]],
    places: Sequence[Sequence[Node]],
    options: Any,
) -> list[Agent]:
    """Let plants step; return the agents that control, then the agents that decide what is sent.

    The episode ends with the last plant.

    `plants`: plants, with the arguments of `reset()` of each. `places`: the nodes of the sensor,
    the agent and the actuator of each agent of each plant.
    """
    loops: list[Loop] = []

    def end() -> None:
        if all(each.is_over for each in loops):
            stop()

    has_workers = options.workers or options.compute_times != "constant"
    workers = Workers(options.workers or math.inf, options) if has_workers else None
    left = iter(places)
    for plant, reset in plants:
        of_plant = [next(left) for _ in plant.spaces]
        loops.append(Loop(plant, reset, of_plant, options, workers, end))
    controllers = [each for loop in loops for each in loop.controllers]
    priced = [(each, options.byte_price * count_bytes(each.observations)) for each in controllers]
    senders: Sequence[Sender] = [Sender(each) for each in controllers]
    choosing: list[Agent] = []
    if options.send in ("sensor", "precision"):
        bits = (8, 16) if options.send == "precision" else ()
        senders = choosers = [ChoosingSender(*each, bits) for each in priced]
        choosing = [each.agent for each in choosers]
    elif options.send == "scheduler":
        scheduler = Scheduler(places[0][1], len(controllers))
        senders = scheduled = [ScheduledSender(each, scheduler, price) for each, price in priced]
        scheduler.schedule(scheduled, loops[0].channel)
        choosing = [scheduler.agent]
    remaining = iter(senders)
    for loop in loops:
        loop.senders = [next(remaining) for _ in loop.controllers]
    return [*(each.agent for each in controllers), *choosing]
