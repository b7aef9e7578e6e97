# SPDX-License-Identifier: GPL-2.0-only
"""Tables and lines about populations, as commands print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.progress import Advance, Wording, not_drawn
from defiance_zoo.experiments.workbench.events import Event

_SHOWN = 16
"""Maximum number of rows and columns of a payoff matrix on a terminal."""


def print_population(known: dict[str, Any]) -> None:
    """Print the result of `describe_population()`."""
    click.echo(
        f"{known['env']}, {known['method']}: generation {known['generation']} of {known['until']}, "
        f"{known['cells']['known']} cells of the payoff table"
    )
    _print_policies(known["policies"])
    if known["matrix"]:
        click.echo()
        _print_matrix(known["matrix"])
    for each in known["history"]:
        for fallback in each["fallbacks"]:
            click.echo(f"generation {each['generation']}: {_fallback(fallback)}")
    click.echo()
    shown = {k: v for k, v in known["figures"].items() if not k.startswith(("elo/", "policies/"))}
    output.print_table(
        ("figure", "value"),
        [(name, output.number(value, 4)) for name, value in shown.items()],
        right=("value",),
    )


def print_exploitability(found: dict[str, Any]) -> None:
    """Print the result of `exploit_population()`."""
    least = output.number(found["nash_conv_lower_bound"], 4)
    click.echo(f"NashConv of generation {found['generation']} is at least {least}")
    keys = ("value", "response", "gain_lower_bound")
    headings = ("role", "value", "best response", "gain, at least")
    rows = [
        (role, *(output.number(each[key], 4) for key in keys))
        for role, each in found["roles"].items()
    ]
    output.print_table(headings, rows, right=headings[1:])


def print_comparison(found: dict[str, Any]) -> None:
    """Print the result of `compare_runs()`."""
    click.echo(
        f"{found['env']}: payoffs of rows against columns, {found['episodes']} episodes each"
    )
    _print_matrix({**found, "rows": found["names"], "columns": found["names"]})
    if found["elo"]:
        ratings = sorted(found["elo"].items(), key=lambda each: -each[1])
        click.echo("Elo: " + ", ".join(f"{name} {value:.0f}" for name, value in ratings))
    if found["transitivity"] is not None:
        click.echo(f"transitivity {found['transitivity']:.3f}")
    if "not_drawn" in found:
        click.echo(found["not_drawn"])


def _print_policies(policies: Sequence[dict[str, Any]]) -> None:
    headings = ("role", "policy", "generation", "joined as", "probability", "steps", "Elo")
    rows = [
        (
            each["role"],
            each["name"],
            str(each["generation"]),
            each["kind"],
            output.number(each["probability"], 3),
            output.number(each["facts"].get("steps"), 0),
            output.number(each["elo"], 0),
        )
        for each in policies
    ]
    output.print_table(headings, rows, right=headings[4:])


def _print_matrix(matrix: dict[str, Any]) -> None:
    """Print payoffs with their intervals, only for the last policies if there are many."""
    rows, columns = matrix["rows"][-_SHOWN:], matrix["columns"][-_SHOWN:]
    lines = []
    for name, means, errors in zip(
        rows, matrix["means"][-_SHOWN:], matrix["standard_errors"][-_SHOWN:], strict=True
    ):
        pairs = zip(means[-_SHOWN:], errors[-_SHOWN:], strict=True)
        lines.append((name, *(_payoff(*pair) for pair in pairs)))
    output.print_table(("row earns", *columns), lines, right=columns)


def _payoff(mean: float | None, error: float | None) -> str:
    return output.number(mean, 3) + (f" ± {error:.2g}" if error else "")


def _fallback(known: dict[str, Any]) -> str:
    return f"solver {known['solver']} failed ({known['message']}); {known['instead']} was used"


def _describe(event: Event) -> str:
    match event["event"]:
        case "started":
            known = event["generation"]
            after = f" after generation {known}" if known >= 0 else ""
            return f"population in {event['population']}: {event['until']} generations{after}"
        case "trained":
            took = output.duration(event["seconds"])
            reason = event["stopped_by"]
            return f"trained {event['policy']}: {event['steps']:,} decisions, {reason}, {took}"
        case "fallback":
            return _fallback(event)
        case "not_drawn":
            return not_drawn(event)
        case "generation":
            found = [
                f"{name.replace('_', ' ')} {output.number(event[name], 4)}"
                for name in ("nash_conv", "response_gain")
                if event[name] is not None
            ]
            left = output.duration(event["remaining_s"])
            return f"generation {event['generation']}: {', '.join(found)}; {left} left"
        case "interrupted":
            where = event["population"]
            known = event["generation"]
            return f"interrupted after generation {known}; defiance-zoo population resume {where}"
        case "finished":
            return f"finished: {event['population']}, {event['reason']}"
        case _:
            return ""


def _advance(event: Event) -> Advance | None:
    match event["event"]:
        case "iteration":
            left = output.duration(event["remaining_s"])
            known = f"return {output.number(event['return'], 3)}  {left} left"
            text = f"{event['policy']}  {known}"
            return Advance(event["steps"], event["until"], "decisions", text)
        case "cell":
            left = output.duration(event["remaining_s"])
            return Advance(event["done"], event["cells"], "cells", f"{left} left")
        case _:
            return None


WORDING = Wording(_describe, _advance)
