# SPDX-License-Identifier: GPL-2.0-only
"""The scenario of a protocol in Python: its parameters, and a rehearsal before anything starts."""

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
    """A test of a protocol, of which a file has one.

    It has the parameters of `partition_v0` that are of no protocol, and those that `parameter()`
    declares, which protocol and replicas find in `p`.
    """

    def __init__(self, protocol: type[Protocol], name: str | None = None) -> None:
        """Declare the test of a protocol.

        Args:
            protocol: Its class.
            name: Name of the scenario; None: the name of the class, in lower_snake_case.

        Raises:
            TypeError: The class lacks something, or has something of another type.
            ValueError: Its fields, painter or traffic cannot be as they are.
        """
        check_protocol(protocol)
        super().__init__(name or snake_case(protocol.__name__))
        self._binding = Binding(self.name, protocol)

    def _declared(self) -> Any:
        """Return the run of this process, whose parameters are declared."""
        run = core.Simulation(self.name)
        defaults = {name: each["value"] for name, each in self._parameters.items()}
        if "--describe" in sys.argv:  # a process that plays nothing, so that nothing is left over
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
