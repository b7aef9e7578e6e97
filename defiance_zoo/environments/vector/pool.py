# SPDX-License-Identifier: GPL-2.0-only
"""Several simulations side by side, over one link."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from defiance_zoo.bridge.process.simulation_process import silence
from defiance_zoo.bridge.simulation import (
    Conversation,
    LaunchSettings,
    Scenario,
    StepLink,
    not_for_forks,
)
from defiance_zoo.bridge.system.plain_values import plain_seed, plain_value, whole_number
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.rendering.renderer import Renderer, open_pictures
from defiance_zoo.environments.shared_methods import CopiedByArguments
from defiance_zoo.errors import ClosedEnvironment, InheritedEpisode, ParameterError


class SimulationPool(CopiedByArguments):
    """Episodes of one scenario, played side by side in separate processes.

    All share one socket, or one set of pipes. Nothing is pickled, and Python starts no processes or
    threads besides the simulations.
    """

    def __init__(
        self,
        count: int,
        scenario: Scenario,
        parameters: Mapping[str, Any],
        *,
        settings: LaunchSettings,
        renderer: Renderer | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make episodes, with other options of `Episodes`; no simulation starts."""
        count = whole_number("num_envs", count)
        if settings.launch == "attach":
            raise ParameterError("simulations of a vector environment cannot be attached")
        if render_mode == "human":
            raise ParameterError(
                "render_mode='human' shows one simulation: give a vector 'ansi' or another mode, "
                "and show the frames of render()"
            )
        self.renderer, self.render_mode = renderer or Renderer(), render_mode
        self._note_arguments(
            count,
            scenario,
            parameters,
            settings=settings,
            renderer=renderer,
            render_mode=render_mode,
            **options,
        )
        self._settings, self._timeout_s = settings, settings.timeout_s
        self._inherited = False
        self.link = settings.open_link(many=count > 1)
        not_for_forks(self)
        self.episodes: list[Episodes] = []
        # Also runs at garbage collection and interpreter exit, simulations before their link.
        self._finalizer = weakref.finalize(self, _close, self.episodes, self.link)
        try:
            for number in range(1, count + 1):
                self.episodes.append(
                    Episodes(
                        scenario,
                        parameters,
                        settings=replace(settings, number=number),
                        link=self.link,
                        render_mode=render_mode,
                        watcher=open_pictures(render_mode, self.renderer),
                        **options,
                    )
                )
        except BaseException:
            self.close()
            raise

    def disown(self) -> None:
        """See `ProcessBound`; only `take_over()` continues from here."""
        self._inherited = True

    def take_over(self, members: Sequence[int]) -> None:
        """Prepare for new simulations of this process, also if it is a fork."""
        if not self._inherited or not self._finalizer.alive:
            return
        if len(members) < len(self.episodes):
            self.require_own()
        self.link = self._settings.open_link(many=len(self.episodes) > 1)
        for each in self.episodes:
            each.launcher.share(self.link)
        self._finalizer.detach()
        self._finalizer = weakref.finalize(self, _close, self.episodes, self.link)
        self._inherited = False

    def require_own(self) -> None:
        """Refuse to continue with episodes that another process plays."""
        if self._inherited:
            raise InheritedEpisode(
                "the parent process plays these episodes: call reset() of all simulations to begin "
                "episodes in this process"
            )

    def leave(self, members: Iterable[int]) -> None:
        """Ask some simulations to end, side by side, without waiting."""
        for member in members:
            self.episodes[member].leave()

    def batch(self) -> AbstractContextManager[None]:
        """Return a context in which answers to several simulations are sent at once."""
        return self.link.batch()

    def gather(self, members: Sequence[int]) -> None:
        """Sleep until each of several simulations has a round to collect.

        It may return earlier if a simulation takes too long or has ended.
        """
        self.link.gather(self._conversations(members), self._timeout_s)

    def wait(self, members: Sequence[int]) -> list[int]:
        """Wait until some of several simulations have a round to collect."""
        ready = self.link.wait(self._conversations(members), self._timeout_s)
        if not ready:
            process = self._conversations(members[:1])[0][1]
            what = f"none of the simulations {list(members)} sent anything in {self._timeout_s:g} s"
            raise silence(process, f"{what}, such as number {members[0]}")
        return [members[place] for place in ready]

    def _conversations(self, members: Sequence[int]) -> list[Conversation]:
        expected = [self.episodes[member].launcher.expected for member in members]
        return [each.conversation for each in expected if each is not None]

    def require_open(self) -> None:
        """Refuse to continue after `close()`, and in forks of this process."""
        if not self._finalizer.alive:
            raise ClosedEnvironment("this environment was closed: make a new one")
        self.require_own()

    def close(self) -> None:
        """End all simulations and release everything; may be called again."""
        self._finalizer()


def _close(episodes: list[Episodes], link: StepLink) -> None:
    with contextlib.ExitStack() as stack:  # all are closed, even if one of them raises
        stack.callback(link.close)
        for each in episodes:
            stack.callback(each.close)
        for each in episodes:
            stack.callback(each.leave)


def seeds_of(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Return a seed for each simulation, as Gymnasium's vector environments do.

    A number is the first one's, and its successors are the others'.
    """
    if seed is None:
        return [None] * count
    plain = plain_value(seed)
    if not isinstance(plain, list | tuple):
        first = whole_number("seed", plain, 0)
        return [first + number for number in range(count)]
    if len(plain) != count:
        raise ParameterError(f"{len(plain)} seeds for {count} simulations")
    return [plain_seed(each) for each in plain]
