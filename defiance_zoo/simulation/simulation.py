# SPDX-License-Identifier: GPL-2.0-only
"""One running simulation: the conversation of one episode."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from google.protobuf.message import DecodeError

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.codec import decode_infos, decode_space, decoder_for, encoder_for
from defiance_zoo.errors import (
    InvalidAction,
    MalformedMessage,
    ParameterError,
    ProtocolError,
    SimulationError,
    SimulationRefused,
    SnapshotRefused,
    VersionMismatch,
)
from defiance_zoo.simulation.events import Agent, AgentEnd, AgentStep, Round
from defiance_zoo.simulation.link import AnyLink
from defiance_zoo.simulation.process import SimulationProcess
from defiance_zoo.simulation.programs import Reaper
from defiance_zoo.simulation.seeding import RngState
from defiance_zoo.simulation.standing import Standing

PROTOCOL = 1
_GRACE_S = 2.0
_Message = TypeVar("_Message")
_Decoded = TypeVar("_Decoded")


class Simulation:
    """A simulation from its `Hello` to its `EpisodeEnd`.

    Attributes:
        agents: Those introduced so far, by name, in the order of introduction.
        rng: Seed and run that the simulation says it uses.
        scenario: What the simulation calls itself.
        parameters: Those in effect, as the simulation wrote them.
    """

    def __init__(
        self,
        link: AnyLink,
        token: bytes,
        process: SimulationProcess | None,
        *,
        timeout_s: float,
        known: dict[tuple[Any, ...], Agent],
    ) -> None:
        """Take over a simulation that was started with `token`.

        Args:
            link: The socket that it connects to, opened for `token`.
            token: Names the episode.
            process: Its process, or None if it was started by hand.
            timeout_s: How long it may take for each message.
            known: Agents of earlier episodes by their description, so that an agent keeps its
                space objects; added to.
        """
        self._link, self._token, self._process = link, token, process
        self._timeout_s = timeout_s
        self._known = known
        self._by_index: list[Agent] = []
        self._index: dict[str, int] = {}
        self._sequence = 0
        self._awaiting_reply = False
        self._leaving = False
        self.agents: dict[str, Agent] = {}

    def greet(self, timeout_s: float | None = None) -> None:
        """Wait for `Hello`.

        Args:
            timeout_s: How long; None for the same time as every other message.

        Raises:
            ParameterError: The scenario refuses its parameters.
            VersionMismatch: It speaks another version of the protocol.
            SimulationError: It said something else, or nothing.
        """
        hello = self._expect("hello", timeout_s)
        if hello.protocol != PROTOCOL:
            message = (
                f"the simulation speaks protocol {hello.protocol}, this package {PROTOCOL}; "
                "rebuild the scenario against this package's defiance library"
            )
            self._refuse(pb.Failure.CODE_VERSION_MISMATCH, message)
            raise VersionMismatch(message)
        if hello.token.encode() != self._token:
            self._refuse(pb.Failure.CODE_WRONG_TOKEN, "this is not the episode's token")
            raise ProtocolError("the simulation gave another episode's token")
        self.rng = RngState(hello.rng_seed, hello.rng_run)
        self.scenario = hello.scenario
        self.parameters = {each.name: each.value for each in hello.parameters}
        self._guard(self._introduce, hello.agents)

    def receive(self) -> Round:
        """Wait for the next round, or for the end of the episode.

        Raises:
            SimulationError: The simulation failed, said something else, or nothing.
        """
        payload = self._receive()
        kind = payload.WhichOneof("payload")
        if kind == "failure":
            raise self._failure(payload.failure)
        if kind == "step_request":
            self._sequence += 1
            return self._guard(self._decode_request, payload.step_request)
        if kind == "episode_end":
            self._leaving = True
            return self._guard(self._decode_end, payload.episode_end)
        raise self._malformed(f"a {kind} message where a step request or the end was due")

    def check(self, agent: str, action: Any) -> pb.DataContainer:
        """Return an action as it will be sent.

        Raises:
            InvalidAction: It is not in the agent's action space.
        """
        spec = self.agents[agent]
        try:
            return spec.encode_action(action)
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidAction(
                f"the action of {agent} is not in {spec.action_space}: {error}"
            ) from error

    def step(self, actions: Mapping[str, pb.DataContainer]) -> None:
        """Answer a round with one checked action for each agent of it."""
        reply = pb.StepReply(sequence=self._sequence, command=pb.COMMAND_STEP)
        for agent, action in actions.items():
            reply.actions.add(agent=self._index[agent], action=action)
        self._reply(reply)

    def truncate(self) -> Round:
        """Answer a round by ending the episode at this instant, and return its end.

        Raises:
            SimulationError: The simulation failed, said something else, or nothing.
        """
        self._reply(pb.StepReply(sequence=self._sequence, command=pb.COMMAND_TRUNCATE))
        end = self.receive()
        if not end.over:
            raise self._malformed("a step request where the end of a truncated episode was due")
        return end

    @property
    def reaper(self) -> Reaper | None:
        """Who learns how its process ends; None if it was started by hand."""
        return self._process.reaper if self._process is not None else None

    @property
    def standing(self) -> Standing:
        """Where it stands while a round waits for its answer."""
        agents = tuple(self._by_index)
        return Standing(agents, self._sequence, self.rng, self.scenario, self.parameters)

    def snapshot(self, address: str) -> None:
        """Have the simulation make a copy of itself; the round still waits for its answer.

        Args:
            address: Path of a Unix socket, at which the copy has connected on return.

        Raises:
            SnapshotRefused: It cannot be copied.
            SimulationError: The simulation failed, said something else, or nothing.
        """
        command = pb.COMMAND_SNAPSHOT
        self._reply(
            pb.StepReply(sequence=self._sequence, command=command, snapshot_address=address)
        )
        refusal = self._await_resumed()
        if refusal:
            raise SnapshotRefused(f"this simulation cannot be copied: {refusal}")

    def resume(self, standing: Standing) -> None:
        """Wait for the first message of a simulation that was restored, instead of `greet()`.

        Args:
            standing: Where the simulation stood that it is a copy of.

        Raises:
            SimulationError: It said something else, or nothing.
        """
        self.rng, self.scenario = standing.rng, standing.scenario
        self.parameters = dict(standing.parameters)
        self._sequence = standing.sequence
        for agent in standing.agents:
            self._add(agent)
        self._await_resumed()

    def close(self, *, at_once: bool = False) -> None:
        """End the simulation, wherever it is; may be called again.

        Args:
            at_once: Do not let it end in order, with what its program does then.
        """
        if self._awaiting_reply and not at_once:
            self._leaving = True
            with contextlib.suppress(SimulationError):  # it may have left already
                self._reply(pb.StepReply(sequence=self._sequence, command=pb.COMMAND_STOP))
        self._link.forget(self._token)
        if self._process is not None:
            self._process.close(_GRACE_S if self._leaving else 0.0)

    # ------------------------------------------------------------------ messages

    def _reply(self, reply: pb.StepReply) -> None:
        self._awaiting_reply = False
        message = pb.PythonMessage(step_reply=reply)
        self._link.send(self._token, self._process, message.SerializeToString())

    def _receive(self, timeout_s: float | None = None) -> pb.SimulationMessage:
        frame = self._link.receive(self._token, self._process, timeout_s or self._timeout_s)
        try:
            return pb.SimulationMessage.FromString(frame)
        except DecodeError as error:
            raise self._malformed(f"{len(frame)} bytes that are no message: {error}") from None

    def _expect(self, kind: str, timeout_s: float | None) -> Any:
        payload = self._receive(timeout_s)
        said = payload.WhichOneof("payload")
        if said == "failure":
            raise self._failure(payload.failure)
        if said != kind:
            raise self._malformed(f"a {said} message where {kind} was due")
        return getattr(payload, kind)

    def _await_resumed(self) -> str:
        """Wait until the round waits for its answer again; return why there is no copy, if so."""
        resumed = self._expect("resumed", None)
        if resumed.token.encode() != self._token:
            raise self._malformed("the token of another episode")
        self._awaiting_reply = True
        refusal: str = resumed.refusal
        return refusal

    def _failure(self, failure: pb.Failure) -> Exception:
        self._leaving = True
        if failure.code == pb.Failure.CODE_INVALID_PARAMETER:
            return ParameterError(failure.message)
        code = pb.Failure.Code.Name(failure.code).removeprefix("CODE_").lower().replace("_", " ")
        return SimulationRefused(
            f"the simulation gave up ({code}): {failure.message}", last_words=self._last_words()
        )

    def _malformed(self, what: str) -> MalformedMessage:
        self._refuse(pb.Failure.CODE_MALFORMED_MESSAGE, what)
        return MalformedMessage(
            f"the simulation sent what it may not: {what}", last_words=self._last_words()
        )

    def _refuse(self, code: pb.Failure.Code, message: str) -> None:
        failure = pb.PythonMessage(failure=pb.Failure(code=code, message=message))
        self._awaiting_reply = False
        self._leaving = True
        with contextlib.suppress(SimulationError):  # it may have left already
            self._link.send(self._token, self._process, failure.SerializeToString())

    def _last_words(self) -> str:
        if self._process is None:
            return ""
        self._process.read_output()
        return self._process.last_words()

    def _guard(self, decode: Callable[[_Message], _Decoded], message: _Message) -> _Decoded:
        """Decode part of a message; what is wrong with it is told to the simulation as well."""
        try:
            return decode(message)
        except MalformedMessage as error:
            raise self._malformed(str(error)) from error

    # ------------------------------------------------------------------ decoding

    def _introduce(self, specs: Iterable[pb.AgentSpec]) -> tuple[str, ...]:
        names = []
        for spec in specs:
            if spec.index != len(self._by_index) or spec.agent in self.agents:
                raise MalformedMessage(f"agent {spec.agent!r} introduced out of turn")
            description = (spec.agent, *map(_bytes, (spec.observation_space, spec.action_space)))
            agent = self._known.get(description)
            if agent is None:
                agent = self._known[description] = _decode_agent(spec)
            self._add(agent)
            names.append(agent.name)
        return tuple(names)

    def _add(self, agent: Agent) -> None:
        self._index[agent.name] = len(self._by_index)
        self._by_index.append(agent)
        self.agents[agent.name] = agent

    def _agent(self, index: int) -> Agent:
        if index >= len(self._by_index):
            raise MalformedMessage(f"agent number {index}, which was never introduced")
        return self._by_index[index]

    def _observation(self, agent: Agent, container: pb.DataContainer) -> Any:
        try:
            return agent.decode_observation(container)
        except MalformedMessage as error:
            raise MalformedMessage(f"as observation of {agent.name} {error}") from error

    def _decode_request(self, request: pb.StepRequest) -> Round:
        if request.sequence != self._sequence:
            raise MalformedMessage(f"request {request.sequence} where {self._sequence} was due")
        joined = self._introduce(request.joined)
        if not request.steps:
            raise MalformedMessage("a step request of no agent")
        self._awaiting_reply = True
        return Round(
            time_ns=request.sim_time_ns,
            joined=joined,
            ended=tuple(self._decode_agent_end(end) for end in request.ended),
            steps=tuple(self._decode_step(step) for step in request.steps),
            over=False,
        )

    def _decode_step(self, step: pb.AgentStep) -> AgentStep:
        agent = self._agent(step.agent)
        observation = self._observation(agent, step.observation)
        return AgentStep(agent.name, observation, step.reward, decode_infos(step.info))

    def _decode_agent_end(self, end: pb.AgentEnd) -> AgentEnd:
        agent = self._agent(end.agent)
        if end.terminated == end.truncated:
            raise MalformedMessage(f"{agent.name} ended neither or both ways")
        observation = (
            self._observation(agent, end.observation) if end.HasField("observation") else None
        )
        return AgentEnd(agent.name, observation, end.reward, end.terminated, decode_infos(end.info))

    def _decode_end(self, end: pb.EpisodeEnd) -> Round:
        joined = self._introduce(end.joined)
        return Round(
            time_ns=end.sim_time_ns,
            joined=joined,
            ended=tuple(self._decode_agent_end(each) for each in end.ended),
            steps=(),
            over=True,
        )


def _bytes(space: pb.Space) -> bytes:
    return space.SerializeToString(deterministic=True)


def _decode_agent(spec: pb.AgentSpec) -> Agent:
    observation_space = decode_space(spec.observation_space)
    action_space = decode_space(spec.action_space)
    return Agent(
        name=spec.agent,
        observation_space=observation_space,
        action_space=action_space,
        decode_observation=decoder_for(observation_space),
        encode_action=encoder_for(action_space),
    )
