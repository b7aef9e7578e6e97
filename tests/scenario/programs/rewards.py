# SPDX-License-Identifier: GPL-2.0-only
"""Rewards that are not numbers, late, or sent at the end: selected by the parameter `case`."""

import math

import defiance_zoo.scenario as sc

sim = sc.Simulation("rewards", duration="30ms")
sim.parameter("case", "none", choices=(
    "none", "sent", "sent_inf", "sent_dict", "sampled", "delayed_sum", "set", "added", "hook",
    "after_end", "with_stop", "before_decision", "early", "at_once", "never_set_up",
))  # fmt: skip


def make(node):
    """Make an agent that decides every 10 ms, and its reward application."""
    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="10ms")
    agent.observe(lambda: [1])
    rewarder = sc.Reward(node)
    sc.connect(rewarder, agent)
    return agent, rewarder


def overflow(rewarder):
    rewarder.send(1e308)
    rewarder.send(1e308)


def terminate_and_reward(agent, rewarder):
    agent.terminate()
    rewarder.send(5)


@sim.episode
def build(p):
    one, two = sc.nodes(2)
    agent, rewarder = make(one)
    match p.case:
        case "sent":
            sc.at("15ms", lambda: rewarder.send(math.nan))
        case "sent_inf":
            sc.at("15ms", lambda: rewarder.send([-math.inf]))
        case "sent_dict":
            sc.at("15ms", lambda: rewarder.send(reward=math.nan))
        case "sampled":
            rewarder.every("5ms")(lambda: math.inf)
        case "delayed_sum":
            sc.at("15ms", lambda: overflow(rewarder))
        case "set":
            sc.at("15ms", lambda: setattr(agent, "reward", math.nan))
        case "added":
            agent.reward = 1e308
            sc.at("5ms", lambda: setattr(agent, "reward", agent.reward + 1e308))
        case "hook":
            agent.on_reward(lambda sender, message: setattr(agent, "reward", math.inf))
            sc.at("15ms", lambda: rewarder.send(1))
        case "after_end":
            other, others = make(two)
            sc.at("15ms", lambda: terminate_and_reward(other, others))
        case "with_stop":
            rewarder.every("10ms")(lambda: 1)
            sc.at("30ms", lambda: rewarder.send(7))
        case "before_decision":
            other, others = make(two)
            sc.at("2ms", lambda: others.send(3))
            sc.at("5ms", other.terminate)
        case "early":
            other, _ = make(two)
            other.terminate()
        case "at_once":
            sc.at("15ms", lambda: make(two)[0].terminate())
        case "never_set_up":
            sc.at("15ms", lambda: make(two))
