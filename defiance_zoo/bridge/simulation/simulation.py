# SPDX-License-Identifier: GPL-2.0-only
"""A running simulation: the conversation of one episode."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from google.protobuf.message import DecodeError

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.messages.agent_roster import AgentCache, AgentRoster
from defiance_zoo.bridge.messages.communication_reports import (
    CommunicationReport,
    read_communication,
)
from defiance_zoo.bridge.messages.fragments import Fragment
from defiance_zoo.bridge.messages.request_reader import (
    read_end,
    read_failure,
    read_parameters,
    read_request,
    warn_author,
    warn_of_idleness,
)
from defiance_zoo.bridge.messages.rounds import Agent, Round, Turn, find_fault, find_reward_fault
from defiance_zoo.bridge.messages.templates import RoundTemplate
from defiance_zoo.bridge.messages.transfer_reports import Transfer
from defiance_zoo.bridge.process.programs import Reaper
from defiance_zoo.bridge.process.simulation_process import SimulationProcess
from defiance_zoo.bridge.simulation.seeding import RngState
from defiance_zoo.bridge.simulation.settings import CheckBounds
from defiance_zoo.bridge.system.caller_warnings import warn_caller
from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.bridge.transport.step_link import Conversation, StepLink
from defiance_zoo.errors import (
    InvalidObservation,
    InvalidReward,
    LateRewardWarning,
    MalformedMessage,
    ProtocolError,
    SimulationCrashed,
    SimulationError,
    SnapshotRefused,
    VersionMismatch,
)


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The messages that a simulation does not repeat when it is restored.

    Attributes:
        agents: Agents introduced so far, in the order of introduction.
        ended: Numbers of agents that have ended.
        asked: Numbers of the deciding agents, by group.
        sequence: Number of the request that waits for its reply.
        time_ns: Simulated time in nanoseconds.
        rng: Seed and run.
        scenario: Name of the scenario, as the simulation reports it.
        parameters: Parameters in effect.
    """

    agents: tuple[Agent, ...]
    ended: frozenset[int]
    asked: tuple[tuple[int, ...], ...]
    sequence: int
    time_ns: int
    rng: RngState
    scenario: str
    parameters: Mapping[str, str]


PROTOCOL = 2
_GRACE_S = 2.0
_NUMBER_BYTES = 8
_CHECK_EVERY = 64
_Message = TypeVar("_Message")
_Decoded = TypeVar("_Decoded")


class Simulation:
    """A simulation from its `Hello` to its `EpisodeEnd`."""

    def __init__(
        self,
        link: StepLink,
        token: bytes,
        process: SimulationProcess | None,
        *,
        timeout_s: float,
        agent_cache: AgentCache,
        check_bounds: CheckBounds = "auto",
    ) -> None:
        self._link, self._process = link, process
        self.token = token
        self.conversation: Conversation = (token, process)
        self._timeout_s = timeout_s
        self._roster = AgentRoster(agent_cache)
        self._check_every = 1 if check_bounds == "always" else _CHECK_EVERY
        self._next_check = math.inf if check_bounds == "never" else 0
        self.template: RoundTemplate | None = None
        self.turn = Turn()
        self._fragment_rounds = 0
        self._leaving = False
        self._left_at = math.inf

    @property
    def agents(self) -> dict[str, Agent]:
        """Agents introduced so far, by name, in the order of introduction."""
        return self._roster.agents

    def greet(self, timeout_s: float | None = None) -> None:
        """Wait for `Hello`, at most for a time in seconds; None: the limit of each message."""
        try:
            hello = self._expect("hello", timeout_s)
        except SimulationCrashed as error:
            if self._process is not None and self._process.ended_orderly():
                raise SimulationCrashed(
                    "the simulation ended without asking for a decision: it has no agent, or its "
                    "time ends before an agent calls InferAction(), NotifyCurrentState(), "
                    "RequestAction() or Notify()",
                    last_words=error.last_words,
                ) from error
            raise
        if hello.protocol != PROTOCOL:
            message = (
                f"the simulation uses protocol {hello.protocol}, but this package uses {PROTOCOL}; "
                "rebuild the scenario against this package's defiance library"
            )
            self._refuse(pb.Failure.CODE_VERSION_MISMATCH, message)
            raise VersionMismatch(message)
        if hello.token.encode() != self.token:
            self._refuse(pb.Failure.CODE_WRONG_TOKEN, "this token is not the episode's")
            raise ProtocolError("the simulation gave another episode's token")
        self.rng = RngState(hello.rng_seed, hello.rng_run)
        self.scenario = hello.scenario
        self.parameters = self._guard(read_parameters, hello)
        self._guard(self._roster.introduce, hello.agents)
        warn_author(self.scenario, hello.warnings)

    def receive(self, timeout_s: float | None = None) -> Round:
        """Wait for the next round, or for the end of the episode.

        Args:
            timeout_s: Time limit in seconds; None: the limit of each message.

        Warns:
            DeadWiringWarning: The scenario lacks a connection.
            LateRewardWarning: An agent got rewards after its end.
            NobodyDecided: The episode ended without any decision.
        """
        self.turn.take_back()
        timeout_s = timeout_s or self._timeout_s
        return self._read(self._link.receive(self.token, self._process, timeout_s))

    def _read(self, frame: bytes) -> Round:
        if self._fragment_rounds:
            return self._receive_news(frame)
        turn = self.turn
        number = (turn.sequence + 1).to_bytes(_NUMBER_BYTES, "little")
        known = self._roster.templates.read(frame, number, turn.time_ns)
        # Other messages are parsed, which raises an error for invalid ones.
        if known is not None and (not self._roster.ended or self._roster.can_ask(known[1])):
            turn.sequence += 1
            turn.awaits_reply = True
            received, self.template = known
            turn.time_ns = received.time_ns
            if turn.sequence >= self._next_check:
                self._check_rewards(received)
                self._check_bounds(received)
            return received
        return self._receive_news(frame)

    def _receive_news(self, frame: bytes) -> Round:
        payload = self._parse(frame)
        rounds, self._fragment_rounds = self._fragment_rounds, 0
        kind = payload.WhichOneof("payload")
        if kind == "failure":
            raise self._failure(payload.failure)
        if kind == "step_request":
            self.turn.sequence += 1
            request = payload.step_request
            received = self._guard(lambda each: self._take(each, frame, rounds), request)
            self._check_rewards(received)
            if self.turn.sequence >= self._next_check:
                self._check_bounds(received)
            return received
        if kind == "episode_end":
            self._leaving = True
            end, since_ns = payload.episode_end, self.turn.time_ns
            last = self._guard(lambda it: read_end(it, self._roster, since_ns, rounds), end)
            self._check_rewards(last)
            self._warn_of_late_rewards(last)
            warn_author(self.scenario, end.warnings)
            violated = any(each.info.get("violations") for each in last.ended)  # says it all
            if self.agents and not self.turn.sequence and not violated:
                warn_of_idleness(self.scenario, last, end.warnings)
            return last
        raise self._malformed(f"a {kind} message where a step request or the end was due")

    def _take(self, request: pb.StepRequest, frame: bytes, rounds: int) -> Round:
        turn = self.turn
        if request.sequence != turn.sequence:
            raise MalformedMessage(f"request {request.sequence} where {turn.sequence} was due")
        received, self.template = read_request(request, frame, self._roster, turn.time_ns, rounds)
        turn.time_ns = received.time_ns
        turn.awaits_reply = True
        return received

    def _check_bounds(self, received: Round) -> None:
        """Compare the observations of a round with the bounds of their spaces."""
        self._next_check = self.turn.sequence + self._check_every
        fault = find_fault(received)
        if fault is not None:
            self._refuse(pb.Failure.CODE_INVALID_OBSERVATION, fault)
            raise InvalidObservation(fault, last_words=self._last_words())

    def _check_rewards(self, received: Round) -> None:
        """Refuse a reward that is not a finite number."""
        fault = find_reward_fault(received)
        if fault is not None:
            self._refuse(pb.Failure.CODE_INVALID_REWARD, fault)
            raise InvalidReward(fault, last_words=self._last_words())

    @staticmethod
    def _warn_of_late_rewards(last: Round) -> None:
        if last.late_rewards:
            warn_caller(
                f"{', '.join(last.late_rewards)} got rewards after the end, which do not count: "
                "send a reward before its agent ends, or let the agent end later",
                LateRewardWarning,
            )

    def step(self, actions: list[Buffer], orders: Sequence[Transfer] = ()) -> None:
        """Answer a round; `orders` are transfers that begin now.

        `actions`: buffers of a stack of actions for each deciding group, one group after the other.
        """
        self._link.send(self.token, self._process, self._answer(actions, orders))

    def play(self, actions: list[Buffer], orders: Sequence[Transfer] = ()) -> Round:
        """Do `step()` and `receive()` in one call."""
        reply = self._answer(actions, orders)
        return self._read(self._link.exchange(self.token, self._process, reply, self._timeout_s))

    def play_fragment(self, fragment: Fragment) -> None:
        """Answer a round by ordering a fragment: a policy decides in this round and the next ones.

        The next round of `receive()` has a trajectory. The fragment has noise for the agents so
        far, and ends before a round with other agents.
        """
        self._fragment_rounds = len(fragment.noise)
        reply = pb.StepReply(sequence=self.turn.sequence, command=pb.COMMAND_PLAY)
        fragment.write(reply)
        self._reply(reply)

    def truncate(self) -> Round:
        """Answer a round by ending the episode at this instant, and return its end."""
        self._reply(pb.StepReply(sequence=self.turn.sequence, command=pb.COMMAND_TRUNCATE))
        end = self.receive()
        if not end.over:
            raise self._malformed("a step request where the end of a truncated episode was due")
        return end

    @property
    def reaper(self) -> Reaper | None:
        """The source of the simulation's exit status; None if it was started by hand."""
        return self._process.reaper if self._process is not None else None

    @property
    def state(self) -> ConversationState:
        """The state of the conversation while a round waits for its answer."""
        assert self.template is not None
        agents, ended = tuple(self._roster.agents.values()), frozenset(self._roster.ended)
        where = (self.template.key, self.turn.sequence, self.turn.time_ns)
        return ConversationState(agents, ended, *where, self.rng, self.scenario, self.parameters)

    def snapshot(self, address: str) -> None:
        """Let the simulation copy itself; the round still waits for its answer.

        On return, the copy has connected to the Unix socket at `address`.
        """
        command = pb.COMMAND_SNAPSHOT
        self._reply(
            pb.StepReply(sequence=self.turn.sequence, command=command, snapshot_address=address)
        )
        refusal = self._await_resumed()
        if refusal:
            raise SnapshotRefused(f"this simulation cannot be copied: {refusal}")

    @property
    def awaits_reply(self) -> bool:
        """Whether a round waits for its answer."""
        return self.turn.awaits_reply

    def communication_report(self) -> CommunicationReport:
        """Return the communication report; the round still waits for its answer."""
        self._reply(pb.StepReply(sequence=self.turn.sequence, command=pb.COMMAND_REPORT))
        report = read_communication(self._expect("communication_report", None))
        self.turn.awaits_reply = True
        return report

    def resume(self, state: ConversationState) -> None:
        """Wait for the first message of a copy of a simulation, which had this state.

        This method replaces `greet()`.
        """
        self.rng, self.scenario = state.rng, state.scenario
        self.parameters = dict(state.parameters)
        self.turn = Turn(state.sequence, state.time_ns)
        self._roster.admit(state.agents, state.ended)
        self.template = self._roster.templates.template(state.asked)
        self._await_resumed()

    def leave(self) -> tuple[int, int] | None:
        """Ask the simulation to end, without waiting.

        The process's pidfd and output descriptor are returned, valid until they are closed; None if
        it was started by hand.
        """
        if self.turn.awaits_reply:
            self._leaving = True
            self._left_at = running_time()
            with contextlib.suppress(SimulationError):  # it may have disconnected
                self._reply(pb.StepReply(sequence=self.turn.sequence, command=pb.COMMAND_STOP))
        process = self._process
        return (process.exit_fd, process.output_fd) if process is not None else None

    def close(self, *, at_once: bool = False) -> None:
        """End the simulation at any point; may be called again.

        `at_once`: kill it without waiting for its program to finish.
        """
        if not at_once:
            self.leave()
        self._link.forget(self.token)
        if self._process is not None:
            waited_s = max(running_time() - self._left_at, 0.0)
            self._process.close(max(_GRACE_S - waited_s, 0.0) if self._leaving else 0.0)

    # ------------------------------------------------------------------ messages

    def _answer(self, actions: list[Buffer], orders: Sequence[Transfer]) -> bytes:
        assert self.template is not None
        self.turn.take_back()
        self.turn.awaits_reply = False
        number = self.turn.sequence.to_bytes(_NUMBER_BYTES, "little")
        return self.template.answer(number, actions, orders)

    def _reply(self, reply: pb.StepReply) -> None:
        self.turn.take_back()
        self.turn.awaits_reply = False
        message = pb.PythonMessage(step_reply=reply).SerializeToString()
        self._link.send(self.token, self._process, message)

    def _parse(self, frame: bytes) -> pb.SimulationMessage:
        try:
            return pb.SimulationMessage.FromString(frame)
        except DecodeError as error:
            raise self._malformed(f"{len(frame)} bytes that are not a message: {error}") from None

    def _expect(self, kind: str, timeout_s: float | None) -> Any:
        timeout_s = timeout_s or self._timeout_s
        payload = self._parse(self._link.receive(self.token, self._process, timeout_s))
        received_kind = payload.WhichOneof("payload")
        if received_kind == "failure":
            raise self._failure(payload.failure)
        if received_kind != kind:
            raise self._malformed(f"a {received_kind} message where {kind} was due")
        return getattr(payload, kind)

    def _await_resumed(self) -> str:
        """Wait until the round waits for its answer again; return the reason for a missing copy."""
        resumed = self._expect("resumed", None)
        if resumed.token.encode() != self.token:
            raise self._malformed("the token of another episode")
        self.turn.awaits_reply = True
        refusal: str = resumed.refusal
        return refusal

    def _failure(self, failure: pb.Failure) -> Exception:
        self._leaving = True
        return read_failure(failure, self._last_words())

    def _malformed(self, what: str) -> MalformedMessage:
        self._refuse(pb.Failure.CODE_MALFORMED_MESSAGE, what)
        return MalformedMessage(
            f"the simulation sent an invalid message: {what}", last_words=self._last_words()
        )

    def _refuse(self, code: pb.Failure.Code, message: str) -> None:
        failure = pb.PythonMessage(failure=pb.Failure(code=code, message=message))
        self.turn.take_back()
        self.turn.awaits_reply = False
        self._leaving = True
        with contextlib.suppress(SimulationError):  # it may have disconnected
            self._link.send(self.token, self._process, failure.SerializeToString())

    def _last_words(self) -> str:
        if self._process is None:
            return ""
        self._process.read_output()
        return self._process.last_words()

    def _guard(self, decode: Callable[[_Message], _Decoded], message: _Message) -> _Decoded:
        """Decode part of a message; a fault is reported to the simulation as well."""
        try:
            return decode(message)
        except MalformedMessage as error:
            raise self._malformed(str(error)) from error
