# SPDX-License-Identifier: GPL-2.0-only
"""The check of plain English in `make lint`, and its random sentences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import ROOT

PROGRAM = ROOT / "tools" / "check_prose"


def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, PROGRAM, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


BROKEN = {
    "module.py": ('"""What it is."""\n', "headless-docstring"),
    "class.py": ('class A:\n    """Who decides."""\n', "headless-docstring"),
    "function.py": ('def f():\n    """Return what was sent."""\n', "return-what"),
    "predicate.py": ('def f():\n    """Whether it ended."""\n', "return-whether"),
    "message.py": ('raise ValueError(f"the agent {a} has " "heard nothing yet")\n', "heard"),
    "blank.py": (
        'raise ValueError(f"there is no file {a} " f": it was removed")\n',
        "joined-parts",
    ),
    "glued.py": (
        'raise ValueError("no program in this folder." "The build makes it")\n',
        "joined-parts",
    ),
    "comment.py": ("# The agent is told\n# nothing.\n", "told"),
    "doxygen.h": ("/**\n * The step.\n * @return a thread of its\n * own\n */\n", "of-its-own"),
    "comment.cc": ("// Such a message is lost.\n", "headless-sentence"),
    "paragraph.md": ("The program\ngoes on.\n", "goes-on"),
    "cell.md": ("| a | the packet sets out |\n", "sets-out"),
    "long.md": (f"{'A word ' * 20}is too many.\n", "long-sentence"),
}
PLAIN = {
    "docstring.py": 'def f():\n    """Return whether the agent decides."""\n',
    "name.py": 'NAME = "told"\n',
    "program.py": 'PROGRAM = "import a\\nprint(told, heard, such one)"\n',
    "code.md": "```\nthe agent is told\n```\n\nThe option `told` is the flag.\n",
    "question.md": "What is a step?\n",
    "format.cc": 'log("%s is %d of %d\\n", told);\n',
}


def test_check_prose_reports_each_sentence_that_breaks_a_rule(tmp_path: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (tmp_path / name).write_text(text)
    done = check(*tmp_path.iterdir())
    found = {(Path(line.split(":")[0]).name, line.split()[1]) for line in done.stderr.splitlines()}
    assert {(name, rule) for name, (_, rule) in BROKEN.items()} <= found
    assert done.returncode == 1


def test_check_prose_accepts_plain_sentences_questions_and_code(tmp_path: Path) -> None:
    for name, text in PLAIN.items():
        (tmp_path / name).write_text(text)
    done = check(*tmp_path.iterdir())
    assert (done.returncode, done.stderr) == (0, "")


def test_check_prose_draws_the_same_sentences_with_the_same_seed() -> None:
    pages = ("README.md", "envs/cart_pole/card.md", "defiance_zoo/errors.py")
    first, again, other = (check("--draw", "20", "--seed", seed, *pages).stdout for seed in "112")
    assert len(first.splitlines()) == 20
    assert first == again != other
