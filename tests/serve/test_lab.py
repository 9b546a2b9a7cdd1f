"""``sizing-workbook lab``: the notebooks in a folder of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sizing.serve import command, lab


def test_every_notebook_is_copied_and_what_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "mine"
    command.main(["lab", str(target), "--no-open"])
    found = {path.relative_to(target) for path in target.rglob("*.ipynb")}
    source = command.notebooks_dir()
    assert found == {
        path.relative_to(source) for path in source.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
    }
    assert Path("explore/4_a_new_model.ipynb") in found
    changed = target / "sizing.ipynb"
    changed.write_text("mine", encoding="utf-8")
    (target / "speed.ipynb").unlink()
    command.main(["lab", str(target), "--no-open"])
    assert changed.read_text(encoding="utf-8") == "mine"
    assert capsys.readouterr().out.splitlines()[1].startswith("1 notebooks copied")


def test_checkpoints_of_notebooks_stay_behind(tmp_path: Path) -> None:
    source = tmp_path / "source" / ".ipynb_checkpoints"
    source.mkdir(parents=True)
    (source / "a-checkpoint.ipynb").write_text("{}", encoding="utf-8")
    assert lab.copy(tmp_path / "source", tmp_path / "target") == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "file"
    place.write_text("", encoding="utf-8")
    with pytest.raises(SystemExit):
        command.main(["lab", str(place / "below"), "--no-open"])
    assert "cannot be written" in capsys.readouterr().err


def test_without_jupyterlab_it_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda _name: None)
    with pytest.raises(SystemExit):
        command.main(["lab", str(tmp_path)])
    assert "sizing-workbook[lab]" in capsys.readouterr().err


def test_it_becomes_jupyterlab_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(lab.os, "execv", lambda _program, words: asked.append(words))
    monkeypatch.setenv("JUPYTER_PATH", "/before")
    command.main(["lab", str(tmp_path), "--port", "9999"])
    assert asked[0][1:] == ["-m", "jupyterlab", str(tmp_path), "--port", "9999"]
    assert lab.os.environ["JUPYTER_PATH"].endswith("/before")
