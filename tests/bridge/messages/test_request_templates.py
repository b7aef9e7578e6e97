# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of one layout are read and answered without parsing, with the same result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from spaces_of_all_kinds import SPACES

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import codec_for, decode_infos
from defiance_zoo.bridge.codec.tensors import encode_tensor
from defiance_zoo.bridge.messages.rounds import Agent, AgentSteps, Round
from defiance_zoo.bridge.messages.templates import MessageTemplate, RoundTemplates
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import MalformedMessage


def has_fixed_size(space: spaces.Space[Any]) -> bool:
    """Return whether values have neither texts nor arrays without elements."""
    sizes = codec_for(space).sizes
    return sizes is not None and all(sizes)


TENSORS = [each for each in SPACES if has_fixed_size(each)]
OTHERS = [each for each in SPACES if each not in TENSORS]
ACTIONS = spaces.Dict({"pair": spaces.Box(-1, 1, (2,), np.float64), "push": spaces.Discrete(4)})


def make_agents(space: spaces.Space[Any], others: spaces.Space[Any], count: int = 4) -> list[Agent]:
    """Return agents of one space, and then one of another."""
    observed = [*([space] * count), others]
    return [
        Agent(f"agent_{i}", each, ACTIONS, codec_for(each), codec_for(ACTIONS))
        for i, each in enumerate(observed)
    ]


def request(
    agents: list[Agent], groups: list[list[int]], number: int, *, informed: bool = False
) -> pb.SimulationMessage:
    """Return a request with random contents; `informed` gives each other row infos."""
    rng = np.random.default_rng(number)
    message = pb.SimulationMessage()
    asked = message.step_request
    asked.sequence, asked.sim_time_ns = number, int(rng.integers(1, 2**62))
    for group in groups:
        steps = asked.steps.add(agents=group)
        steps.rewards.extend(rng.normal(size=len(group)).tolist())
        agent = agents[group[0]]
        agent.observation_space.seed(number)
        values = [agent.observation_space.sample() for _ in group]
        buffers = agent.observations.flatten([_checked(agent, value) for value in values])
        agent.observations.push(steps.observations, iter(buffers), len(group))
        for row in range(0, len(group), 2) if informed else ():
            infos = steps.infos.add(row=row).info
            infos.add(key="delay", real=rng.normal())
            infos.add(key="shares", tensor=encode_tensor(rng.normal(size=(2, 3)).astype("f4")))
            infos.add(key="mask", tensor=encode_tensor(rng.integers(0, 2, 5, np.int8)))
            infos.add(key="role", text="é" * (row % 3))
            infos.add(key="level", tensor=encode_tensor(np.array(rng.normal())))
            infos.add(key="packets", integer=int(rng.integers(-(2**62), 2**62)))
    return message


def _checked(agent: Agent, value: Any) -> Any:
    # Gymnasium samples a bare number from a Box of shape ().
    box = isinstance(agent.observation_space, spaces.Box)
    return agent.observations.check(np.asarray(value) if box else value)


def parse(templates: RoundTemplates, message: pb.SimulationMessage) -> Round:
    """Return a request, read as the first one of its layout."""
    asked = message.step_request
    template = templates.template(tuple(tuple(each.agents) for each in asked.steps))
    steps = [
        AgentSteps(
            group,
            group.observations.pull(each.observations, len(group.names)),
            np.array(each.rewards).tobytes(),
            {told.row: decode_infos(told.info) for told in each.infos},
        )
        for group, each in zip(template.groups, asked.steps, strict=True)
    ]
    templates.learn(template, asked, message.SerializeToString())
    return Round(asked.sim_time_ns, tuple(steps), (), (), over=False)


@pytest.mark.parametrize("space", TENSORS, ids=str)
@pytest.mark.parametrize("groups", [[[0]], [[2, 0, 1]], [[0, 1], [4], [3]]], ids=str)
@pytest.mark.parametrize("informed", [False, True])
def test_requests_of_a_known_layout_are_read_like_parsed_ones(
    space: spaces.Space[Any], groups: list[list[int]], informed: bool
) -> None:
    agents = make_agents(space, spaces.Discrete(3))
    templates = RoundTemplates(agents)
    for number in (1, 2):
        message = request(agents, groups, number, informed=informed)
        assert templates.read(message.SerializeToString(), number.to_bytes(8, "little")) is None
        parse(templates, message)
    for number in range(3, 20):
        message = request(agents, groups, number, informed=informed)
        known = templates.read(message.SerializeToString(), number.to_bytes(8, "little"))
        assert known is not None
        reported, template = known
        expected = parse(RoundTemplates(agents), message)
        assert (reported.time_ns, reported.joined, reported.ended, reported.over) == (
            expected.time_ns,
            (),
            (),
            False,
        )
        assert exact(reported.steps) == exact(expected.steps)
        if groups == [[0]]:
            assert exact(reported.solo()) == exact(expected.solo())
        assert template.key == tuple(map(tuple, groups))


@pytest.mark.parametrize("informed", [False, True])
def test_requests_that_differ_from_the_template_are_parsed(informed: bool) -> None:
    agents = make_agents(spaces.Box(0, 1, (2,)), spaces.Box(0, 1, (2,), np.int32))
    templates = RoundTemplates(agents)
    for number in (1, 2):
        parse(templates, request(agents, [[0]], number, informed=informed))
    frame = request(agents, [[0]], 3, informed=informed).SerializeToString()
    assert templates.read(frame, (3).to_bytes(8, "little"))
    assert templates.read(frame, (4).to_bytes(8, "little")) is None  # another number is due
    other = request(agents, [[1]], 3, informed=informed).SerializeToString()
    assert len(other) == len(frame)
    assert templates.read(other, (3).to_bytes(8, "little")) is None  # of another agent
    for position in range(len(frame)):
        altered = bytearray(frame)
        altered[position] ^= 0x80
        known = templates.read(bytes(altered), (3).to_bytes(8, "little"))
        # A request that matches this template is valid: parsing it gives the same.
        if known is not None:
            message = pb.SimulationMessage.FromString(bytes(altered))
            assert exact(known[0].steps) == exact(parse(RoundTemplates(agents), message).steps)


def require_altered_like_parsed(
    templates: RoundTemplates, agents: list[Agent], frame: bytes, encoded: bytes
) -> None:
    """Altered requests are read like parsed ones, or left to be parsed."""
    for position in range(len(frame)):
        altered = bytearray(frame)
        altered[position] ^= 0x81
        known = templates.read(bytes(altered), encoded)
        if known is not None:
            altered_message = pb.SimulationMessage.FromString(bytes(altered))
            read = parse(RoundTemplates(agents), altered_message)
            assert exact(known[0].steps) == exact(read.steps)


@pytest.mark.parametrize("informed", [False, True])
def test_rounds_of_new_subsets_are_read_like_parsed_ones(informed: bool) -> None:
    """Only the numbers of agents count; numbers from 128 on take two bytes."""
    agents = make_agents(spaces.Box(0, 1, (2,)), spaces.Discrete(3), 140)
    templates, rng = RoundTemplates(agents), np.random.default_rng(1)
    for number in range(1, 30):
        subset = [*rng.permutation(128)[:5], *rng.integers(128, 140, 1)]
        groups = [[*map(int, subset)], [140]]
        message = request(agents, groups, number, informed=informed)
        frame, encoded = message.SerializeToString(), number.to_bytes(8, "little")
        known = templates.read(frame, encoded)
        assert (known is not None) == (number > 2)
        read = parse(templates, message)
        if known is not None:
            assert exact(known[0].steps) == exact(read.steps)
            assert known[1].key == tuple(map(tuple, groups))
            assert known[1].answer(encoded, [bytes(96), bytes(48), bytes(16), bytes(8)])
    require_altered_like_parsed(templates, agents, frame, encoded)


def test_infos_are_read_without_a_form_while_most_requests_have_new_forms() -> None:
    """Each array has another length. When the infos keep their form, it is learned."""
    agents = make_agents(spaces.Discrete(2), spaces.Discrete(2))
    templates, number = RoundTemplates(agents), 0
    for changes in (True, False):
        known = []
        for length in range(500):
            number += 1
            message = request(agents, [[0]], number)
            info = message.step_request.steps[0].infos.add(row=0).info.add(key="frames")
            info.tensor.CopyFrom(encode_tensor(np.zeros(length if changes else 3)))
            frame, encoded = message.SerializeToString(), number.to_bytes(8, "little")
            found = templates.read(frame, encoded)
            known.append(found is not None)
            read = parse(RoundTemplates(agents) if found else templates, message)
            if found is not None:
                assert exact(found[0].steps) == exact(read.steps)
        assert sum(known) > (300 if changes else 450)
        assert templates._learned < 200
        assert (found is not None and found[1].request is not None) == (not changes)


VALUES: list[dict[str, Any]] = [
    {"text": ""},
    {"text": "é" * 40},
    {"real": -0.5},
    {"integer": -1},
    *({"tensor": encode_tensor(np.ones((2, 3), each))} for each in ("f4", "f8", "i1", "u2", "u8")),
    {"tensor": encode_tensor(np.array(2, np.float32))},
]


@pytest.mark.parametrize("groups", [[[0]], [[2, 0, 1]], [[0, 1], [4], [3]]], ids=str)
def test_requests_with_long_texts_are_read_like_parsed_ones(groups: list[list[int]]) -> None:
    """Requests that were altered are read like parsed ones, or parsed."""
    agents = make_agents(spaces.Box(0, 1, (2,)), spaces.Discrete(3))
    templates = RoundTemplates(agents)
    for number in range(1, 20):
        message = request(agents, groups, number)
        for row, steps in enumerate(message.step_request.steps):
            infos = steps.infos.add(row=row % len(steps.agents)).info
            infos.add(key="said", text="x" * 33 * number)
            for place, value in enumerate(VALUES[: number % 12]):
                infos.add(key=f"info {place}", **value)
        frame, encoded = message.SerializeToString(), number.to_bytes(8, "little")
        known = templates.read(frame, encoded)
        assert (known is not None) == (number > 2)
        read = parse(templates if known is None else RoundTemplates(agents), message)
        if known is not None:
            assert exact(known[0].steps) == exact(read.steps)
            assert known[1].key == tuple(map(tuple, groups))
            assert known[1].request is None
    assert templates.read(frame, (20).to_bytes(8, "little")) is None
    if groups == [[0]]:
        require_altered_like_parsed(templates, agents, frame, encoded)


@pytest.mark.parametrize("rows", [1, 3])
def test_answers_are_messages_of_the_protocol(rows: int) -> None:
    agents = make_agents(spaces.Discrete(2), spaces.Discrete(2))
    template = RoundTemplates(agents).template((tuple(range(rows)), (4,)))
    ACTIONS.seed(1)
    for number in (1, 2**40):
        values = [agents[0].actions.check(ACTIONS.sample()) for _ in range(rows + 1)]
        stacks = [agents[0].actions.flatten(part) for part in (values[:rows], values[rows:])]
        frame = template.answer(number.to_bytes(8, "little"), [*stacks[0], *stacks[1]])
        reply = pb.PythonMessage.FromString(frame)
        assert (reply.step_reply.sequence, reply.step_reply.command) == (number, pb.COMMAND_STEP)
        expected = [pb.DataContainer(), pb.DataContainer()]
        for each, stack, count in zip(expected, stacks, (rows, 1), strict=True):
            agents[0].actions.push(each, iter(stack), count)
        assert list(reply.step_reply.actions) == expected
        assert frame == reply.SerializeToString()


def test_many_agents_that_ask_one_by_one_have_a_template_each() -> None:
    """And the templates of agents that ask in ever new groups are forgotten."""
    agents = make_agents(spaces.Discrete(2), spaces.Discrete(2), 600)
    templates, number = RoundTemplates(agents), 0
    for is_known in (False, False, True):
        for agent in range(len(agents)):
            number += 1
            message = request(agents, [[agent]], number)
            found = templates.read(message.SerializeToString(), number.to_bytes(8, "little"))
            assert (found is not None) == is_known
            if found is None:
                parse(templates, message)
    for agent in range(1, len(agents)):
        for other in (0, agent // 2, agent // 3):
            templates.template(((agent,), (other,)) if agent != other else ((agent,),))
    assert len(templates._templates) == 2 * len(agents)


def test_agents_of_different_spaces_have_no_template() -> None:
    templates = RoundTemplates(make_agents(spaces.Discrete(2), spaces.Discrete(3)))
    with pytest.raises(MalformedMessage, match="agent_0 and agent_4 ask together"):
        templates.template(((0, 4),))


@pytest.mark.parametrize("space", OTHERS, ids=str)
def test_messages_whose_length_varies_have_no_template(space: spaces.Space[Any]) -> None:
    agents = make_agents(space, space)
    templates = RoundTemplates(agents)
    for number in range(1, 6):
        message = request(agents, [[0, 1]], number)
        assert templates.read(message.SerializeToString(), number.to_bytes(8, "little")) is None
        parse(templates, message)


def test_infos_of_another_shape_are_parsed() -> None:
    agents = make_agents(spaces.Discrete(2), spaces.Discrete(2))
    templates = RoundTemplates(agents)
    said: list[dict[str, Any]] = [
        {"text": "a"},
        {"text": "b"},
        {"real": 1.0},
        {"integer": 1},
        {},
        {"tensor": encode_tensor(np.arange(4.0))},
        {"tensor": encode_tensor(np.arange(4))},
        {"tensor": encode_tensor(np.arange(4.0).reshape(2, 2))},
        {"tensor": encode_tensor(np.arange(4.0).reshape(4, 1))},
        {"tensor": encode_tensor(np.arange(0.0))},
    ]
    for number in range(1, 60):
        message = request(agents, [[0]], number)
        steps = message.step_request.steps[0]
        told = said[number % len(said)]
        if told:
            steps.infos.add(row=0).info.add(key="delay", **told)
        known = templates.read(message.SerializeToString(), number.to_bytes(8, "little"))
        read = parse(templates, message)
        assert (known is not None) == (number > 2 * len(said))
        if known is not None:
            assert exact(known[0].steps) == exact(read.steps)


def test_a_template_needs_fields_of_fixed_size() -> None:
    with pytest.raises(ValueError, match="length"):
        MessageTemplate(lambda filler: bytes([0] * filler), [1])
    with pytest.raises(ValueError, match="neighbours"):
        MessageTemplate(lambda filler: bytes([0, filler, filler]), [1, 1])
    template = MessageTemplate(lambda filler: bytes([7, filler, filler, 8, filler]), [2, 1])
    assert template.fields == ((1, 2), (4, 1))
    assert template.constants == b"\7\10"
    assert template.split(b"\7ab\10c") == (b"\7\10", b"ab", b"c")
    assert template.join(b"xy", memoryview(b"z")) == b"\7xy\10z"
    with pytest.raises(ValueError, match="another length"):
        template.split(b"\7ab\10")
    with pytest.raises(ValueError, match="field 0 has 2 bytes, not 3"):
        template.join(b"xyz", b"z")
    with pytest.raises(ValueError, match="differs from the number of fields"):
        template.join(b"xy")
    with pytest.raises(TypeError):
        template.join("xy", b"z")
