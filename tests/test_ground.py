"""The ground the workbook stands on: pinned versions, what the wheel carries, the commands, the licence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from sizing.serve import voila

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OWN = PROJECT["project"]["name"]
EXTRAS = [
    line
    for lines in PROJECT["project"]["optional-dependencies"].values()
    for line in lines
    if Requirement(line).name != OWN
]
RUNTIME = [Requirement(line) for line in PROJECT["project"]["dependencies"] + EXTRAS]
DEVELOPMENT = [Requirement(line) for line in PROJECT["dependency-groups"]["dev"]]
PYTHONS = ("3.11.9", "3.12.4", "3.13.1", "3.14.0")


def pins(path: Path) -> dict[str, list[Requirement]]:
    """Every line of a lock by its package; a package may be pinned twice, for different Pythons."""
    found: dict[str, list[Requirement]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


LOCK = pins(ROOT / "requirements.lock")
BINDER = pins(ROOT / "binder" / "requirements.txt")


def _pinned(lock: dict[str, list[Requirement]], name: str, python: str) -> set[str]:
    """The versions that a lock gives a package on Linux with this Python."""
    return {str(pin.specifier) for pin in lock.get(canonicalize_name(name), []) if _applies(pin, python)}


def _applies(requirement: Requirement, python: str) -> bool:
    environment = dict(default_environment()) | {
        "python_full_version": python,
        "python_version": ".".join(python.split(".")[:2]),
        "sys_platform": "linux",
        "os_name": "posix",
        "platform_system": "Linux",
        "extra": "",
    }
    return requirement.marker is None or requirement.marker.evaluate(environment)


@pytest.mark.parametrize("path", ["requirements.lock", "binder/requirements.txt"])
def test_a_lock_holds_exact_versions_and_no_address(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, flags=re.MULTILINE)
    for requirements in pins(ROOT / path).values():
        for requirement in requirements:
            assert re.fullmatch(r"==[\w.+!]+", str(requirement.specifier)), requirement


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("requirement", RUNTIME + DEVELOPMENT, ids=lambda requirement: requirement.name)
def test_the_lock_pins_what_the_project_asks_for(requirement: Requirement, python: str) -> None:
    if not _applies(requirement, python):
        assert not _pinned(LOCK, requirement.name, python)
        return
    [pinned] = _pinned(LOCK, requirement.name, python)
    assert Version(pinned.removeprefix("==")) in requirement.specifier


@pytest.mark.parametrize("python", PYTHONS)
def test_binder_has_the_versions_of_the_lock(python: str) -> None:
    for name in BINDER:
        assert _pinned(BINDER, name, python) == _pinned(LOCK, name, python), name
    for requirement in RUNTIME:
        assert bool(_pinned(BINDER, requirement.name, python)) == _applies(requirement, python), requirement
    assert not {"pytest", "ruff", "mypy"} & set(BINDER)


def test_binder_installs_the_package_and_its_configuration() -> None:
    runtime = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    version = Version(runtime.removeprefix("python-") + ".0")
    assert version in Requirement(f"python{PROJECT['project']['requires-python']}").specifier
    assert "pip install" in (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
    for name in ("postBuild", "start"):
        assert os.access(ROOT / "binder" / name, os.X_OK), name
    # What repo2docker would see of the template and of the configuration.
    script = 'printf "%s\\n%s" "$JUPYTER_PATH" "$JUPYTER_CONFIG_PATH"'
    bare = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_")}
    start = [ROOT / "binder" / "start", "sh", "-c", script]
    found = subprocess.run(start, env=bare, capture_output=True, text=True, check=True)
    template, configuration = (Path(line) for line in found.stdout.splitlines())
    assert (template / "voila" / "templates" / "sizing" / "index.html.j2").is_file()
    assert (configuration / "jupyter_server_config.py").is_file()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as ``pip install .`` builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_carries_all_that_a_page_needs(wheel: zipfile.ZipFile) -> None:
    carried = set(wheel.namelist())
    for folder, name in (("data", "sizing/_data"), ("notebooks", "sizing/_notebooks")):
        kinds = {".toml", ".csv", ".json", ".ipynb"}
        files = [
            path
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix in kinds and ".ipynb_checkpoints" not in path.parts
        ]
        assert files
        for path in files:
            assert f"{name}/{path.relative_to(ROOT / folder)}" in carried
    for path in (ROOT / "sizing").rglob("*"):
        if path.is_file() and path.suffix in {".py", ".js", ".css", ".toml", ".j2", ".html", ".svg", ".json"}:
            assert str(path.relative_to(ROOT)) in carried


def test_the_wheel_carries_nothing_that_only_lies_there(tmp_path: Path) -> None:
    """A notebook's checkpoints, a private config or a note in a folder stay where they are."""
    copy = tmp_path / "project"
    parts = ("sizing", "data", "notebooks", "pyproject.toml", "README.md", "LICENSE")
    for part in parts:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / part)
    planted = ("notebooks/.ipynb_checkpoints/sizing-checkpoint.ipynb", "data/customer.xlsx", "sizing/notes.txt")
    for name in planted:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text("{}", encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", tmp_path], cwd=copy, check=True, capture_output=True
    )
    whole = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        for carried in (whole, sdist.getnames()):
            assert not [name for name in carried if "checkpoint.ipynb" in name or name.endswith("customer.xlsx")]
    assert not [name for name in whole if name.endswith("notes.txt")]


def test_the_calculation_needs_nothing_but_python(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Unpacked beside a bare Python the package sizes, answers and names the extra that something else would need."""
    assert PROJECT["project"]["dependencies"] == []
    wheel.extractall(tmp_path)
    code = """
import sys
sys.path = [sys.argv[1], *[path for path in sys.path if "site-packages" not in path]]
import sizing
scenario = sizing.Scenario(kv_dtype="fp8")
assert sizing.size(scenario).layout(copies=1, tp=4).conversations == 211
assert sizing.answer(scenario).conversations
for asked in (lambda: sizing.sweep, lambda: sizing.model("owner/name")):
    try:
        asked()
    except sizing.SizingError as error:
        print(error)
"""
    found = subprocess.run([sys.executable, "-I", "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert "sizing-workbook[sweep]" in found.stdout
    assert "sizing-workbook[hub]" in found.stdout


def test_the_wheel_has_its_licence_and_its_command(wheel: zipfile.ZipFile) -> None:
    names = {Path(name).name: name for name in wheel.namelist() if ".dist-info/" in name}
    metadata = wheel.read(names["METADATA"]).decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "sizing = sizing.ui.command_line:main" in wheel.read(names["entry_points.txt"]).decode()
    assert "sizing-workbook = sizing.serve:main" in wheel.read(names["entry_points.txt"]).decode()
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


def test_a_missing_python_is_said_plainly(tmp_path: Path) -> None:
    answer = subprocess.run(
        [ROOT / "scripts" / "build-venv", tmp_path / "venv"],
        env={**os.environ, "PYTHON": "/no/such/python"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 1
    assert "needs Python 3.11" in answer.stderr
    assert "/no/such/python" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_standing_environment_is_not_built_again() -> None:
    """The second start takes seconds: with an environment of this lock the script does nothing."""
    venv = Path(sys.prefix)
    if not (venv / "built-from").is_file():
        pytest.skip("this environment was not built by make")
    before = (venv / "built-from").stat().st_mtime_ns
    subprocess.run([ROOT / "scripts" / "build-venv", venv], check=True, timeout=5)
    assert (venv / "built-from").stat().st_mtime_ns == before


def test_a_missing_browser_is_named_in_one_line(tmp_path: Path) -> None:
    """Who is not root is told what to install; ``id`` answers as for an ordinary user."""
    stub = tmp_path / "id"
    stub.write_text("#!/bin/sh\necho 1000\n", encoding="utf-8")
    stub.chmod(0o755)
    answer = subprocess.run(
        ["/bin/sh", ROOT / "scripts" / "need-chromium"], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert "apt install chromium" in answer.stderr


def test_ci_runs_what_make_test_runs() -> None:
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert "make test" in run.read_text(encoding="utf-8")
    plan = subprocess.run(
        ["make", "--no-print-directory", "-n", "test"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for command in ("ruff check", "ruff format --check", "mypy", "--nbval-lax", "need-chromium"):
        assert command in plan
    assert plan.strip().splitlines()[-1].startswith(".venv/bin/pytest")


def test_plotly_is_found_without_importing_it() -> None:
    code = "import sys; from sizing.serve.voila import plotly_js; plotly_js(); print('plotly' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
    assert voila.plotly_js().stat().st_size > 1_000_000
