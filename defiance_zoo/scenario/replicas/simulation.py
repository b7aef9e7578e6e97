# SPDX-License-Identifier: GPL-2.0-only
"""The scenario of a protocol in Python: its parameters, and a rehearsal at loading."""

from __future__ import annotations

import sys
from typing import Any

from defiance_zoo.bridge.system.spelling import snake_case
from defiance_zoo.scenario import simulation
from defiance_zoo.scenario.native import core, load
from defiance_zoo.scenario.replicas.binding import Binding
from defiance_zoo.scenario.replicas.checks import check_protocol
from defiance_zoo.scenario.replicas.protocol import Protocol
from defiance_zoo.scenario.replicas.rehearsal import rehearse
from defiance_zoo.scenario.replicas.stage import begin_play


class Simulation(simulation.Simulation):
    """A test of a protocol; a file has one.

    It has the parameters of `partition_v0` that do not depend on the protocol, and those of
    `parameter()`; protocol and replicas have them as `p`.
    """

    def __init__(self, protocol: type[Protocol], name: str | None = None) -> None:
        """Declare the test of a protocol.

        Args:
            protocol: Class of the protocol.
            name: Name of the scenario; None: the name of the class, in lower_snake_case.

        Raises:
            TypeError: An attribute or method of the class is missing, or has another type.
            ValueError: Fields, painter or traffic of the class are invalid.
        """
        check_protocol(protocol)
        super().__init__(name or snake_case(protocol.__name__))
        self._binding = Binding(self.name, protocol)

    def _declared(self) -> Any:
        """Return the run of this process, whose parameters are declared."""
        run = core.Simulation(self.name)
        defaults = {name: each["value"] for name, each in self._parameters.items()}
        if "--describe" in sys.argv:  # in a process without an episode
            rehearse(Binding(self.name, self._binding.protocol), simulation.Parameters(defaults))
        self._declare_parameters(run)
        run.deploy_environment(load("_scripting_replicas").environment(self._binding))
        run.add_warm_up(simulation.freeze)
        return run

    def _play(self, run: Any, values: dict[str, Any]) -> int:
        """Play an episode, and return the exit status."""
        begin_play()
        self._binding.p = simulation.Parameters(values)
        return int(run.run_deployed())
