# SPDX-License-Identifier: GPL-2.0-only
"""The closed world: each probe of code under test is virtual, or refused with its line."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = """
import asyncio, concurrent.futures, dataclasses, datetime, fcntl, functools, glob, logging, os
import pathlib, queue, random, secrets, select, shelve, shutil, signal, socket, sqlite3, ssl
import subprocess, tempfile, threading, time, uuid
import numpy.random
from datetime import datetime as now_of
from time import localtime, monotonic

OUTSIDE = os.environ["OUTSIDE"]


def by_default(read=time.monotonic, draw=random.random):
    return read(), draw()


class Holder:
    clock, opener = time.time, open


@dataclasses.dataclass
class Stamp:
    at: float = dataclasses.field(default_factory=time.time)


class OwnRandom(random.Random):
    pass


TABLE = {"now": time.time, "half": functools.partial(round, 1)}
MADE_EARLY = random.Random()


def listed():
    pathlib.Path("/disk/folder").mkdir()
    pathlib.Path("/disk/folder/file").write_text("text")
    shutil.copyfile("/disk/folder/file", "/disk/copy")
    os.rename("/disk/folder", "/disk/moved")
    found = sorted(glob.glob("/disk/*")), [each.name for each in os.scandir("/disk")]
    found += list(os.walk("/disk")), os.access("/disk/copy", os.R_OK), open("/disk/copy").read()
    shutil.rmtree("/disk/moved")
    return found, os.listdir("/disk")


def numbered():
    number = os.open("/disk/file", os.O_RDWR | os.O_CREAT)
    os.write(number, b"12345")
    os.fdatasync(number)
    os.ftruncate(number, 4)
    fcntl.flock(number, fcntl.LOCK_EX)
    os.lseek(number, 1, os.SEEK_SET)
    folder = os.open("/disk", os.O_RDONLY)
    os.fsync(folder)
    return os.read(number, 9), os.fstat(number).st_size, os.close(number)


def copied():
    os.mkdir("/disk/folder")
    shutil.copy2("/disk/a", "/disk/folder/b")
    shutil.copytree("/disk/folder", "/disk/tree")
    shutil.copyfile("/disk/tree/b", "/disk/folder/b")  # it exists
    return open("/disk/tree/b").read(), shutil.move("/disk/tree", "/disk/folder")


def positioned():
    number = os.open("/disk/file", os.O_RDWR | os.O_CREAT)
    os.pwrite(number, b"12345", 0)
    os.sync()
    return os.pread(number, 2, 3), os.read(number, 1)


def temporary():
    with tempfile.NamedTemporaryFile(dir="/disk") as file:
        file.write(b"1")
        return file.name, os.listdir("/disk")


def shelved():
    with shelve.open("/disk/shelf") as shelf:
        shelf["key"] = 1
    with shelve.open("/disk/shelf") as shelf:
        return dict(shelf)


def waited(wait):
    before = time.monotonic()
    try:
        wait()
    except queue.Empty:
        pass
    return round(time.monotonic() - before, 6)


def swallowed():
    try:
        os.makedirs(OUTSIDE + "/folder")
    except BaseException:
        return "swallowed"


def thread_swallowed():
    try:
        threading.Thread(target=print).start()
    except Exception:
        return "swallowed"
"""

VIRTUAL = {
    "time.time()": "1700000000.0",
    "monotonic()": "1000.0",
    "time.clock_gettime_ns(time.CLOCK_MONOTONIC)": "1000000000000",
    "time.clock_gettime(time.CLOCK_REALTIME)": "1700000000.0",
    "time.mktime(localtime())": "1700000000.0",
    "time.gmtime()[:6]": "(2023, 11, 14, 22, 13, 20)",
    "time.strftime('%X')": "'22:13:20'",
    "time.ctime()": "'Tue Nov 14 22:13:20 2023'",
    "str(datetime.datetime.now())": "'2023-11-14 22:13:20'",
    "str(now_of.now(datetime.timezone.utc))": "'2023-11-14 22:13:20+00:00'",
    "str(now_of.utcnow())": "'2023-11-14 22:13:20'",
    "str(datetime.date.today())": "'2023-11-14'",
    "isinstance(now_of.now() - datetime.timedelta(1), datetime.datetime)": "True",
    "by_default()[0]": "1000.0",
    "Holder.clock(), Holder().clock()": "(1700000000.0, 1700000000.0)",
    "Stamp().at": "1700000000.0",
    "TABLE['now']()": "1700000000.0",
    "os.times().elapsed": "1000.0",
    "by_default()[1]": None,
    "MADE_EARLY.random()": None,
    "OwnRandom().random()": None,
    "OwnRandom(5).random() == random.Random(5).random()": "True",
    "random.SystemRandom().random()": None,
    "str(uuid.uuid4()), str(uuid.uuid1())": None,
    "os.urandom(4), os.getrandom(4), secrets.token_hex(4), ssl.RAND_bytes(4)": None,
    "numpy.random.default_rng().random()": None,
    "hash('a string'), {'alpha', 'beta', 'gamma'}": None,
    "os.getpid(), os.getppid(), threading.get_ident()": "(1001, 1, 1)",
    "threading.current_thread().name, threading.main_thread().ident": "('MainThread', 1)",
    "socket.gethostname(), os.uname().nodename": "('replica1', 'replica1')",
    "socket.getaddrinfo('replica2', 80)[0][4]": "('10.0.0.2', 80)",
    "waited(lambda: time.sleep(3))": "3.0",
    "waited(lambda: threading.Event().wait(3))": "3.0",
    "waited(lambda: queue.Queue().get(timeout=3))": "3.0",
    "waited(lambda: queue.SimpleQueue().get(timeout=3))": "3.0",
    "waited(lambda: select.select([], [], [], 3))": "3.0",
    "waited(lambda: select.poll().poll(3000))": "3.0",
    "waited(lambda: asyncio.run(asyncio.sleep(3)))": "3.0",
    "signal.signal(signal.SIGTERM, print) is signal.SIG_DFL": "True",
    "listed()": None,
    "numbered()": "(b'234', 4, None)",
    "copied()": "('hello', '/disk/folder/tree')",
    "positioned()": "(b'45', b'1')",
    "temporary()": None,
    "shelved()": "{'key': 1}",
    "os.truncate('/disk/a', 2), os.path.getsize('/disk/a')": "(None, 2)",
    "Holder.opener('/disk/a').read()": "'hello'",
    "open('/etc/passwd').readable()": "True",
    "sqlite3.connect(':memory:').execute('select 1').fetchone()": "(1,)",
}
"""Probes and their results; None: any, but the same in another process."""

REFUSED = {
    "open(OUTSIDE + '/x', 'w')": "writes .*/x: files of code under test are below /disk",
    "Holder.opener(OUTSIDE + '/x', 'w')": "writes .*/x",
    "open('relative.txt', 'w')": "writes relative.txt",
    "logging.FileHandler(OUTSIDE + '/x')": "writes .*/x",
    "os.open(OUTSIDE + '/x', os.O_WRONLY | os.O_CREAT)": "opens .*/x to write it",
    "tempfile.TemporaryFile()": "to write it",
    "os.makedirs(OUTSIDE + '/folder')": "calls os.mkdir",
    "os.remove(OUTSIDE + '/file')": "calls os.remove",
    "os.rename(OUTSIDE + '/file', OUTSIDE + '/x')": "moves .*/file to .*/x",
    "shutil.rmtree(OUTSIDE + '/tree')": "calls os.rmdir",
    "os.symlink('/tmp', OUTSIDE + '/x')": "calls os.symlink",
    "sqlite3.connect(OUTSIDE + '/x')": "calls sqlite3.connect",
    "sqlite3.connect('/disk/x')": "calls sqlite3.connect",
    "os.readv(os.open('/disk/a', os.O_RDONLY), [bytearray(2)])": r"calls os.readv\(\d+\)",
    "os.readlink('/disk/a')": r"calls os.readlink\('/disk/a'\), which files below /disk lack",
    "os.mkfifo(OUTSIDE + '/x')": "calls os.mkfifo",
    "os.putenv('NAME', 'value')": "calls os.putenv",
    "os.pipe()": "calls os.pipe",
    "signal.setitimer(signal.ITIMER_REAL, 9)": "calls signal.setitimer",
    "numpy.random.rand()": "calls numpy.random.rand",
    "threading.Timer(1, print).start()": "cannot start a thread",
    "concurrent.futures.ThreadPoolExecutor(1).submit(print)": "cannot start a thread",
    "threading.Event().wait()": "waits without a timeout",
    "asyncio.run(asyncio.Event().wait())": "waits without a timeout",
    "asyncio.run(asyncio.to_thread(print))": r"runs a function in a thread .loop.run_in_executor",
    "socket.socket()": "opens a socket",
    "subprocess.run(['date'], stdout=None)": "calls subprocess.Popen|cannot start a process",
    "os.system('true')": "calls os.system|cannot start a process",
    "os.popen('date')": "calls os.pipe|cannot start a process",
    "os.fork()": "calls os.fork|cannot start a process",
    "swallowed()": "calls os.mkdir",
    "thread_swallowed()": "cannot start a thread",
}
"""Probes, and the words with which they are refused."""

PROGRAM = """
import json, os, sys
import defiance_zoo.scenario.replicas as rp
from defiance_zoo.bridge.system import single_process
from defiance_zoo.scenario.replicas.replica import enter_when_called

library = rp.patched("library_under_test", path=".")


class Probe(rp.Replica):
    def tick(self, now):
        return repr(eval(compile(probe, "probe.py", "eval"), vars(library)))


def play():
    single_process.be_single("probes")
    process = Probe()
    process.id, process.size, process.others, process.disk = 1, 3, (2, 3), rp.Disk()
    process.disk.files.open("/disk/a", "w").extend(b"hello")
    enter_when_called(process)
    print(process.tick(0.0), end="", flush=True)
    single_process.end_process(0)


results = {}
for probe in json.load(sys.stdin):
    reading, writing = os.pipe()
    if not os.fork():
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        play()
    os.close(writing)
    text = open(reading, "rb").read().decode()
    results[probe] = os.waitstatus_to_exitcode(os.wait()[1]), text
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, tuple[int, str]]]:
    """Exit status and output of each probe, in two programs; and a folder that stays as it is."""
    folder = tmp_path_factory.mktemp("probes")
    (folder / "library_under_test.py").write_text(LIBRARY)
    (folder / "program.py").write_text(PROGRAM)
    outside = folder / "outside"
    (outside / "tree").mkdir(parents=True)
    (outside / "file").touch()
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=folder,
            env={**os.environ, "OUTSIDE": str(outside), "PYTHONHASHSEED": "0"},
            input=json.dumps([*VIRTUAL, *REFUSED]),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        found.append(json.loads(done.stdout))
        assert sorted(each.name for each in outside.iterdir()) == ["file", "tree"]
    assert not Path(folder / "relative.txt").exists()
    return found


@pytest.mark.parametrize("probe", VIRTUAL)
def test_a_probe_is_virtual(probe: str, runs: list[dict[str, tuple[int, str]]]) -> None:
    first, second = (run[probe] for run in runs)
    assert first == second
    assert first[0] == 0, first[1]
    if VIRTUAL[probe] is not None:
        assert ast.literal_eval(first[1]) == ast.literal_eval(str(VIRTUAL[probe]))


@pytest.mark.parametrize("probe", REFUSED)
def test_a_probe_is_refused(probe: str, runs: list[dict[str, tuple[int, str]]]) -> None:
    status, words = runs[0][probe]
    assert status == 1
    assert 'probe.py", line 1' in words
    last = words.strip().splitlines()[-1]
    assert re.search(f"code of replica 1 .*({REFUSED[probe]})", last), words
