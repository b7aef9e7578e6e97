# SPDX-License-Identifier: GPL-2.0-only
# ruff: noqa: PTH123, SIM115
"""Leaves files of many kinds open, in a folder."""

import bz2
import csv
import gzip
import io
import logging
import logging.handlers
import lzma
import tempfile
import zipfile

import defiance_zoo.scenario as sc

sim = sc.Simulation("open_files", duration="100ms")
sim.parameter("end", "time", choices=["time", "agent", "error", "build", "refuse"])
sim.parameter("folder", ".")
shared = open("shared.txt", "a")
shared.write("loaded ")


class Kept:
    """Writes a last line when it is finalised."""

    def __init__(self, folder):
        self.file = open(f"{folder}/finalised.txt", "w")

    def __del__(self):
        self.file.write("last\n")


def lines(folder):
    """Write each line that is sent; the last one when the generator is closed."""
    with open(f"{folder}/generator.txt", "w") as file:
        try:
            while True:
                file.write((yield) + "\n")
        finally:
            file.write("last\n")


def open_all(folder):
    """Return functions that write a text to an open file."""
    texts = {
        "text.txt": open(f"{folder}/text.txt", "w"),
        "text.gz": gzip.open(f"{folder}/text.gz", "wt"),
        "text.bz2": bz2.open(f"{folder}/text.bz2", "wt"),
        "text.xz": lzma.open(f"{folder}/text.xz", "wt"),
    }
    archive = zipfile.ZipFile(f"{folder}/archive.zip", "w")
    texts["member"] = io.TextIOWrapper(archive.open("member.txt", "w"))
    raw = open(f"{folder}/bytes.bin", "wb")
    temporary = tempfile.NamedTemporaryFile("w", dir=folder, prefix="temporary")
    writer = csv.writer(open(f"{folder}/rows.csv", "w"))
    log = logging.Logger("log")
    log.addHandler(
        logging.handlers.MemoryHandler(99, target=logging.FileHandler(f"{folder}/log.txt", "w"))
    )
    kept, generator = Kept(folder), lines(folder)
    next(generator)

    def write(text):
        for each in texts.values():
            each.write(text)
        raw.write(text.encode())
        temporary.write(text)
        writer.writerow([text.strip()])
        log.warning(text.strip())
        kept.file.write(text)
        generator.send(text.strip())

    return write


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    observation, reward, action = sc.Observation(node), sc.Reward(node), sc.Action(node)
    agent = sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(2))
    write = open_all(p.folder)
    write("built\n")
    shared.write("built ")
    if p.end == "build":
        raise ArithmeticError("as asked for")
    if p.end == "refuse":
        sc.refuse("as asked for")

    @observation.every("20ms")
    def observe():
        write("observed\n")
        if sc.now() > sc.Time("50ms") and p.end == "error":
            raise ArithmeticError("as asked for")
        if sc.now() > sc.Time("50ms") and p.end == "agent":
            return agent.terminate()
        reward.send(1.0)
        return [0.5]

    action.on_action(print)
    sc.connect(observation, agent)
    sc.connect(reward, agent)
    sc.connect(agent, action)
