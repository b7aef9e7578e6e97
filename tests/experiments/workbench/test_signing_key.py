# SPDX-License-Identifier: GPL-2.0-only
"""The signing key: other accounts can neither use nor replace it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from defiance_zoo.command_line.commands.doctor import signing_key
from defiance_zoo.errors import ParameterError, UnknownOrigin
from defiance_zoo.experiments.workbench.origin import is_signed_text, require_signature, sign
from defiance_zoo.experiments.workbench.signing_key import key_file, read_key, require_key


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for states of programs, with a key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    read_key()
    return tmp_path / "state"


@pytest.fixture
def signed(state: Path, tmp_path: Path) -> Path:
    """Return a signed folder."""
    folder = tmp_path / "signed"
    folder.mkdir()
    (folder / "weights.pkl").write_text("weights")
    sign(folder)
    require_signature(folder, trust=False)
    return folder


@pytest.mark.parametrize(
    ("place", "mode", "remedy"),
    [
        ("defiance-zoo/key", 0o644, "chmod 600"),
        ("defiance-zoo/key", 0o640, "chmod 600"),
        ("defiance-zoo/key", 0o666, "chmod 600"),
        ("defiance-zoo/key", 0o620, "chmod 600"),
        ("defiance-zoo", 0o777, "chmod go-w"),
        ("defiance-zoo", 0o770, "chmod go-w"),
        (".", 0o777, "chmod go-w"),
    ],
)
def test_a_key_of_which_others_have_rights_is_refused_with_the_command_that_mends_it(
    place: str, mode: int, remedy: str, state: Path, signed: Path
) -> None:
    path = state / place
    path.chmod(mode)
    command = rf"mode {mode:04o}\): {remedy} '{re.escape(str(path.resolve()))}'"
    with pytest.raises(UnknownOrigin, match=command):
        require_signature(signed, trust=False)
    with pytest.raises(ParameterError, match=command):
        require_key(trust=False)
    require_key(trust=True)
    finding = signing_key()
    assert not finding.present
    assert remedy in finding.remedy
    path.chmod(0o600 if path.is_file() else 0o700)
    require_signature(signed, trust=False)
    assert signing_key().present


def test_a_key_of_another_account_is_refused(
    state: Path, signed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UnknownOrigin, match=f"belongs to the account {os.getuid()}"):
        require_signature(signed, trust=False)


def test_a_key_that_is_a_link_is_refused(state: Path, signed: Path, tmp_path: Path) -> None:
    key_file().rename(tmp_path / "elsewhere")
    key_file().symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnknownOrigin, match=re.escape(str(key_file()))):
        require_signature(signed, trust=False)


def test_new_folders_of_the_key_are_private_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new" / "state"))
    before = os.umask(0)
    try:
        read_key()
    finally:
        os.umask(before)
    for path in (key_file(), key_file().parent, *key_file().parents[1:3]):
        assert path.stat().st_mode & 0o077 == 0, path


def test_folders_above_the_key_count_up_to_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "all" / "home"
    home.mkdir(parents=True)
    (tmp_path / "all").chmod(0o777)  # above the home folder
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(home))
    read_key()
    (home / ".local").chmod(0o1777)  # sticky, like /tmp: others cannot rename what is in it
    read_key()
    home.chmod(0o770)
    with pytest.raises(PermissionError, match="chmod go-w"):
        read_key()


def test_a_description_is_not_signed_by_a_key_that_others_have(state: Path, tmp_path: Path) -> None:
    from defiance_zoo.experiments.workbench.origin import write_description

    path = tmp_path / "config.yaml"
    write_description(path, "env: mine:any_v0\n")
    assert is_signed_text(path, path.read_bytes())
    key_file().chmod(0o666)
    assert not is_signed_text(path, path.read_bytes())


def test_doctor_makes_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new"))
    assert signing_key().present
    assert not key_file().exists()
