# SPDX-License-Identifier: GPL-2.0-only
"""Feed a target in Python, as `defiance-fuzz` feeds one in C++; `run.py` calls both.

`python tests/fuzz/fuzz.py <target> <seconds> <seed> <file> <input>...`
"""

from __future__ import annotations

import mmap
import os
import resource
import sys
import time
from pathlib import Path

from mutator import MAX_SIZE, Mutator
from targets import TARGETS, UNDER_SANITIZERS

from defiance_zoo.bridge.system import extension
from defiance_zoo.bridge.transport.pipe_link import LENGTH

MEMORY_BYTES = 6 * 2**30  # with reserved memory; a sanitizer reserves more than there is


def main() -> None:
    name, seconds, seed, file, *inputs = sys.argv[1:]
    target, end = TARGETS[name], time.monotonic() + float(seconds)
    if name not in UNDER_SANITIZERS:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    elif "FUZZ_NATIVE" in os.environ:
        extension.NATIVE = Path(os.environ["FUZZ_NATIVE"])
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.ftruncate(descriptor, LENGTH.size + MAX_SIZE)
    corpus = [Path(each).read_bytes()[:MAX_SIZE] for each in inputs]
    count = 0
    with mmap.mmap(descriptor, 0) as last:

        def feed(data: bytes) -> None:
            last[: LENGTH.size + len(data)] = LENGTH.pack(len(data)) + data
            target(data)

        for data in corpus:
            feed(data)
        mutator = Mutator(int(seed), corpus)
        while time.monotonic() < end:
            feed(mutator.next())
            count += 1
    print(len(corpus) + count)


if __name__ == "__main__":
    main()
