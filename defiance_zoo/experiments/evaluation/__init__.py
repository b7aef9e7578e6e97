# SPDX-License-Identifier: GPL-2.0-only
"""Episodes played by policies of any kind, and their returns."""

from defiance_zoo.environments import Policy, PolicyMaker
from defiance_zoo.experiments.evaluation.constant import ConstantPolicy, constant_action
from defiance_zoo.experiments.evaluation.lookahead import (
    Lookahead,
    LookaheadOptions,
    Trials,
    try_each,
)
from defiance_zoo.experiments.evaluation.playing import (
    PlayedEpisode,
    Spaces,
    agent_spaces,
    open_env,
    play,
    spaces_of,
)
from defiance_zoo.experiments.evaluation.policies import (
    BaselinePolicy,
    DividedPolicy,
    FilePolicy,
    NamedPolicy,
    RandomPolicy,
    baselines,
    cheap_policies,
    divide_agents,
    find_divisions,
    maker_of,
    policy_makers,
    pretrained,
    read_named,
    require_spaces,
)

__all__ = [
    "BaselinePolicy",
    "ConstantPolicy",
    "DividedPolicy",
    "FilePolicy",
    "Lookahead",
    "LookaheadOptions",
    "NamedPolicy",
    "PlayedEpisode",
    "Policy",
    "PolicyMaker",
    "RandomPolicy",
    "Spaces",
    "Trials",
    "agent_spaces",
    "baselines",
    "constant_action",
    "cheap_policies",
    "divide_agents",
    "find_divisions",
    "require_spaces",
    "maker_of",
    "open_env",
    "play",
    "policy_makers",
    "pretrained",
    "read_named",
    "spaces_of",
    "try_each",
]
