"""The files that an operator takes: they parse, name what exists, and the README knows every option."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizing.serve.command import parser

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"
OPTIONS = {action.option_strings[-1] for action in parser()._actions} - {"--help"}
VARIABLES = {"SIZING_" + option[2:].upper().replace("-", "_") for option in OPTIONS}


def _read(*parts: str) -> str:
    return BINDER.joinpath(*parts).read_text(encoding="utf-8")


def test_the_readme_knows_every_option() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert OPTIONS
    for option in OPTIONS:
        assert f"`{option}" in text, option


def test_every_variable_is_an_option() -> None:
    for parts in (("container", "Containerfile"), ("container", "compose.yaml")):
        named = set(re.findall(r"SIZING_[A-Z_]+", _read(*parts)))
        assert named
        assert named <= VARIABLES, parts


def test_the_image_is_built_from_the_lock_and_runs_as_nobody() -> None:
    lines = _read("container", "Containerfile").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY") and "--from" not in line]
    for name in (name for names in copied for name in names):
        assert (ROOT / name).exists(), name
    assert ["binder/requirements.txt"] in copied
    installs = [line for line in lines if "pip install" in line]
    assert all("-r requirements.txt" in line or "--no-deps" in line for line in installs)
    assert lines.index("USER 65532:65532") < next(k for k, line in enumerate(lines) if line.startswith("ENTRYPOINT"))
    assert any(line.startswith("ARG BASE=") for line in lines)


def test_the_replicas_are_locked_down() -> None:
    services: dict[str, Any] = yaml.safe_load(_read("container", "compose.yaml"))["services"]
    replicas = [service for name, service in services.items() if name.startswith("pages-")]
    assert len(replicas) == _read("container", "nginx.conf").count("server pages-")
    for replica in replicas:
        assert replica["read_only"]
        assert replica["cap_drop"] == ["ALL"]
        assert replica["environment"]["SIZING_PUBLIC"] == "1"


def test_the_hub_s_values_can_be_read() -> None:
    values = yaml.safe_load(_read("hub", "values.yaml"))
    assert values["singleuser"]["networkPolicy"]["enabled"]
    assert values["cull"]["enabled"]


@pytest.mark.parametrize("parts", [("container", "compose.yaml"), ("container", "nginx.conf"), ("hub", "values.yaml")])
def test_settings_are_explained(parts: tuple[str, ...]) -> None:
    """Two of three lines that set something carry their reason, on the line or just above it; the rest is structure."""
    lines = _read(*parts).splitlines()
    setting = [
        k
        for k, line in enumerate(lines)
        if re.match(r"\s*[\w.-]+:? +[^#{]*\S", line) and not line.strip().startswith("#")
    ]
    explained = [k for k in setting if "#" in lines[k] or lines[k - 1].strip().startswith("#")]
    assert len(explained) > 2 / 3 * len(setting)


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx: apt install nginx-light")
def test_nginx_takes_the_configuration(tmp_path: Path) -> None:
    text = re.sub(r"pages-\d:8866", "127.0.0.1:9", _read("container", "nginx.conf")).replace("/tmp/", f"{tmp_path}/")
    made = tmp_path / "nginx.conf"
    made.write_text(text, encoding="utf-8")
    tested = subprocess.run(["nginx", "-t", "-c", made, "-p", tmp_path], capture_output=True, text=True)
    assert tested.returncode == 0, tested.stderr
