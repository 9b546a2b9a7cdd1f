"""What the static site takes from the package registries, through their own clients, at pinned versions."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PINS = tomllib.loads((HERE / "pins.toml").read_text(encoding="utf-8"))

# As the pure wheels of the browser's Python are named; nothing compiled for this machine may slip in.
PURE = ("--only-binary=:all:", "--platform=none", "--implementation=py", "--abi=none", "--python-version=3.13")
SOURCE_ONLY = {"font-roboto"}  # fonts and a file of Python, published without a wheel


def npm(name: str, cache: Path) -> Path:
    """The unpacked package of a pin. ValueError where its contents are not the pinned ones."""
    pin = PINS["npm"][name]
    folder = cache / "npm" / f"{name}-{pin['version']}"
    if (folder / "package").is_dir():
        return folder / "package"
    if shutil.which("npm") is None:
        raise SystemExit("The static site needs npm and node: apt install npm (Debian).")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(
        ["npm", "pack", "--silent", f"{name}@{pin['version']}"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    [packed] = folder.glob("*.tgz")
    digest = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != pin["integrity"]:
        packed.unlink()
        raise SystemExit(f"{name} {pin['version']} is not what pins.toml says it is.")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    packed.unlink()
    return folder / "package"


def locked_versions() -> dict[str, str]:
    """Version of each package in requirements.lock."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    found = (re.match(r"([\w.-]+)==([^\s;]+)", line) for line in lines)
    return {match[1].lower(): match[2] for match in found if match}


def wheels(cache: Path) -> list[Path]:
    """The wheels of the browser's Python: at the workbook's own versions where nothing else is pinned."""
    locked, pins = locked_versions(), PINS["wheels"]
    versions = {name: locked[name] for name in pins["names"]} | pins["others"]
    folder = cache / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    files = {name: f"{name.replace('-', '_')}-{number}-*.whl" for name, number in versions.items()}
    missing = [name for name, file in files.items() if not list(folder.glob(file))]
    ready = [f"{name}=={versions[name]}" for name in missing if name not in SOURCE_ONLY]
    to_make = [f"{name}=={versions[name]}" for name in missing if name in SOURCE_ONLY]
    if ready:
        subprocess.run([*pip, "download", "--quiet", "--no-deps", *PURE, "--dest", str(folder), *ready], check=True)
    if to_make:
        subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), *to_make], check=True)
    return [next(iter(sorted(folder.glob(file)))) for file in files.values()]
