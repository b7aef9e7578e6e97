# SPDX-License-Identifier: GPL-2.0-only
"""Observes values, many of which are not in their space: selected by the parameter `case`."""

from array import array

import defiance_zoo.scenario as sc

ODD = 2**53 + 1
LAST = 2**63 - 1
MATRIX = sc.Box(0, 10, (2, 3))
ONE = sc.Discrete(2)

# The space and the observation; in cases whose name ends with _sent a message contains it.
CASES = {
    "matrix": (MATRIX, [[0, 1, 2], [3, 4, 5]]),
    "matrix_turned": (MATRIX, [[0, 1], [2, 3], [4, 5]]),
    "matrix_flat": (MATRIX, [0, 1, 2, 3, 4, 5]),
    "matrix_flat_array": (MATRIX, array("f", range(6))),
    "matrix_flat_sent": (MATRIX, array("f", range(6))),
    "matrix_sent": (MATRIX, [[0, 1, 2], [3, 4, 5]]),
    "matrix_turned_sent": (MATRIX, [[0, 1], [2, 3], [4, 5]]),
    "vector_deep": (sc.Box(0, 10, (2,)), [[1, 2]]),
    "vector_number": (sc.Box(0, 10, (2,)), 1),
    "one_number": (sc.Box(0, 10, (1,)), 1),
    "scalar_list": (sc.Box(0, 10, ()), [1]),
    "one_deep": (sc.Box(0, 10, (1,)), [[1]]),
    "bits": (sc.MultiBinary([2, 2]), [[0, 1], [1, 0]]),
    "bits_flat": (sc.MultiBinary([2, 2]), [0, 1, 1, 0]),
    "choices_deep": (sc.MultiDiscrete([2, 3]), [[1, 2]]),
    "choices_matrix": (sc.MultiDiscrete([[2, 3], [4, 5]]), [[1, 2], [3, 4]]),
    "choices_flat": (sc.MultiDiscrete([[2, 3], [4, 5]]), [1, 2, 3, 4]),
    "nested": (sc.Dict({"a": sc.Tuple([MATRIX, ONE])}), {"a": ([[0, 1], [2, 3], [4, 5]], 0)}),
    "odd": (sc.Box(0, ODD, (1,), "int64"), [ODD]),
    "odd_low": (sc.Box(-ODD, [-ODD], (1,), "int64"), [-ODD]),
    "odd_array": (sc.Box(array("q", [0, ODD]), array("q", [0, ODD]), (2,), "int64"), [0, ODD]),
    "odd_missed": (sc.Box(0, ODD, (1,), "int64"), [ODD + 1]),
    "odd_sent": (sc.Box(0, ODD, (2,), "int64"), [ODD, 1]),
    "last": (sc.Box(-LAST - 1, LAST, (2,), "int64"), [-LAST - 1, LAST]),
    "unsigned": (sc.Box(2 * LAST, float("inf"), (1,), "uint64"), [2 * LAST + 1]),
    "unsigned_sent": (sc.Box(2 * LAST, 2**80, (1,), "uint64"), [2 * LAST + 1]),
    "fractions": (sc.Box(-0.5, 2.5, (2,), "int8"), [0, 2]),
    "fractions_missed": (sc.Box(-0.5, 2.5, (1,), "int8"), [-1]),
    "byte": (sc.Box(0, 255, (1,), "uint8"), [256]),
    "discrete": (sc.Discrete(2, start=ODD), ODD + 1),
    "choices_odd": (sc.MultiDiscrete([2], start=[ODD]), [ODD + 1]),
    "float": (sc.Box(float("-inf"), float("inf"), (1,)), [1e300]),
    "float_array": (sc.Box(float("-inf"), float("inf"), (1,)), array("d", [1e300])),
    "bounds_turned": ((lambda: sc.Box([[0, 0]], 9, (2, 1))), 1),
    "bounds_mixed": ((lambda: sc.Box([[0, 0]], [9, 9], (1, 2))), 1),
    "choices_unlike": ((lambda: sc.MultiDiscrete([[2, 3]], start=[0, 0])), 1),
}

sim = sc.Simulation("shapes", duration="25ms")
sim.parameter("case", "matrix", choices=list(CASES))


@sim.episode
def build(p):
    node = sc.nodes(1)[0]
    space, value = CASES[p.case]
    space = space() if callable(space) else space
    if not p.case.endswith("_sent"):
        agent = sc.Agent(node, space, ONE, StepInterval="10ms")
        agent.observe(lambda: value)
        return
    observer, agent = sc.Observation(node), sc.Agent(node, space, ONE)
    sc.connect(observer, agent)
    observer.every("10ms")(lambda: value)
