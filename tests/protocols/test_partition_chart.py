# SPDX-License-Identifier: GPL-2.0-only
"""Charts of recorded tests contain all recorded events, and nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from partition_support import LIARS, draw, follow, keep, lie

from benchmarks.publishing.headless import measure_on_phone, open_browser
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs import partition_v0
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.protocols.chart import Story, draw_page, read_story
from defiance_zoo.recording import RecordedRound, Recording, read_recording

SVG = "{http://www.w3.org/2000/svg}"


def record(spec: EnvironmentSpec, choose: Any, folder: Path, **arguments: Any) -> Recording:
    """Play an episode, and return its recording."""
    env = spec.raw_env(record=folder, **arguments)
    for _ in follow(env, choose):
        pass
    env.close()
    (path,) = folder.iterdir()
    return read_recording(path)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """An episode of Raft with crashes, and with waiting messages at its end."""
    folder = tmp_path_factory.mktemp("story")
    arguments = {"horizon": 80, "max_messages_per_tick": 2, "crash_limit": 9}
    return read_story(record(partition_v0.SPEC, draw(4), folder, **arguments))


def elements(page: str, tag: str, kind: str = "") -> list[Element]:
    """Return the elements of the chart with a tag and a class."""
    found = fromstring(page.removeprefix("<!DOCTYPE html>\n")).iter(f"{SVG}{tag}")
    return [each for each in found if kind in each.get("class", "").split() or not kind]


def text(element: Element) -> str:
    """Return the visible text of an element, without its tooltip."""
    return element.text or ""


def test_each_message_is_drawn_with_its_fate(story: Story) -> None:
    page = draw_page(story)
    infos = [info for _, _, info in story.recording.infos()]
    drawn = Counter(each.get("class", "").split()[1] for each in elements(page, "g", "message"))
    assert drawn["delivered"] == sum(info["delivered"] for info in infos) > 20
    assert drawn["dropped"] >= sum(info["dropped"] for info in infos) > 10  # or by crashes
    assert drawn["pending"] == infos[-1]["pending_messages"] > 0
    sent = sum(1 for _ in story.events("sent"))
    assert sum(drawn.values()) == sent
    assert f"{sent} sent, {drawn['delivered']} delivered, {drawn['dropped']} dropped" in page
    titles = [each.findtext(f"{SVG}title") or "" for each in elements(page, "g", "message")]
    assert sum("RequestVote" in title for title in titles) > 2
    shown = [text(each) for each in elements(page, "text", "said")]
    assert any(each.startswith("AppendEntries term=") for each in shown)
    assert max(map(len, shown)) <= 44


def test_lines_go_from_sender_to_receiver_and_downwards(story: Story) -> None:
    page = draw_page(story)
    lanes = {each.get("x1"): n for n, each in enumerate(elements(page, "line", "lane"), start=1)}
    assert list(lanes.values()) == [1, 2, 3]
    for message in elements(page, "g", "message"):
        line = message.find(f"{SVG}line")
        assert line is not None
        title = message.findtext(f"{SVG}title") or ""
        assert title.startswith(f"{lanes[line.get('x1')]} to ")
        assert int(line.get("y2", "")) > int(line.get("y1", ""))
        if "lost" not in message.get("class", ""):
            assert title.startswith(f"{lanes[line.get('x1')]} to {lanes[line.get('x2')]},")


def test_partitions_crashes_and_commits_are_drawn(story: Story) -> None:
    page = draw_page(story)
    divided = [s for s in story.steps if len({b for b in s.blocks if b >= 0}) > 1]
    shaded = [each for each in elements(page, "rect") if "block" in each.get("class", "")]
    assert len(shaded) == sum(block >= 0 for step in divided for block in step.blocks) > 20
    stopped = sum(block < 0 for step in story.steps for block in step.blocks)
    assert len(elements(page, "rect", "stopped")) == stopped > 0
    labels = Counter(text(each) for each in elements(page, "text", "label"))
    assert labels["stopped"] == len([s for s in story.steps if s.deed.startswith("stop ")]) > 0
    assert labels["restarted"] == len([s for s in story.steps if s.deed.startswith("start ")]) > 0
    assert any(label.startswith("leader term ") for label in labels)
    assert any(label.startswith("commits ") for label in labels)
    deeds = [text(each) for each in elements(page, "text", "deed")]
    assert deeds[0] == "0  reset"
    assert len(deeds) == 81
    assert any("  partition 1 2 | 3" in deed for deed in deeds)
    assert elements(page, "text", "time")[0].text == "10 ms"


def test_a_violation_is_marked_where_it_happened(tmp_path: Path) -> None:
    spec = partition_v0.TENDERMINT_SPEC
    found = read_story(record(spec, lie(), tmp_path, **LIARS))
    page = draw_page(found)
    (mark,) = elements(page, "text", "violation")
    assert text(mark).startswith("agreement: replica 4 has decided")
    assert len(elements(page, "rect", "violation")) == 1
    last = len(found.steps) - 1
    assert f'<p class="alarm">step {last}: agreement: replica 4' in page
    labels = [text(each) for each in elements(page, "text", "label")]
    assert labels.count("Byzantine") == 2
    assert "decides 1: request 1" in labels
    assert "decides 1: nothing" in labels
    assert "height 2 round 0" in labels


@pytest.mark.long
def test_a_chart_scrolls_beside_its_text_on_a_phone(story: Story, tmp_path: Path) -> None:
    other = story.recording.parameters | {"protocol": ""}
    page = draw_page(replace(story, recording=replace(story.recording, parameters=other)))
    assert f"<h1>{story.recording.environment}</h1>" in page
    (tmp_path / "chart.html").write_text(page)
    with open_browser() as browser:
        assert measure_on_phone(browser, tmp_path / "chart.html") <= 420


def test_lost_messages_are_drawn_differently_from_waiting_ones(tmp_path: Path) -> None:
    """With delivery=network nothing is held: undelivered messages are lost, or dropped by a cut."""
    arguments = {"delivery": "network", "link_loss": 0.2, "link_duplication": 0.3, "horizon": 60}
    found = read_story(record(partition_v0.SPEC, draw(3), tmp_path, **arguments))
    drawn = Counter(
        each.get("class", "").split()[1] for each in elements(draw_page(found), "g", "message")
    )
    assert drawn["lost"] > 0
    assert drawn["pending"] == 0
    infos = [info for _, _, info in found.recording.infos()]
    assert drawn["delivered"] == sum(info["delivered"] for info in infos)  # including duplicates
    assert drawn["dropped"] == sum(info["dropped"] for info in infos) > 0


def test_actions_of_roles_are_named(tmp_path: Path) -> None:
    found = read_story(record(partition_v0.SPEC, keep, tmp_path, roles=True, horizon=2))
    assert [step.deed for step in found.steps] == [
        "reset", *["client: keep", "crasher: keep", "partitioner: keep"] * 2,
    ]  # fmt: skip


class Reader(HTMLParser):
    """A reader of a page like a browser, for which only some elements are empty."""

    def __init__(self) -> None:
        """Start with an empty page."""
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.shown = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add an element, to be closed later."""
        self.handle_startendtag(tag, attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add an element."""
        self.tags[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        empty = "svg" in self.open or tag in ("meta", "svg")
        assert empty or self.get_starttag_text()[-2:] != "/>"  # type: ignore[index]

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Add visible text."""
        self.shown += data


MARKUP = "</svg><script>alert('1')</script><img src=x onerror=\"alert(2)\"> & \x00\x1b"
EVIL = f"{MARKUP}\ud800"  # not a valid character; JSON with it is refused


def spoiled(value: Any) -> Any:
    """Return JSON with all texts replaced by markup."""
    if isinstance(value, dict):
        return {key: MARKUP if key == "text" else spoiled(each) for key, each in value.items()}
    return [spoiled(each) for each in value] if isinstance(value, list) else value


def spoil(recording: Recording) -> Recording:
    """Return a recording in which every possible text is markup."""

    def rounds() -> Iterator[Any]:
        for each in recording.rounds:
            told = []
            for book in (each.asked, each.ended):
                infos = {
                    agent: {
                        **one.info,
                        "violations": f"{EVIL}: 1",
                        "warnings": EVIL,
                        "message_events": json.dumps(
                            spoiled(json.loads(one.info["message_events"]))
                        ),
                    }
                    for agent, one in book.items()
                }
                told.append({a: replace(one, info=infos[a]) for a, one in book.items()})
            yield replace(each, asked=told[0], ended=told[1])

    parameters = {**recording.parameters, EVIL: EVIL, "protocol": EVIL}
    versions = {EVIL: EVIL}
    return replace(
        recording, rounds=tuple(rounds()), parameters=parameters, versions=versions,
        environment=EVIL,
    )  # fmt: skip


def test_markup_in_names_is_shown_as_text(story: Story) -> None:
    clean, evil = Reader(), Reader()
    clean.feed(draw_page(story))
    page = draw_page(read_story(spoil(story.recording)))
    fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    page.encode()
    evil.feed(page)
    assert not evil.open
    assert evil.tags.keys() <= {*clean.tags, "p", "rect"}
    assert not {"script", "img", "a", "link", "iframe"} & evil.tags.keys()
    assert evil.attributes.keys() <= {*clean.attributes}
    assert evil.shown.count("<script>alert('1')</script>") > 100
    assert "default-src 'none'" in page


def test_the_page_loads_nothing_from_elsewhere(story: Story) -> None:
    page = draw_page(story)
    own = re.sub(r'xmlns="http://www.w3.org/[a-z0-9/]+"', "", page)
    for word in ("http:", "https:", "//", "src=", "href=", "@import"):
        assert word not in own
    assert page.count("url(") == page.count("url(#end-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"infos": "hashes"}, "round 0 has no info 'replicas' of agent_0: a chart needs"),
        ({"message_events": False}, "round 0 has no info 'message_events'"),
    ],
)
def test_recordings_that_cannot_be_drawn_are_refused(
    arguments: dict[str, Any], message: str, tmp_path: Path
) -> None:
    recording = record(partition_v0.SPEC, keep, tmp_path, horizon=2, **arguments)
    with pytest.raises(InvalidRecording, match=message):
        read_story(recording)


def test_a_round_without_infos_is_refused(story: Story) -> None:
    silent = RecordedRound(0, {}, {}, {})
    recording = replace(story.recording, rounds=(*story.recording.rounds, silent))
    with pytest.raises(InvalidRecording, match="no agent receives a message"):
        read_story(recording)


@pytest.mark.parametrize(
    ("info", "value"),
    [
        ("message_events", "[1]"),
        ("message_events", "["),
        ("message_events", '[{"event": "sent"}]'),
        ("replicas", "[]"),
        ("replicas", '[{"active": 1}, 2, 3]'),
        ("partition", ["a"]),
        ("virtual_time", "soon"),
    ],
)
def test_damaged_infos_are_refused(info: str, value: Any, story: Story) -> None:
    *others, last = story.recording.rounds
    told = {a: replace(t, info={**t.info, info: value}) for a, t in last.ended.items()}
    damaged = replace(story.recording, rounds=(*others, replace(last, ended=told)))
    with pytest.raises(InvalidRecording, match="infos are damaged"):
        read_story(damaged)
