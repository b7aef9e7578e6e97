# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo info`: agents, spaces, parameters and roles of an environment."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import Any

import click
from gymnasium import spaces

from defiance_zoo.bridge.codec import Space, element_names
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import (
    env_argument,
    json_option,
    parameter_option,
    read_parameters,
)
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.experiments.evaluation import RandomPolicy, policy_makers

_DECISIONS = 50  # played to observe the connections


@click.command
@env_argument
@parameter_option
@json_option
@quiet_option
def command(env: str, parameters: tuple[str, ...], as_json: bool) -> None:
    """Show agents, spaces, parameters and roles of the environment ENV.

    A simulation with the given parameters reports agents, spaces and roles.
    """
    with waiting(f"starting {env}"):
        facts = _facts(lookup(env), parameters)
    output.show(facts, as_json, _print)


def _facts(spec: EnvironmentSpec, assignments: tuple[str, ...]) -> dict[str, Any]:
    arguments = read_parameters(assignments, spec)
    program = spec.scenario.locate()
    declared = describe(program) if spec.scenario.describes_itself else None
    env = spec.raw_env(**{"communication_infos": declared is not None, **arguments})
    with contextlib.closing(env):
        agents = [
            {
                "name": agent,
                "observations": _write_space(env.observation_space(agent)),
                "actions": _write_space(env.action_space(agent)),
            }
            for agent in env.possible_agents
        ]
        roles = _roles(env)
    return {
        "env": spec.name,
        "program": str(program),
        "ns3": declared.ns3_version if declared else None,
        "agents": agents,
        "roles": roles,
        "baselines": list(policy_makers(spec)),
        "parameters": [
            {
                **asdict(each),
                "type": each.type.value,
                "value": {**spec.scenario.defaults, **arguments}.get(each.name, each.default),
            }
            for each in (declared.parameters.values() if declared else ())
        ],
    }


def _write_space(space: Space) -> str:
    """Return a space as text, with the names of its elements."""
    if isinstance(space, spaces.Dict):
        return f"Dict({', '.join(f'{k!r}: {_write_space(e)}' for k, e in space.spaces.items())})"
    names = element_names(space)
    return f"{space}: {', '.join(names)}" if names else str(space)


def _roles(env: SimulationAECEnv) -> list[dict[str, str]]:
    """Return the connections that applications use in the first decisions."""
    policy = RandomPolicy(env.action_space, 0)
    env.reset(seed=0)
    seen: dict[tuple[str, str, str], None] = {}
    for _ in range(_DECISIONS):
        if not env.agents:
            break
        agent = env.agent_selection
        observation, _, terminated, truncated, info = env.last()
        for key in info:
            word, *rest = key.split("/")
            if word == "communication":
                seen[rest[0], rest[1], rest[2]] = None
        over = terminated or truncated
        env.step(None if over else policy.act(agent, observation, info))
    return [{"from": a, "sends": kind, "to": b} for a, b, kind in sorted(seen)]


def _print(facts: dict[str, Any]) -> None:
    ns3 = f"ns-3 {facts['ns3']}, " if facts["ns3"] else ""
    click.echo(f"{facts['env']}: {ns3}{facts['program']}")
    click.echo(f"baselines: {', '.join(facts['baselines'])}\n")
    agents = [(a["name"], a["observations"], a["actions"]) for a in facts["agents"]]
    output.print_table(("agent", "observations", "actions"), agents)
    click.echo()
    if facts["roles"]:
        roles = [(r["from"], r["sends"], r["to"]) for r in facts["roles"]]
        output.print_table(("application", "sends", "to"), roles)
        click.echo()
    rows = [
        (
            p["name"],
            _allowed(p) + ("; per agent" if p["per_agent"] else ""),
            p["default"],
            "" if p["value"] == p["default"] else str(p["value"]),
            p["help"],
        )
        for p in facts["parameters"]
    ]
    if rows:
        output.print_table(("parameter", "allowed", "default", "chosen", "meaning"), rows)
    else:
        click.echo("The program does not declare its parameters.")


def _allowed(parameter: dict[str, Any]) -> str:
    if parameter["choices"]:
        return ", ".join(parameter["choices"])
    low, high = parameter["minimum"], parameter["maximum"]
    if low is None and high is None:
        return str(parameter["type"])
    if high is None:
        return f"{parameter['type']}, from {low}"
    return f"{parameter['type']}, {'' if low is None else f'from {low} '}to {high}"
