# SPDX-License-Identifier: GPL-2.0-only
"""The seeded bugs that are seldom found, for as many episodes as they may need.

    python -m benchmarks.zoo.rare_bugs [--quick] [--seeds N] [--episodes N] [--steps N]
                                       [--workers N] [--folder FOLDER] [--out FOLDER]

`benchmarks.zoo.bugs` ends their cells after a part of the episodes. The same systems without the
bugs are tested, too. The folder of the comparison is kept: the same command goes on where it
stopped.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.zoo.bugs import CORRECT, HIERARCHIES, QUICK, look, parser, systems

STEPS = 1_000_000
FOLDER = Path("runs") / "exploration" / "rare_bugs"
FINDERS = {"R5": "branch", "T6": "waypoint"}
"""Who is led to them."""


def main() -> None:
    """Test, print, save."""
    arguments = parser(__doc__, STEPS, FOLDER).parse_args()
    if arguments.quick:
        arguments.seeds, arguments.episodes = QUICK
    tested = systems(FINDERS, arguments.episodes)
    finders = {
        f"{explorer}, {HIERARCHIES[bug]}": {
            "explorer": explorer,
            "options": {"hierarchy": HIERARCHIES[bug]},
            "systems": [bug, f"as {bug}, {CORRECT}"],
        }
        for bug, explorer in FINDERS.items()
    }
    look("rare_bugs", {"systems": tested, "policies": finders}, arguments)


if __name__ == "__main__":
    main()
